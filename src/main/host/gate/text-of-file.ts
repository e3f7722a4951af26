import { readFileSync } from 'node:fs';
import { systemErrorCode } from '../../../node/system-error.ts';

/** What a file says; null where there is none. */
export function textOfFile(file: string, encoding: 'utf8' | 'latin1' = 'utf8'): string | null {
  try {
    return readFileSync(file, encoding);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
