import { isControl } from './disguise-signs.ts';
import { COLOUR } from './escape-patterns.ts';

/**
 * A text as a reader would see it: without invisible characters, with escapes resolved. Each character has its origin
 * in the text.
 */
export interface UnescapedText {
  readonly text: string;
  /** Position in the text at which the origin of a character begins, and where it ends. */
  start(index: number): number;
  end(index: number): number;
}

/** Characters without which a text is its own view: control characters, everything beyond ASCII, escapes. */
const UNSEEN = String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\uffff\\]`;
const SIGNS = new RegExp(`${UNSEEN}|%[2-7c-fu]|&(?:#|\\w{2,14};)`, 'i');

/** Limit of text characters per character of the view: `\U00000061`, its backslash doubled three times. */
export const LONGEST_UNIT = 18;

/** Limit of nested encodings that are resolved: `%2526#112;`. */
const DEPTH = 3;

const COLOUR_HERE = new RegExp(COLOUR, 'y');
/** A command to a terminal that is no colour: a title, a link, the choice of a character set. */
const ESC = String.fromCharCode(27);
const BACKSPACE = 8;
const BELL = String.fromCharCode(7);
const COMMAND_HERE = new RegExp(
  `${ESC}(?:\\][^${BELL}${ESC}]{0,256}(?:${BELL}|${ESC}\\\\)|[()][0-9A-B]|\\[[0-9;?<=>!]{0,48}[@-~]|[@-Z\\\\^_=>])`,
  'y',
);
/** The same with the one character that stands for an escape and a bracket. */
const C1_COLOUR_HERE = new RegExp(`${String.fromCharCode(0x9b)}[0-9;:]{0,48}[@-~]`, 'y');
const ESCAPE_HERE =
  /\\+(?:[xX]\{?([\da-fA-F]{2})\}?|u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-3]?[0-7]{2}|0))/y;
/** The first of a character's bytes; the following ones are recognised by it. */
const PERCENT_FIRST = /%[2-7c-fu]/iy;
const PERCENT_HERE = /%(?:u([\da-fA-F]{4})|([\da-fA-F]{2}))/y;
const ENTITY_HERE =
  /&(?:#0{0,6}(\d{1,7});?|#[xX]0{0,6}([\da-fA-F]{1,6});?|(amp|lt|gt|quot|apos|shy|zwnj|zwj|lrm|rlm|ZeroWidthSpace|NoBreak);)/y;

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  shy: '\u00ad',
  zwnj: '\u200c',
  zwj: '\u200d',
  lrm: '\u200e',
  rlm: '\u200f',
  ZeroWidthSpace: '\u200b',
  NoBreak: '\u2060',
};

/**
 * Invisible characters: joiners, direction marks, soft hyphens, combining marks, variation selectors, control
 * characters.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{M}\p{Cf}]/u;

/** Letters of other scripts that look like Latin ones. */
const LOOKALIKES = new Map(
  [...'АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναɡı'].map((c, i) => [
    c.charCodeAt(0),
    [...'ABESIJKMHOPCTYXaesijopcyxhdqwABEZHIKMNOPTYXovagi'][i] ?? c,
  ]),
);

/** Returns the visible form of a character beyond ASCII; empty for an invisible one. */
function seenOf(code: number): string {
  if (isControl(code) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return '';
  const seen = String.fromCodePoint(code);
  return INVISIBLE.test(seen) ? '' : (LOOKALIKES.get(code) ?? seen.normalize('NFKC'));
}

/** Limit of cached characters: a language has few. */
const MOST_KEPT = 4096;
const kept = new Map<number, string>();

function keptSeenOf(code: number): string {
  const known = kept.get(code);
  if (known !== undefined) return known;
  if (kept.size === MOST_KEPT) kept.clear();
  const seen = seenOf(code);
  kept.set(code, seen);
  return seen;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Returns the size of the UTF-8 character that begins with this byte, or 0 for none. */
const sizeOf = (byte: number): number => (byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0);

/** A view under construction: its characters and the origin of each. */
class Builder {
  #codes = new Uint16Array(1024);
  #starts = new Uint32Array(1024);
  #ends = new Uint32Array(1024);
  #length = 0;

  /** Begins a view of at most this many characters, and discards the last one. */
  begin(most: number): void {
    this.#length = 0;
    if (most <= this.#codes.length) return;
    this.#codes = new Uint16Array(most);
    this.#starts = new Uint32Array(most);
    this.#ends = new Uint32Array(most);
  }

  /** Adds one unit of UTF-16. */
  unit(code: number, start: number, end: number): void {
    this.#codes[this.#length] = code;
    this.#starts[this.#length] = start;
    this.#ends[this.#length++] = end;
  }

  /** Extends the last character to here, as more of the text shows only that character. */
  widen(end: number): void {
    if (this.#length > 0) this.#ends[this.#length - 1] = end;
  }

  /** Adds a part of a text that is seen as it is. */
  run(text: string, from: number, to: number): void {
    const codes = this.#codes;
    const starts = this.#starts;
    const ends = this.#ends;
    let length = this.#length;
    for (let at = from; at < to; at++) {
      codes[length] = text.charCodeAt(at);
      starts[length] = at;
      ends[length++] = at + 1;
    }
    this.#length = length;
  }

  /** Adds a character by its code, unless it is invisible. */
  character(code: number, start: number, end: number): void {
    if (code < 128) {
      if (!isControl(code)) this.unit(code, start, end);
      return;
    }
    const seen = keptSeenOf(code);
    const shown = seen.length <= Math.max(1, end - start) ? seen : String.fromCodePoint(code);
    for (let i = 0; i < shown.length; i++) this.unit(shown.charCodeAt(i), start, end);
  }

  /** Returns the finished view, with positions translated through the view below. */
  view(below: UnescapedText | null): UnescapedText {
    const starts = this.#starts;
    const ends = this.#ends;
    const text = Buffer.from(this.#codes.buffer, 0, this.#length * 2).toString('utf16le');
    return {
      text,
      start: (index) => below?.start(starts[index] ?? 0) ?? starts[index] ?? 0,
      end: (index) => below?.end((ends[index] ?? 1) - 1) ?? ends[index] ?? 0,
    };
  }
}

/** Returns the code of an escape from its groups; the last of them may be octal. */
function escapedCode(match: RegExpExecArray): number {
  const [, ...groups] = match;
  const octal = match.length === 6 ? groups[4] : undefined;
  return octal === undefined
    ? Number.parseInt(groups.find((group) => group !== undefined) ?? '', 16)
    : Number.parseInt(octal, 8);
}

/**
 * Adds the character that an escape begins, which may be the first byte of several, each escaped in the same way.
 * Returns its end.
 */
function addEscaped(out: Builder, text: string, pattern: RegExp, match: RegExpExecArray): number {
  const { index } = match;
  let end = index + match[0].length;
  const first = escapedCode(match);
  const size = first < 256 ? sizeOf(first) : 0;
  const bytes = [first];
  for (let at = end; bytes.length < size; ) {
    const next = matchAt(pattern, text, at);
    const code = next === null ? 0 : escapedCode(next);
    if (next === null || (code & 0xc0) !== 0x80 || code > 255) break;
    bytes.push(code);
    at += next[0].length;
    if (bytes.length < size) continue;
    end = at;
    out.character(Buffer.from(bytes).toString().codePointAt(0) ?? 0, index, end);
    return end;
  }
  // Half of a character beyond the first plane is followed by the other half.
  if (first >= 0xd800 && first < 0xe000) out.unit(first, index, end);
  else out.character(first, index, end);
  return end;
}

function entityCode(match: RegExpExecArray): number {
  if (match[1] !== undefined) return Number(match[1]);
  if (match[2] !== undefined) return Number.parseInt(match[2], 16);
  return NAMED[match[3] ?? '']?.charCodeAt(0) ?? 0;
}

/** Characters that follow the backslashes of an escape with more than a letter. */
const ESCAPED = new Set([...'xXuUe01234567'].map((letter) => letter.charCodeAt(0)));

/** Adds the meaning of a text that begins with a backslash or an escape character, and returns its end. */
function addBackslash(out: Builder, text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === 92) end += 1;
  const next = text.charCodeAt(end);
  if (ESCAPED.has(next)) {
    const colour = matchAt(COLOUR_HERE, text, at);
    if (colour !== null) return at + colour[0].length;
    const match = matchAt(ESCAPE_HERE, text, at);
    if (match !== null) return addEscaped(out, text, ESCAPE_HERE, match);
  }
  // No reader sees the backslashes, or the line end that the last one may escape.
  if (next !== 110 && next !== 114 && next !== 116) return end;
  out.unit(32, at, end + 1);
  return end + 1;
}

/** Adds the visible part of the unit at a place, and returns its end. */
function addUnit(out: Builder, text: string, at: number, code: number): number {
  if (code === 92) return addBackslash(out, text, at);
  if (code === 27 || code === 0x9b) {
    const command =
      code === 27
        ? (matchAt(COLOUR_HERE, text, at) ?? matchAt(COMMAND_HERE, text, at))
        : matchAt(C1_COLOUR_HERE, text, at);
    return at + (command?.[0].length ?? 1);
  }
  if (code === 37) {
    const match = matchAt(PERCENT_FIRST, text, at) === null ? null : matchAt(PERCENT_HERE, text, at);
    if (match !== null) return addEscaped(out, text, PERCENT_HERE, match);
  }
  if (code === 38) {
    const match = matchAt(ENTITY_HERE, text, at);
    if (match !== null) {
      const end = at + match[0].length;
      out.character(entityCode(match), at, end);
      return end;
    }
  }
  if (code === BACKSPACE && at > 0 && text.charCodeAt(at + 1) === text.charCodeAt(at - 1)) {
    // Printed over itself, as manuals show bold text.
    out.widen(at + 2);
    return at + 2;
  }
  if (code < 128) {
    if (!isControl(code)) out.unit(code, at, at + 1);
    return at + 1;
  }
  const point = text.codePointAt(at) ?? 0;
  const end = at + (point > 0xffff ? 2 : 1);
  out.character(point, at, end);
  return end;
}

/** Characters that cannot begin anything that looks different from what is written. */
const PLAIN = Uint8Array.from({ length: 0x10000 }, (_, code) =>
  code < 128 && !isControl(code) && code !== 37 && code !== 38 && code !== 92 ? 1 : 0,
);

const builders = Array.from({ length: DEPTH }, () => new Builder());

function build(text: string, depth: number, below: UnescapedText | null): UnescapedText {
  const out = builders[depth] ?? new Builder();
  out.begin(text.length);
  for (let at = 0; at < text.length; ) {
    const from = at;
    while (at < text.length && PLAIN[text.charCodeAt(at)] === 1) at += 1;
    if (at > from) out.run(text, from, at);
    else at = addUnit(out, text, at, text.charCodeAt(at));
  }
  return out.view(below);
}

/**
 * Returns the view of a text, or null if nothing in it is invisible or escaped. Its positions are valid until the next
 * call.
 */
export function unescapedOf(text: string): UnescapedText | null {
  if (!SIGNS.test(text)) return null;
  let view = build(text, 0, null);
  for (let depth = 1; depth < DEPTH && SIGNS.test(view.text); depth++) {
    const deeper = build(view.text, depth, view);
    if (deeper.text === view.text) break;
    view = deeper;
  }
  return view.text === text ? null : view;
}
