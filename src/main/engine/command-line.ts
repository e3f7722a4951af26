import { access, constants, lstat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { PlatformError } from '../../contract/errors.ts';
import { systemErrorCode } from '../base/system-error.ts';
import type { UnitSpec } from './engine.ts';

/** What a runtime needs beside the package (wire.md section 2). `none`: the bot is a program itself. */
export type Needs =
  | { readonly kind: 'none' }
  | { readonly kind: 'python'; readonly minor: number }
  | { readonly kind: 'node'; readonly major: number }
  | { readonly kind: 'java' }
  | { readonly kind: 'dotnet'; readonly major: number };

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

/** `app.jar:Main` is split at its last colon, `C:\app.jar` is not. */
export function splitJarEntry(entry: string): { readonly jar: string; readonly main: string | null } {
  const colon = entry.lastIndexOf(':');
  if (colon < 0 || /^[\\/]/.test(entry.slice(colon + 1))) return { jar: entry, main: null };
  return { jar: entry.slice(0, colon), main: entry.slice(colon + 1) };
}

async function checkFile(spec: UnitSpec, path: string, executable: boolean): Promise<void> {
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

/** Throws INVALID_PACKAGE when the entry of a spec is not there or cannot be started. */
export async function checkEntry(spec: UnitSpec, needs: Needs): Promise<void> {
  const { jar } = splitJarEntry(spec.entry);
  await checkFile(spec, needs.kind === 'java' ? jar : spec.entry, needs.kind === 'none');
}

/** Share of the memory limit that a managed heap may take; the rest is for stacks, code and buffers. */
const HEAP_SHARE = 0.75;

/**
 * Arguments for the interpreter of a runtime (wire.md sections 2 and 4); none for a program that starts itself. No value
 * of the config ever becomes an argument.
 */
export function interpreterArgs(spec: UnitSpec, needs: Needs, runner: (file: string) => string): string[] {
  const { memoryMb } = spec.limits;
  const heapMb = memoryMb === undefined ? null : Math.max(16, Math.floor(memoryMb * HEAP_SHARE));
  if (needs.kind === 'none') return [];
  if (needs.kind === 'python') return [runner('python_runner.py'), spec.entry];
  if (needs.kind === 'node') {
    const heap = heapMb === null ? [] : [`--max-old-space-size=${heapMb}`];
    return [...heap, runner('node-runner.mjs'), spec.entry];
  }
  if (needs.kind === 'dotnet') return [spec.entry];
  const { jar, main } = splitJarEntry(spec.entry);
  const heap = heapMb === null ? [] : [`-Xmx${heapMb}m`];
  return [...heap, ...(main === null ? ['-jar', jar] : ['-cp', jar, main])];
}
