import { readFileSync } from 'node:fs';
import type { z } from 'zod';
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

/** What a small JSON file holds; null where there is none, or where it is damaged. */
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
