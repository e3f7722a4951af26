import { unescapedOf } from './unescaped-text.ts';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE32_HEX = '0123456789ABCDEFGHIJKLMNOPQRSTUV';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
/** Alphabets in which a value is written as one number. */
const NUMBERS = [
  `${DIGITS}${LOWER.toUpperCase()}${LOWER}`,
  `${DIGITS}${LOWER}${LOWER.toUpperCase()}`,
  `${LOWER.toUpperCase()}${LOWER}${DIGITS}`,
  `${DIGITS}${LOWER}`,
  DIGITS,
];
const Z85 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE85 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

/** Base64 at each of the three positions in a longer text, cut to the characters that these bytes alone decide. */
export function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const decided = (shift + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    const core = text.slice([0, 2, 3][shift], decided);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function base32(bytes: Buffer, alphabet: string): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
  }
  return text;
}

/** As base64Cores, at the five positions of base32. */
function base32Cores(bytes: Buffer, alphabet: string): string[] {
  return [0, 1, 2, 3, 4].map((shift) =>
    base32(Buffer.concat([Buffer.alloc(shift), bytes]), alphabet).slice(Math.ceil((shift * 8) / 5)),
  );
}

/** As one number in the base of this alphabet. */
function asNumber(bytes: Buffer, alphabet: string): string {
  const base = BigInt(alphabet.length);
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= base) text = `${alphabet[Number(number % base)]}${text}`;
  return text;
}

/** Base85 with these digits, cut to its whole groups of four bytes. */
function base85(bytes: Buffer, digit: (index: number) => string): string {
  let text = '';
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    let number = bytes.readUInt32BE(at);
    let group = '';
    for (let i = 0; i < 5; i++) {
      group = digit(number % 85) + group;
      number = Math.floor(number / 85);
    }
    text += group;
  }
  return text;
}

/** Lines of uuencode, each without the letter that says how long it is. */
function uuLines(bytes: Buffer): string[] {
  const lines: string[] = [];
  // The rest of a value in a last line of a few letters could be any text.
  for (let at = 0; at === 0 || at + 9 <= bytes.length; at += 45) {
    const text = bytes
      .subarray(at, at + 45)
      .toString('base64')
      .replaceAll('=', '');
    const letters = Array.from(text, (c) => String.fromCharCode(32 + BASE64.indexOf(c)));
    lines.push(letters.join(''), letters.join('').replaceAll(' ', '`'));
  }
  return lines;
}

/** In base64 three times, at all positions of the first one. */
const thrice = (value: string): string[] =>
  base64Cores(Buffer.from(value))
    .filter((core) => !/[-_]/.test(core))
    .map((core) =>
      Buffer.from(Buffer.from(core).toString('base64').replace(/.?=*$/, '')).toString('base64').replace(/.?=*$/, ''),
    );

const rotated = (text: string, from: number, count: number, letters: RegExp): string =>
  text.replaceAll(letters, (c) => String.fromCharCode(from + ((c.charCodeAt(0) - from + count / 2) % count)));

const rot13 = (text: string): string => rotated(rotated(text, 97, 26, /[a-z]/g), 65, 26, /[A-Z]/g);

const mirrored = (text: string, from: number, letters: RegExp): string =>
  text.replaceAll(letters, (c) => String.fromCharCode(2 * from + 25 - c.charCodeAt(0)));
const atbash = (text: string): string => mirrored(mirrored(text, 97, /[a-z]/g), 65, /[A-Z]/g);

const quotedPrintable = (value: string): string =>
  [...Buffer.from(value)]
    .map((byte) =>
      (byte > 32 && byte < 127 && byte !== 61) || byte === 32
        ? String.fromCharCode(byte)
        : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

/** A text in the quotes of a shell, of SQL and of CSV. */
const quoted = (value: string): string[] => [
  value.replaceAll("'", `'\\''`),
  value.replaceAll("'", `'"'"'`),
  value.replaceAll("'", "''"),
  value.replaceAll(/[^\w./-]/g, (c) => `\\${c}`),
  // The quotes at its ends may be those of the text around it.
  value.replaceAll('"', '""').replaceAll(/^"+|"+$/g, ''),
];

/** Reversed or rotated, a word may become another word: only long values, or non-words, stay unmistakable. */
export const isNoWord = (value: string): boolean =>
  value.length >= 16 || (value.length >= 8 && /[^A-Za-z]/.test(value));

/** UTF-16 bytes misread as UTF-8, which loses everything but ASCII. */
const misread = (bytes: Buffer): string => {
  const text = bytes.toString('utf8');
  return unescapedOf(text)?.text ?? text;
};

/** The value in other letter cases, unless it is pure ASCII: the comparison ignores the case of ASCII letters. */
function otherCases(value: string): string[] {
  if (Buffer.byteLength(value) === value.length) return [];
  const swapped = Array.from(value, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
  return [value.toUpperCase(), value.toLowerCase(), swapped];
}

/** The encoded forms of a value, unordered; each is partial where it depends on its surroundings. */
export function furtherEncodings(value: string): string[] {
  const bytes = Buffer.from(value);
  const wide = Buffer.from(value, 'utf16le');
  const bigEndian = Buffer.from(wide).swap16();
  const hex = bytes.toString('hex');
  const base64 = base64Cores(bytes);
  const backwards = [...value].reverse().join('');
  const utf32 = Buffer.from(
    [...value].flatMap((c) => [c.codePointAt(0) ?? 0, 0]).flatMap((code) => [code & 255, code >> 8]),
  );
  const changed = isNoWord(value)
    ? [backwards, rot13(value), rotated(rot13(value), 48, 10, /\d/g), atbash(value), rotated(value, 33, 94, /[!-~]/g)]
    : [];
  return [
    ...changed,
    ...quoted(value),
    quotedPrintable(value),
    ...otherCases(value),
    misread(wide),
    misread(bigEndian),
    value.normalize('NFD'),
    value.normalize('NFC'),
    ...base32Cores(bytes, BASE32),
    ...base32Cores(bytes, BASE32_HEX),
    ...[BASE58, ...NUMBERS].map((alphabet) => asNumber(bytes, alphabet)),
    base85(bytes, (index) => Z85[index] ?? ''),
    ...uuLines(bytes),
    base85(bytes, (index) => BASE85[index] ?? ''),
    base85(bytes, (index) => String.fromCharCode(33 + index)),
    ...base64Cores(wide),
    bigEndian.toString('base64').replace(/.=*$/, ''),
    wide.toString('hex').slice(0, -2),
    ...[...new Set(base64)].flatMap((core) => base64Cores(Buffer.from(core))),
    ...base64Cores(Buffer.from(hex)),
    ...thrice(value),
    ...base64Cores(Buffer.from(backwards)),
    Buffer.from(backwards).toString('hex'),
    Buffer.from(hex).toString('hex'),
    ...base64Cores(utf32),
    ...base64Cores(Buffer.from(encodeURIComponent(value))),
    ...[...new Set(base64)].map((core) => Buffer.from(core).toString('hex')),
  ];
}
