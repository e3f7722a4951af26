import type { z } from 'zod';
import { invalid } from '../../../../contract/errors.ts';

/** Position at which reading continues; `asked` holds the arguments of the first call. */
interface Cursor {
  readonly asked: Readonly<Record<string, unknown>>;
}

/** Converts a cursor to text for a client, which returns it unchanged. */
export const writeCursor = <C extends Cursor>(cursor: C): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url');

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Reads a cursor. Other arguments may only repeat those of the first call.
 * @throws PlatformError INVALID_REQUEST
 */
export function readCursor<C extends Cursor>(
  text: string,
  shape: z.ZodType<C>,
  given: Readonly<Record<string, unknown>>,
): C {
  const wrong = (message: string) =>
    invalid('INVALID_REQUEST', [
      { path: 'cursor', message, hint: 'Pass the cursor exactly as this tool returned it.' },
    ]);
  const found = shape.safeParse(parsed(text));
  if (!found.success) throw wrong('is not a cursor of this tool');
  const { asked } = found.data;
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && value !== asked[name]) {
      throw wrong(`was made for another ${name}: leave ${name} out, or ask again without the cursor`);
    }
  }
  return found.data;
}
