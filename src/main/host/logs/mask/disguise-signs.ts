/**
 * Signs in bytes that a text may look different from what is written (unescaped-text.ts). A text without a sign at a letter or
 * digit cannot hide a part of a value: colours around words, texts in other languages and quotes in JSON are no signs.
 */
const ESC = 27;
export const BACKSLASH = 92;
const BRACKET = 91;
const PERCENT = 37;
const AMPERSAND = 38;
const ESC_OF_C1 = 0x9b;
/** Limit of a command for a terminal that is skipped: an address in a link. */
const LONGEST_COMMAND = 256;

const ALNUM = Uint8Array.from({ length: 256 }, (_, byte) => (/[A-Za-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0));
export const isAlnum = (byte: number | undefined): boolean => ALNUM[byte ?? 0] === 1;
/** Letters, digits, and characters that passwords have between them and other texts seldom have beside a colour. */
const INSIDE = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9!#$&*?@^_~]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
export const isInside = (byte: number | undefined): boolean => INSIDE[byte ?? 0] === 1;
/** First byte from which a character may be a letter in another width, and a sign at any place. */
export const WIDE = 0xef;

/** True for quotes, line ends, tabs and backslashes of JSON, whose escapes mean the same in any text. */
export const isJsonEscape = (next: number | undefined): boolean =>
  next === 34 || next === 110 || next === BACKSLASH || next === 116 || next === 114;

export const isControl = (code: number): boolean =>
  (code < 32 && code !== 9 && code !== 10 && code !== 13) || (code >= 127 && code < 160);

/** First bytes of characters that are invisible, or that look like a letter of ASCII. */
const LEADS = new Set([0xc2, 0xc4, 0xc9, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd1, 0xd2, 0xd4, 0xe1, 0xe2, 0xef, 0xf0, 0xf3]);

/** 1 for each byte that may be a sign; 0 for bytes that never are. */
export const MAY_BE_SIGN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === BACKSLASH || byte === PERCENT || byte === AMPERSAND || (byte < 128 && isControl(byte)) || LEADS.has(byte)
    ? 1
    : 0,
);

const hexDigit = (byte: number | undefined): number => {
  const code = byte ?? 0;
  if (code >= 48 && code <= 57) return code - 48;
  const folded = code | 32;
  return folded >= 97 && folded <= 102 ? folded - 87 : -1;
};

/** Returns the number of so many hex digits at a place, or -1. */
function hexAt(buf: Uint8Array, at: number, digits: number): number {
  let number = 0;
  for (let i = 0; i < digits; i++) {
    const digit = hexDigit(buf[at + i]);
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

/**
 * True if a character, by its code, is invisible or looks like a letter of ASCII: combining marks, Greek, Cyrillic,
 * wide forms.
 */
const isOtherwise = (code: number): boolean =>
  code === 0xad ||
  code === 0x131 ||
  code === 0x261 ||
  (code >= 0x300 && code < 0x370) ||
  (code >= 0x391 && code < 0x530) ||
  (code >= 0x200b && code < 0x2010) ||
  (code >= 0x202a && code < 0x2030) ||
  (code >= 0x2060 && code < 0x2070) ||
  (code >= 0x2100 && code < 0x2150) ||
  (code >= 0x2460 && code < 0x2500) ||
  (code >= 0xfe00 && code < 0xfe10) ||
  code === 0xfeff ||
  isWide(code) ||
  (code >= 0xd835 && code < 0xd836);

/** True for full-width letters and digits, whose punctuation is that of Chinese and Japanese texts. */
const isWide = (code: number): boolean =>
  (code >= 0xff10 && code <= 0xff19) || (code >= 0xff21 && code <= 0xff3a) || (code >= 0xff41 && code <= 0xff5a);

const isAlnumCode = (code: number): boolean => code < 128 && isAlnum(code);

/** True if the character of an escape is a sign that the text around it looks different from what is written. */
function isEscaped(buf: Uint8Array, at: number, end: number, code: number): boolean {
  if (code < 0) return false;
  if (isAlnumCode(code) || isOtherwise(code)) return true;
  const before = beforeBackslashes(buf, at);
  if (code < 128) return isControl(code) && isEscapedWithin(buf, before, end);
  return isAlnum(buf[before - 1]) && isAlnum(buf[end]);
}

function isEscapeSign(buf: Uint8Array, at: number): boolean {
  const next = buf[at + 1] ?? 0;
  if (isJsonEscape(next)) return false;
  const folded = next | 32;
  if (folded === 120) {
    const braces = buf[at + 2] === 123 ? 1 : 0;
    const code = hexAt(buf, at + 2 + braces, 2);
    // The first byte of a character: the others follow, escaped as well.
    return isEscaped(buf, at, at + 4 + 2 * braces, code) || code > 0xc1;
  }
  if (folded === 117) {
    if (buf[at + 2] === 123) return true;
    return next === 85 ? hexAt(buf, at + 2, 8) >= 0 : isEscaped(buf, at, at + 6, hexAt(buf, at + 2, 4));
  }
  if (next === 101) return isEscapedWithin(buf, beforeBackslashes(buf, at), at + 2);
  if (next >= 48 && next < 56) {
    const isLong = hexAt(buf, at + 2, 1) >= 0;
    return isLong ? hexAt(buf, at + 2, 2) !== 0x33 || isEscapedWithin(buf, at, at + 4) : isAlnum(buf[at - 1]);
  }
  return next > 32 && next < 127 && !isAlnum(next) && isAlnum(buf[at - 1]) && isAlnum(buf[at + 2]);
}

function isPercentSign(buf: Uint8Array, at: number): boolean {
  if (((buf[at + 1] ?? 0) | 32) === 117) return hexAt(buf, at + 2, 4) >= 0;
  const code = hexAt(buf, at + 1, 2);
  return isAlnumCode(code) || code === PERCENT || code === 0xe2 || code === 0xef || code === 0xf0;
}

const INVISIBLE_NAMES = ['shy;', 'zwnj;', 'zwj;', 'zerowidthspace;', 'nobreak;', 'lrm;', 'rlm;'].map((name) =>
  Buffer.from(name),
);

function standsAt(buf: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (((buf[at + i] ?? 0) | 32) !== ((word[i] ?? 0) | 32)) return false;
  return true;
}

const AMP = Buffer.from('amp;');

function isEntitySign(buf: Uint8Array, at: number): boolean {
  if (buf[at + 1] === 35) return true;
  if (standsAt(buf, at + 1, AMP)) return buf[at + 5] === 35;
  if (!isAlnum(buf[at - 1])) return false;
  for (const name of INVISIBLE_NAMES) if (standsAt(buf, at + 1, name)) return true;
  return false;
}

/** Returns the end of a command to a terminal whose first character ends at a place. */
function commandEnd(buf: Uint8Array, from: number): number {
  let at = from;
  const first = buf[at] ?? 0;
  if (first === 93) {
    const most = at + LONGEST_COMMAND;
    while (at < most && buf[at] !== 7 && buf[at] !== ESC && buf[at] !== 10) at += 1;
    return at + (buf[at] === ESC ? 2 : 1);
  }
  if (first !== BRACKET) return at + 1;
  at += 1;
  while ((buf[at] ?? 0) >= 32 && (buf[at] ?? 0) < 64) at += 1;
  return at + 1;
}

/** Characters that belong to no word and begin nothing invisible. */
const BESIDE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 127 && !isControl(byte) && !isInside(byte) ? 1 : 0,
);

/**
 * True if a word certainly ends where a colour begins, as before most colours that restore the default. A few bytes
 * decide.
 */
export function isColourBehindWord(buf: Uint8Array, at: number): boolean {
  if (buf[at] !== ESC || buf[at + 1] !== BRACKET) return false;
  let end = at + 2;
  while ((buf[end] as number) > 47 && (buf[end] as number) < 60) end += 1;
  return (buf[end] as number) > 63 && BESIDE[buf[end + 1] as number] === 1;
}

/** Returns the place behind adjacent commands and other control characters. */
function behindControls(buf: Uint8Array, from: number): number {
  let at = from;
  for (const most = from + LONGEST_COMMAND; at < most; ) {
    const byte = buf[at] ?? 10;
    if (byte === ESC) at = commandEnd(buf, at + 1);
    else if (byte === 0xc2 && (buf[at + 1] ?? 0) < 0xa0)
      at = buf[at + 1] === ESC_OF_C1 ? commandEnd(buf, at + 1) : at + 2;
    else if (byte < 128 && isControl(byte)) at += 1;
    else return at;
  }
  return at;
}

/** Returns the start of colours that end before a place, or the place itself. */
function beforeColours(buf: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    if (!isAlnum(buf[at - 1])) return at;
    let start = at - 2;
    while ((buf[start] ?? 0) >= 48 && (buf[start] ?? 0) < 60) start -= 1;
    if (buf[start] !== BRACKET || buf[start - 1] !== ESC) return at;
    at = start - 1;
  }
}

/** True if the bytes from one place to another are within a word. */
const isWithin = (buf: Uint8Array, at: number, end: number): boolean =>
  isInside(buf[at - 1]) && isInside(buf[behindControls(buf, end)]) && isInside(buf[beforeColours(buf, at) - 1]);

/** True if an escaped control character, which may begin a command, is within a word. */
const isEscapedWithin = (buf: Uint8Array, at: number, end: number): boolean =>
  isWithin(buf, at, buf[end] === BRACKET ? commandEnd(buf, end) : end);

/** Returns the place before backslashes. */
function beforeBackslashes(buf: Uint8Array, from: number): number {
  let at = from;
  while (buf[at - 1] === BACKSLASH) at -= 1;
  return at;
}

/**
 * True for a character of several bytes that is invisible or looks like another one, and touches a letter or digit or is one in
 * another width.
 */
function isWideSign(buf: Uint8Array, at: number): boolean {
  const lead = buf[at] ?? 0;
  const second = buf[at + 1] ?? 0;
  const third = buf[at + 2] ?? 0;
  if (lead === 0xf0) return second === 0x9d;
  if (lead === 0xf3) return isAlnum(buf[at - 1]);
  const code =
    lead < 0xe0 ? ((lead & 31) << 6) | (second & 63) : ((lead & 15) << 12) | ((second & 63) << 6) | (third & 63);
  if (isWide(code)) return true;
  // Wide signs before wide letters: of adjacent characters only the first one is examined.
  if (code > 0xff00 && code < 0xff5f && buf[at + 3] === WIDE) return isWideSign(buf, at + 3);
  if (!isAlnum(buf[at - 1])) return false;
  return lead === 0xc2 && code < 0xa0 ? isWithin(buf, at, at) : isOtherwise(code);
}

/** True if a sign stands at a place. */
export function isSignAt(buf: Uint8Array, at: number): boolean {
  const byte = buf[at] ?? 0;
  if (byte > 127) return isWideSign(buf, at);
  if (byte === BACKSLASH) return isEscapeSign(buf, at);
  if (byte === PERCENT) return isPercentSign(buf, at);
  if (byte === AMPERSAND) return isEntitySign(buf, at);
  // A title or a link is seldom beside a word.
  return isWithin(buf, at, at) || (byte === ESC && buf[at + 1] === 93 && isInside(buf[at - 1]));
}
