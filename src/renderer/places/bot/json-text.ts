import { inexactNumber, inexactText } from '../../../isomorphic/inexact-number.ts';

/** What is wrong with a JSON text, in one line; null when nothing is, and it will be stored as it is written. */
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
