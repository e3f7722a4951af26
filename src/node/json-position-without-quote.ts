/**
 * The position at which a text stops being JSON, as ` at position 3 (line 1 column 4)`; empty if the error names none.
 * Shown instead of the error's own message, which quotes a piece of the text: a piece of a secret cannot be masked.
 */
export function jsonErrorPosition(error: SyntaxError): string {
  const place = / at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message);
  return place?.[0] ?? '';
}
