/** What is wrong with a JSON text, in one line; null when nothing is. */
export function problemOfJson(text: string): string | null {
  if (text.trim() === '') return 'A JSON value is needed, for example null';
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return `Not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
