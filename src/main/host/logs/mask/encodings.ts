import { viewOf } from './view.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
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

function base32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(held >> (bits - 5)) & 31];
  }
  return text;
}

/** As base64Cores, at the five positions of base32. */
function base32Cores(bytes: Buffer): string[] {
  return [0, 1, 2, 3, 4].map((shift) =>
    base32(Buffer.concat([Buffer.alloc(shift), bytes])).slice(Math.ceil((shift * 8) / 5)),
  );
}

function base58(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = `${BASE58[Number(number % 58n)]}${text}`;
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

const rotated = (text: string, from: number, count: number, letters: RegExp): string =>
  text.replaceAll(letters, (c) => String.fromCharCode(from + ((c.charCodeAt(0) - from + count / 2) % count)));

const rot13 = (text: string): string => rotated(rotated(text, 97, 26, /[a-z]/g), 65, 26, /[A-Z]/g);

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
  // The quotes at its ends may be those of the text around it.
  value.replaceAll('"', '""').replaceAll(/^"+|"+$/g, ''),
];

/** Reversed or rotated, a word may become another word: only long values, or non-words, stay unmistakable. */
export const isNoWord = (value: string): boolean =>
  value.length >= 16 || (value.length >= 8 && /[^A-Za-z]/.test(value));

/** UTF-16 bytes misread as UTF-8, which loses everything but ASCII. */
const misread = (bytes: Buffer): string => {
  const text = bytes.toString('utf8');
  return viewOf(text)?.text ?? text;
};

/** In other cases, where case is more than a bit of ASCII: that is compared in any. */
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
  const changed = isNoWord(value)
    ? [[...value].reverse().join(''), rot13(value), rotated(value, 33, 94, /[!-~]/g)]
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
    ...base32Cores(bytes),
    base58(bytes),
    base85(bytes, (index) => BASE85[index] ?? ''),
    base85(bytes, (index) => String.fromCharCode(33 + index)),
    ...base64Cores(wide),
    bigEndian.toString('base64').replace(/.=*$/, ''),
    wide.toString('hex').slice(0, -2),
    ...[...new Set(base64)].flatMap((core) => base64Cores(Buffer.from(core))),
    ...base64Cores(Buffer.from(hex)),
    ...[...new Set(base64)].map((core) => Buffer.from(core).toString('hex')),
  ];
}
