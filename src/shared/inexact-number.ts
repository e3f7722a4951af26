/** Strings are skipped: digits in them are kept as they are. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * The first number of a JSON text that a double cannot hold as written, or null: an integer beyond 2^53 - 1, which
 * would lose its last digits, or a number too large for any double.
 */
export function inexactNumber(json: string): string | null {
  for (const [token] of json.matchAll(TOKENS)) {
    if (token.startsWith('"')) continue;
    const value = Number(token);
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(token)))
      return token;
  }
  return null;
}

/** Explains the loss of such a number. */
export function inexactText(token: string): string {
  const short = token.length > 40 ? `${token.slice(0, 40)}…` : token;
  return `${short} would lose its last digits: write it as text, in quotes`;
}
