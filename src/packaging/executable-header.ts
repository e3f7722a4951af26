import { RUNTIMES_BY_PACKAGE } from '../runtimes/descriptors.ts';

/** An operating system and processor that programs are made for, in Node's words (`linux`, `x64`). */
export interface ExecutableTarget {
  readonly os: string;
  readonly arch: string;
}

/** Format and targets in the header of an executable. */
export interface ExecutableHeader {
  readonly format: 'ELF' | 'Mach-O' | 'PE';
  readonly os: string;
  /** One entry; several for a universal Mach-O. */
  readonly archs: readonly string[];
  /** Set for a file of that format that cannot be run, such as an object file. */
  readonly unfinished?: string;
}

/** Bytes of a file that `readExecutable` needs. */
export const HEADER_BYTES = 4096;

/** Bytes of a file that `startsProgram` needs. */
export const START_BYTES = 4;

/** Tells a program by its first bytes, for files whose executable bit is not known. */
export function startsProgram(start: Uint8Array): boolean {
  const text = Buffer.from(start.subarray(0, START_BYTES)).toString('latin1');
  return text.startsWith('#!') || text === '\x7fELF';
}

const ELF_MACHINES: Readonly<Record<number, string>> = {
  3: 'ia32',
  8: 'mips',
  20: 'ppc',
  21: 'ppc64',
  22: 's390x',
  40: 'arm',
  62: 'x64',
  183: 'arm64',
  243: 'riscv64',
  258: 'loong64',
};
const ELF_SYSTEMS: Readonly<Record<number, string>> = {
  0: 'linux',
  2: 'netbsd',
  3: 'linux',
  6: 'sunos',
  9: 'freebsd',
  12: 'openbsd',
};
const MACH_CPUS: Readonly<Record<number, string>> = { 7: 'ia32', 12: 'arm', 16777223: 'x64', 16777228: 'arm64' };
const PE_MACHINES: Readonly<Record<number, string>> = { 332: 'ia32', 34404: 'x64', 43620: 'arm64', 452: 'arm' };

const named = (names: Readonly<Record<number, string>>, code: number) =>
  names[code] ?? `processor 0x${code.toString(16)}`;

function readElf(view: DataView): ExecutableHeader | null {
  if (view.byteLength < 20) return null;
  const little = view.getUint8(5) !== 2;
  const type = view.getUint16(16, little);
  const header = {
    format: 'ELF',
    os: ELF_SYSTEMS[view.getUint8(7)] ?? 'an unknown system',
    archs: [named(ELF_MACHINES, view.getUint16(18, little))],
  } as const;
  if (type === 1) return { ...header, unfinished: 'an object file that was not linked' };
  return type === 4 ? { ...header, unfinished: 'a core dump' } : header;
}

function readMachO(view: DataView, little: boolean): ExecutableHeader | null {
  if (view.byteLength < 16) return null;
  const type = view.getUint32(12, little);
  const header = { format: 'Mach-O', os: 'darwin', archs: [named(MACH_CPUS, view.getUint32(4, little))] } as const;
  if (type === 2) return header;
  return { ...header, unfinished: type === 1 ? 'an object file that was not linked' : 'a library' };
}

/** A universal Mach-O; Java class files share its first four bytes and differ in the count that follows. */
function readUniversal(view: DataView): ExecutableHeader | null {
  const count = view.byteLength >= 8 ? view.getUint32(4) : 0;
  if (count === 0 || count > 30 || view.byteLength < 8 + count * 20) return null;
  const archs = Array.from({ length: count }, (_, i) => named(MACH_CPUS, view.getUint32(8 + i * 20)));
  return { format: 'Mach-O', os: 'darwin', archs };
}

function readPe(view: DataView): ExecutableHeader | null {
  const offset = view.byteLength >= 64 ? view.getUint32(60, true) : 0;
  if (offset < 64 || offset + 24 > view.byteLength || view.getUint32(offset) !== 0x50450000) return null;
  const header = { format: 'PE', os: 'win32', archs: [named(PE_MACHINES, view.getUint16(offset + 4, true))] } as const;
  const isLibrary = (view.getUint16(offset + 22, true) & 0x2000) !== 0;
  return isLibrary ? { ...header, unfinished: 'a library (DLL)' } : header;
}

/** Reads the header of an ELF, Mach-O or PE file; null for any other. */
export function readExecutable(bytes: Uint8Array): ExecutableHeader | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 4) return null;
  const magic = view.getUint32(0);
  if (magic === 0x7f454c46) return readElf(view);
  if (magic === 0xcefaedfe || magic === 0xcffaedfe) return readMachO(view, true);
  if (magic === 0xfeedface || magic === 0xfeedfacf) return readMachO(view, false);
  if (magic === 0xcafebabe) return readUniversal(view);
  return magic >>> 16 === 0x4d5a ? readPe(view) : null;
}

/** Names the kind of a file that is no executable, as far as its first bytes tell. */
function describeOther(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'an empty file';
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  if (start.startsWith('#!')) return `a script (${start.slice(0, 60).split('\n')[0]?.trim()})`;
  if (start.startsWith('PK\u0003\u0004')) return 'a zip or jar archive';
  if (start.startsWith('\xca\xfe\xba\xbe')) return 'a Java class file';
  if (start.startsWith('\0asm')) return 'a WebAssembly module';
  if (start.startsWith('!<arch>')) return 'a static library';
  const text = [...bytes.subarray(0, 256)].every((byte) => byte >= 0x20 || (byte >= 9 && byte <= 13));
  return text ? 'a text file, perhaps the source' : 'no program that is known here';
}

const BUILD_HINT = 'Build the bot first and name the compiled program, not its source, in entrypoints.';

/** The last word of a path in a `#!` line, behind `env` and its options: `awk` of `#!/usr/bin/env -S awk -f`. */
const SCRIPT =
  /^#![ \t]*(?:\/\S*\/env[ \t]+(?:-\S+[ \t]+)*)?(?:\S*\/)?(?!env\b)([A-Za-z0-9][\w.+-]{0,63})(?=[ \t\r\n]|$)/;

/** Advice for a script: a runtime that starts it by its interpreter; null for any other file. */
function scriptHint(bytes: Uint8Array): string | null {
  const [, interpreter] = SCRIPT.exec(Buffer.from(bytes.subarray(0, 256)).toString('latin1')) ?? [];
  if (interpreter === undefined) return null;
  const runtime = `runtime: ${RUNTIMES_BY_PACKAGE.join(' or ')}`;
  return `Write ${runtime} and command: {interpreter: ${interpreter}}, which an owner of the host allows. Or build a program and name it in entrypoints.`;
}

const FORMATS: Readonly<Record<string, string>> = { darwin: 'Mach-O', win32: 'PE' };

/**
 * Checks that a file is a program for the target. `bytes` are the first HEADER_BYTES of the file `path`. Returns the
 * finding and the fix, or null for a match.
 */
export function checkExecutable(
  bytes: Uint8Array,
  target: ExecutableTarget,
  path: string,
): { message: string; hint: string } | null {
  const header = readExecutable(bytes);
  const needed = `bots run here as ${FORMATS[target.os] ?? 'ELF'} programs for ${target.os} ${target.arch}`;
  if (header === null) {
    const message = `${path} is ${describeOther(bytes)}; ${needed}`;
    return { message, hint: scriptHint(bytes) ?? BUILD_HINT };
  }
  const found = `${header.format} for ${header.os} ${header.archs.join(' and ')}`;
  if (header.unfinished !== undefined)
    return { message: `${path} is ${header.unfinished} (${found}); ${needed}`, hint: 'Name the linked program.' };
  if (header.os === target.os && header.archs.includes(target.arch)) return null;
  return {
    message: `${path} is ${found}; ${needed}`,
    hint: `Build it for ${target.os} ${target.arch}, then publish again.`,
  };
}
