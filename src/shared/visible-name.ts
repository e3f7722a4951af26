/**
 * Characters that a page hides or obeys: controls, zero-width characters, and those that change the direction of text.
 */
const HIDDEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A name from elsewhere with such characters written as `\u202e`, so that no file name reads as another. */
export function visibleName(name: string): string {
  return name.replaceAll(HIDDEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
