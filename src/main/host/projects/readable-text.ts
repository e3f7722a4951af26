import { PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import type { ConfinedFolder } from './confined.ts';

/** Returns the text of a project's file; null if it is gone, cannot be opened or read, or holds no text. */
export async function readableText(folder: ConfinedFolder, path: string): Promise<string | null> {
  try {
    return (await folder.read(path)).text;
  } catch (error) {
    const code = systemErrorCode(error);
    if (error instanceof PlatformError || code === 'EACCES' || code === 'EPERM') return null;
    throw error;
  }
}
