import { access, constants, lstat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../base/system-error.ts';
import type { UnitSpec } from '../engine.ts';
import { folderOf, type Interpreters, type Needs } from './interpreters.ts';

const NONE: Needs = { kind: 'none' };

/** The runtime table (wire.md section 2) by canonical id. */
const RUNTIMES: ReadonlyMap<string, Needs> = new Map<string, Needs>([
  ['python311', { kind: 'python', minor: 11 }],
  ['nodejs20', { kind: 'node', major: 20 }],
  ['nodejs22', { kind: 'node', major: 22 }],
  ['nodejs24', { kind: 'node', major: 24 }],
  ['gcc13', NONE],
  ['rust-stable', NONE],
  ['ghc96', NONE],
  ['scala3', { kind: 'java' }],
  ['java21', { kind: 'java' }],
  ['dotnet8', { kind: 'dotnet', major: 8 }],
]);

/** What a runtime needs here; throws INVALID_CONFIG for an id that is not in the table. */
export function needsOf(runtime: string): Needs {
  const needs = RUNTIMES.get(runtime);
  if (needs !== undefined) return needs;
  throw new PlatformError('INVALID_CONFIG', `Runtime ${JSON.stringify(runtime)} cannot be run on this machine.`, {
    hint: `Use one of ${[...RUNTIMES.keys()].join(', ')}.`,
  });
}

/** A program with its arguments, ready to be started in the code folder. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly needs: Needs['kind'];
  /** Folders to put in front of PATH. */
  readonly pathDirs: readonly string[];
}

/** `app.jar:Main` is split at its last colon, `C:\app.jar` is not. */
export function splitJarEntry(entry: string): { readonly jar: string; readonly main: string | null } {
  const colon = entry.lastIndexOf(':');
  if (colon < 0 || /^[\\/]/.test(entry.slice(colon + 1))) return { jar: entry, main: null };
  return { jar: entry.slice(0, colon), main: entry.slice(colon + 1) };
}

async function checkEntry(spec: UnitSpec, path: string, executable: boolean): Promise<void> {
  const inside = normalize(path);
  if (isAbsolute(path) || inside === '..' || inside.startsWith(`..${sep}`)) {
    throw new PlatformError('INVALID_PACKAGE', `The entry ${path} lies outside the bot's package.`);
  }
  const file = join(spec.codeDir, path);
  try {
    if (!(await lstat(file)).isFile()) {
      throw new PlatformError('INVALID_PACKAGE', `The entry ${path} is not a regular file.`);
    }
    if (executable && process.platform !== 'win32') await access(file, constants.X_OK);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const hint = `Build it or correct entrypoints.${spec.role} in bot-config.yaml, then publish a new version.`;
      throw new PlatformError('INVALID_PACKAGE', `The entry ${path} does not exist in the bot's package.`, { hint });
    }
    if (code === 'EACCES') {
      const hint = 'Mark it executable (chmod +x) before you publish the next version.';
      throw new PlatformError('INVALID_PACKAGE', `The entry ${path} is not executable.`, { hint });
    }
    throw error;
  }
}

/** Share of the memory limit that a managed heap may take; the rest is for stacks, code and buffers. */
const HEAP_SHARE = 0.75;

/**
 * Turns a spec into a command line (wire.md sections 2 and 4). No value of the config ever becomes an argument. Throws
 * INVALID_PACKAGE when the entry cannot be started and ENGINE_UNAVAILABLE when the interpreter is missing.
 */
export async function commandOf(spec: UnitSpec, runnersDir: string, interpreters: Interpreters): Promise<Command> {
  const needs = needsOf(spec.runtime);
  const { jar, main } = splitJarEntry(spec.entry);
  await checkEntry(spec, needs.kind === 'java' ? jar : spec.entry, needs.kind === 'none');
  const interpreter = await interpreters.find(needs);
  const pathDirs = folderOf(interpreter);
  const base = { needs: needs.kind, pathDirs };
  if (interpreter === null) return { ...base, program: join(spec.codeDir, spec.entry), args: [] };
  const { program } = interpreter;
  const { memoryMb } = spec.limits;
  const heapMb = memoryMb === undefined ? null : Math.max(16, Math.floor(memoryMb * HEAP_SHARE));
  if (needs.kind === 'python') return { ...base, program, args: [join(runnersDir, 'python_runner.py'), spec.entry] };
  if (needs.kind === 'node') {
    const heap = heapMb === null ? [] : [`--max-old-space-size=${heapMb}`];
    return { ...base, program, args: [...heap, join(runnersDir, 'node-runner.mjs'), spec.entry] };
  }
  if (needs.kind === 'dotnet') return { ...base, program, args: [spec.entry] };
  const heap = heapMb === null ? [] : [`-Xmx${heapMb}m`];
  return { ...base, program, args: [...heap, ...(main === null ? ['-jar', jar] : ['-cp', jar, main])] };
}
