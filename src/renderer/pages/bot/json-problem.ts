import { inexactNumber, inexactText } from '../../../shared/inexact-number.ts';

/** The problem of a JSON text, in one line; null if it is valid and will be stored exactly as written. */
export function problemOfJson(text: string): string | null {
  if (text.trim() === '') return 'A JSON value is needed, for example null';
  try {
    JSON.parse(text);
    const token = inexactNumber(text);
    return token === null ? null : inexactText(token);
  } catch (error) {
    return `Not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
