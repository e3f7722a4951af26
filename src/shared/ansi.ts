/** The colours that escape sequences may ask for; palettes and true colours are brought down to these, which every theme has. */
export const ANSI_HUES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
export type AnsiHue = (typeof ANSI_HUES)[number];

/** Style of a stretch of text. */
export interface AnsiStyle {
  readonly fg: AnsiHue | null;
  readonly bg: AnsiHue | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
  readonly inverse: boolean;
}

/** Text without escape sequences, and its style; null is plain. */
export interface AnsiSpan {
  readonly text: string;
  readonly style: AnsiStyle | null;
}

const PLAIN: AnsiStyle = {
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
};

// CSI sequences, strings for the terminal (OSC, DCS, …) up to their end, two-character escapes, and other control characters
// except tabs and new lines.
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /\u001b\[([0-?]*)([ -/]*[@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]?|[\u0000-\u0008\u000b-\u001f\u007f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const ANY = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** Text as spans: colours become styles, every other sequence is left out. */
export function parseAnsi(text: string): AnsiSpan[] {
  if (!ANY.test(text)) return [{ text, style: null }];
  const spans: AnsiSpan[] = [];
  let style = PLAIN;
  let from = 0;
  const add = (to: number): void => {
    if (to === from) return;
    const last = spans.at(-1);
    const shown = isPlain(style) ? null : style;
    const part = text.slice(from, to);
    if (last !== undefined && last.style === shown) spans[spans.length - 1] = { text: last.text + part, style: shown };
    else spans.push({ text: part, style: shown });
  };
  for (const found of text.matchAll(SEQUENCE)) {
    add(found.index);
    from = found.index + found[0].length;
    if (found[2] === 'm') style = applied(style, found[1] ?? '');
  }
  add(text.length);
  return spans.length === 0 ? [{ text: '', style: null }] : spans;
}

/** Text without any escape sequence. */
export function stripAnsi(text: string): string {
  return ANY.test(text) ? text.replace(SEQUENCE, '') : text;
}

function isPlain(style: AnsiStyle): boolean {
  const { fg, bg, ...flags } = style;
  return fg === null && bg === null && !Object.values(flags).includes(true);
}

function applied(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/).map((one) => (one === '' ? 0 : Number(one)));
  let style = before;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const [hue, used] = extended(codes, i + 1);
      if (hue !== undefined) style = code === 38 ? { ...style, fg: hue } : { ...style, bg: hue };
      i += used;
    } else style = simple(style, code);
  }
  return isPlain(style) ? PLAIN : style;
}

function simple(style: AnsiStyle, code: number): AnsiStyle {
  if (code >= 30 && code <= 37) return { ...style, fg: hueAt(code - 30) };
  if (code >= 40 && code <= 47) return { ...style, bg: hueAt(code - 40) };
  if (code >= 90 && code <= 97) return { ...style, fg: hueAt(code - 90) };
  if (code >= 100 && code <= 107) return { ...style, bg: hueAt(code - 100) };
  const change = FLAGS[code];
  return change === undefined ? style : { ...style, ...change };
}

const FLAGS: Readonly<Record<number, Partial<AnsiStyle>>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { fg: null },
  49: { bg: null },
};

const hueAt = (index: number): AnsiHue => ANSI_HUES[index] ?? 'white';

/** `5;n` or `2;r;g;b` after 38 or 48: the nearest hue and how many codes it took. */
function extended(codes: readonly number[], at: number): readonly [AnsiHue | undefined, number] {
  const [kind, a = 0, b = 0, c = 0] = codes.slice(at, at + 4);
  if (kind === 2) return [nearest(a, b, c), 4];
  if (kind !== 5) return [undefined, kind === undefined ? 0 : 1];
  if (a < 16) return [hueAt(a % 8), 2];
  if (a >= 232) return [a < 244 ? 'black' : 'white', 2];
  const level = (n: number): number => (n === 0 ? 0 : 55 + n * 40);
  const cube = a - 16;
  return [nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)), 2];
}

function nearest(red: number, green: number, blue: number): AnsiHue {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most < 128 ? 'black' : 'white';
  const half = most * 0.6;
  return hueAt((red > half ? 1 : 0) + (green > half ? 2 : 0) + (blue > half ? 4 : 0));
}
