/** A terminal command such as a colour, raw or escaped, as the source of a pattern. */
export const COLOUR = '(?:\\u001b|\\\\{1,7}(?:u001[bB]|x1[bB]|033|e))\\[[\\d;:]{0,48}[A-Za-z]';

/**
 * An escape that ends with a letter or a digit, as the source of a pattern: a character as JSON, a repr or a printf writes
 * it, one of an address, or a command for a terminal.
 */
export const ESCAPE = `(?:\\\\(?:[abefnrtv]|[0-7]{1,3}|x[\\da-fA-F]{2}|u[\\da-fA-F]{4}|U[\\da-fA-F]{8})|%[\\da-fA-F]{2}|${COLOUR})`;

/** Returns the source of a pattern for escaped characters, by their codes: two digits in hex, three in octal. */
export const escapedAs = (hex: string, octal: string): string =>
  `(?:%${hex}|\\\\{1,7}(?:(?:u00|U000000|x)${hex}|${octal}))`;

/** Limit above the length of any escape: a colour of a terminal and its background, its first character escaped as well. */
export const LONGEST_ESCAPE = 64;
const AT_END = new RegExp(`${ESCAPE}$`);

/** True if an escape ends right before a place in a text: its last letter or digit belongs to no word. */
export function isBehindEscape(text: string, at: number): boolean {
  return AT_END.test(text.slice(Math.max(0, at - LONGEST_ESCAPE), at));
}

/** Limit above the length of an escape of one character: `\\U00000061`. */
const LONGEST_CHARACTER = 12;

const isCodeOrSeparator = (code: number): boolean => code >= 48 && code <= 59;

/**
 * True if an escape may end right before a place in bytes. A few bytes decide, at nearly no cost, so it may be true for
 * other texts too.
 */
export function maybeBehindEscape(bytes: Uint8Array, at: number): boolean {
  for (let i = at - 1; i >= 0 && i >= at - LONGEST_CHARACTER; i--) {
    const code = bytes[i] as number;
    if (code === 92 || code === 37 || code === 27) return true;
  }
  // Before the letter of a colour are its numbers, and before those a bracket.
  let i = at - 2;
  while (i >= 0 && i >= at - LONGEST_ESCAPE && isCodeOrSeparator(bytes[i] as number)) i -= 1;
  return bytes[i] === 91;
}
