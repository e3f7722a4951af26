import { access, constants, lstat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { findRuntime, type RuntimeNeeds } from '../../../runtimes/descriptors.ts';
import { RUNTIME_IDS } from '../../../runtimes/names.ts';
import type { EntryParts } from '../../../runtimes/runtime.ts';
import type { UnitSpec } from './engine.ts';

/** The needs of a runtime here; throws INVALID_CONFIG for an unknown id. */
export function needsOf(runtime: string): RuntimeNeeds {
  const needs = findRuntime(runtime);
  if (needs !== null) return needs;
  throw new PlatformError('INVALID_CONFIG', `Runtime ${JSON.stringify(runtime)} cannot be run on this machine.`, {
    hint: `Use one of ${RUNTIME_IDS.join(', ')}.`,
  });
}

/** `app.jar:Main` is split at its last colon, `C:\app.jar` is not. */
export function splitJarEntry(entry: string): EntryParts {
  const colon = entry.lastIndexOf(':');
  if (colon < 0 || /^[\\/]/.test(entry.slice(colon + 1))) return { file: entry, mainClass: null };
  return { file: entry.slice(0, colon), mainClass: entry.slice(colon + 1) };
}

function partsOf({ entry }: UnitSpec, { descriptor }: RuntimeNeeds): EntryParts {
  return descriptor.entry?.hasMainClass === true ? splitJarEntry(entry) : { file: entry, mainClass: null };
}

async function checkFile(spec: UnitSpec, path: string, executable: boolean): Promise<void> {
  const inside = normalize(path);
  if (isAbsolute(path) || inside === '..' || inside.startsWith(`..${sep}`)) {
    throw new PlatformError('INVALID_PACKAGE', `The entry ${path} lies outside the bot's package.`);
  }
  const file = join(spec.code.dir, path);
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

/** Throws INVALID_PACKAGE when the entry of a spec is missing or cannot be started. */
export async function checkEntry(spec: UnitSpec, needs: RuntimeNeeds): Promise<void> {
  await checkFile(spec, partsOf(spec, needs).file, needs.descriptor.interpreter === null);
}

/** Share of the memory limit that a managed heap may take; the rest is for stacks, code and buffers. */
const HEAP_SHARE = 0.75;

/**
 * Arguments for the interpreter of a runtime; empty for a native program. No value of the config ever becomes an
 * argument, because other users can list arguments.
 */
export function interpreterArgs(spec: UnitSpec, needs: RuntimeNeeds, runner: (file: string) => string): string[] {
  const { memoryMb } = spec.limits;
  const { args, heapFlag } = needs.descriptor;
  const heap =
    memoryMb === undefined || heapFlag === undefined ? [] : [heapFlag(Math.max(16, Math.floor(memoryMb * HEAP_SHARE)))];
  return [...heap, ...args(partsOf(spec, needs), runner)];
}
