/** No escape that is looked for is longer: a colour of a terminal and its background, its first character escaped too. */
const LONGEST = 64;

/**
 * A character as JSON, a repr or a printf writes it, one of an address, or what a terminal takes for a command, as it is
 * or escaped itself. Each ends with a letter or a digit.
 */
const ESCAPE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals begin their commands with one
  /(?:\\(?:[abefnrtv]|[0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})|%[\da-fA-F]{2}|(?:\u001b|\\(?:u001[bB]|x1[bB]|033|e))\[[\d;:]{0,48}[A-Za-z])$/;

/** Whether an escape ends right before a place in a text: the letter or digit there is part of no word. */
export function isBehindEscape(text: string, at: number): boolean {
  return ESCAPE.test(text.slice(Math.max(0, at - LONGEST), at));
}
