/** What a page hides without a trace, or obeys: controls, signs without width, and what turns the order of text around. */
const HIDDEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A name that somebody else gave, with such characters as `\u202e`: no file reads as another one. */
export function visibleName(name: string): string {
  return name.replaceAll(HIDDEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
