import { access, constants, lstat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import type { RuntimeNeeds } from '../../../runtimes/descriptors.ts';
import type { EntryParts } from '../../../runtimes/runtime.ts';
import type { UnitSpec } from './engine.ts';

/** `app.jar:Main` is split at its last colon, `C:\app.jar` is not. */
export function splitJarEntry(entry: string): EntryParts {
  const colon = entry.lastIndexOf(':');
  if (colon < 0 || /^[\\/]/.test(entry.slice(colon + 1))) return { file: entry, mainClass: null };
  return { file: entry.slice(0, colon), mainClass: entry.slice(colon + 1) };
}

/** The parts of the entry of a unit: a main class only where its runtime has such. */
export function entryPartsOf({ entry }: UnitSpec, { descriptor }: RuntimeNeeds): EntryParts {
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
  await checkFile(spec, entryPartsOf(spec, needs).file, needs.descriptor.interpreter === null);
}
