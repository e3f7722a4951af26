/**
 * Characters beside C0 that a reader does not see, or that a terminal obeys: DEL, C1, line separators, and those that change
 * the direction of text, so that a line reads as another.
 */
const HIDDEN = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text of a bot with such characters written as `\u202e`: within JSON that is the same text. Colours and lines stay. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
