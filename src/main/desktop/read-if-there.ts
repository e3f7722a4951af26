import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { systemErrorCode } from '../../node/system-error.ts';

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

/** Content of a small JSON file; null if it is missing or damaged. */
export function readAs<T>(schema: z.ZodType<T>, file: string): T | null {
  const text = readIfThere(file);
  if (text === null) return null;
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
