import { visible } from '../shared/visible-text.ts';

/** Control characters, as they must not reach a terminal: what a bot prints could move the cursor or fake a prompt. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Text that is safe to print on one line: control characters become visible, line ends become `⏎`. */
export function printable(text: string): string {
  return text.replaceAll(/\r?\n/g, '⏎').replaceAll(CONTROLS, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}

/** Foreign text for a terminal: all control characters become visible, except line ends and tabs. */
export function harmless(text: string): string {
  return visible(text).replaceAll(CONTROLS, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)));
}

/** Columns a text takes, near enough: emoji and CJK take two. */
export function width(text: string): number {
  let columns = 0;
  for (const char of text)
    columns += /\p{Extended_Pictographic}|\p{scx=Han}|\p{scx=Hang}|\p{scx=Kana}/u.test(char) ? 2 : 1;
  return columns;
}

/** Text of at most `columns`, with an ellipsis where it was cut. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let result = '';
  for (const char of text) {
    if (width(result + char) > columns - 1) break;
    result += char;
  }
  return `${result}…`;
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

/** Name of a style for painted text. */
export type Colour = keyof typeof STYLES;

/** Colours text where colours are wanted. */
export function paint(on: boolean, style: Colour, text: string): string {
  return on ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
}
