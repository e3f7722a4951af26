import { readFileSync } from 'node:fs';
import { systemErrorCode } from '../base/system-error.ts';

/** The text of a small file; null where there is none. */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
