import { inspect } from 'node:util';
import type { SeededRandom } from './seeded-random.ts';

/**
 * Ways in which a program shows a text without meaning to hide it: encoders, loggers, dumps, terminals, mails. Written from
 * their documents, without a look at what masks them: it is what that is measured by.
 */
export interface Encoding {
  readonly name: string;
  /** The lines in which the value stands; most have one. */
  readonly lines: (value: string, random: SeededRandom) => readonly string[];
  /** It is for keys of printable ASCII, without blanks. */
  readonly ofKeys?: boolean;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGIT = '0123456789';
const ALNUM = `${LOWER}${UPPER}${DIGIT}`;
const HEX = `${DIGIT}abcdef`;

/** Secrets as people configure them: keys of 16 to 64 characters, and passwords with blanks, signs and other scripts. */
export function configuredSecret(r: SeededRandom): string {
  const word = (): string =>
    r.pick(['correct', 'Horse', 'battery', 'Staple', 'moon', 'Trader', 'größe', 'clé', 'winter', 'ключ', '鍵']);
  return r.pick([
    () => r.text(ALNUM, 16 + r.below(49)),
    () => r.text(HEX, r.pick([32, 40, 64])),
    () => `${r.text(`${ALNUM}+/`, 42)}=`,
    () => r.text(`${ALNUM}-_`, 16 + r.below(49)),
    () => r.text(`${UPPER}${DIGIT}`, 16 + r.below(17)),
    () => r.text(`${ALNUM}!#$%&*+-=?@^_~`, 16 + r.below(25)),
    () => `${word()} ${word()} ${word()} ${10 + r.below(9990)}`,
    () =>
      `${word()}${r.pick(['!', '$', '&', '#', '%', '"', "'", '\\'])}${r.text(ALNUM, 10)}${r.pick(['?', '/', '<', '>'])}7`,
  ])();
}

/** A secret of those that this encoding is for. */
export function secretFor(encoding: Encoding, r: SeededRandom): string {
  for (;;) {
    const secret = configuredSecret(r);
    if (encoding.ofKeys !== true || /^[!-~]+$/.test(secret)) return secret;
  }
}

const bytes = (value: string): number[] => [...Buffer.from(value)];
const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
const units = (value: string): number[] => Array.from({ length: value.length }, (_, i) => value.charCodeAt(i));
const u4 = (code: number): string => code.toString(16).padStart(4, '0');
const base64 = (text: string | Buffer): string => Buffer.from(text as string).toString('base64');
const percent = (text: string): string =>
  bytes(text)
    .map((byte) => `%${hex(byte).toUpperCase()}`)
    .join('');
const json = (text: string): string => JSON.stringify(text).slice(1, -1);

function base32(text: string): string {
  const bits = bytes(text)
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((five) => `${UPPER}234567`[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Each place between two characters, or some of them, filled. */
const between = (value: string, fill: (at: number) => string): string =>
  [...value].map((c, at) => (at === 0 ? c : `${fill(at)}${c}`)).join('');

const cut = (value: string, width: number): string[] => value.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? [];

const rot13 = (value: string): string =>
  [...value]
    .map((c) => {
      const at = ALNUM.slice(0, 52).indexOf(c);
      if (at < 0) return c;
      return at < 26 ? LOWER[(at + 13) % 26] : UPPER[(at - 13) % 26];
    })
    .join('');

const one = (name: string, encode: (value: string, random: SeededRandom) => string): Encoding => ({
  name,
  lines: (value, random) => [`${random.pick(['got ', '', 'value=', '[debug] x: "'])}${encode(value, random)}`],
});

const several = (name: string, lines: Encoding['lines']): Encoding => ({ name, lines });

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Those of one line. */
const ON_ONE_LINE: readonly Encoding[] = [
  one('as it is', (v) => v),
  one('hex', (v) => bytes(v).map(hex).join('')),
  one('hex, upper case', (v) => bytes(v).map(hex).join('').toUpperCase()),
  one('hex with blanks', (v) => bytes(v).map(hex).join(' ')),
  one('hex with colons', (v) => bytes(v).map(hex).join(':').toUpperCase()),
  one('hex with 0x', (v) =>
    bytes(v)
      .map((b) => `0x${hex(b)}`)
      .join(', '),
  ),
  one('hex in pairs, as dumps', (v) =>
    (
      bytes(v)
        .map(hex)
        .join('')
        .match(/.{1,4}/g) ?? []
    ).join(' '),
  ),
  one('a Buffer of Node', (v) => `<Buffer ${bytes(v).map(hex).join(' ')}>`),
  one('\\x', (v) =>
    bytes(v)
      .map((b) => `\\x${hex(b)}`)
      .join(''),
  ),
  one('octal escapes', (v) =>
    bytes(v)
      .map((b) => `\\${b.toString(8).padStart(3, '0')}`)
      .join(''),
  ),
  one('bits', (v) =>
    bytes(v)
      .map((b) => b.toString(2).padStart(8, '0'))
      .join(' '),
  ),
  one('codes in a list', (v) => `[${bytes(v).join(', ')}]`),
  one('codes without blanks', (v) => `{"type":"Buffer","data":[${bytes(v).join(',')}]}`),
  one('base64', (v) => base64(v)),
  one('base64 behind one byte', (v) => base64(`:${v}`)),
  one('base64 behind two bytes', (v) => base64(`u:${v}`)),
  one('base64 of user and password', (v) => `Proxy ${base64(`trader:${v}`)}`),
  one('base64url without padding', (v) => Buffer.from(v).toString('base64url')),
  one('base64 twice', (v) => base64(base64(v))),
  one('base64 of UTF-16', (v) => base64(Buffer.from(v, 'utf16le'))),
  one('base64 of hex', (v) => base64(bytes(v).map(hex).join(''))),
  one('hex of base64', (v) => bytes(base64(v)).map(hex).join('')),
  one('base64 in an address', (v) => encodeURIComponent(base64(v))),
  one(
    'a JSON web token',
    (v) =>
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ k: v })).toString('base64url')}.`,
  ),
  one('base32', (v) => base32(v)),
  one('base32, lower case', (v) => base32(v).toLowerCase()),
  one('percent, as addresses need it', (v) => encodeURIComponent(v)),
  one('percent, all of it', (v) => percent(v)),
  one('percent, all of it, lower case', (v) => percent(v).toLowerCase()),
  one('percent, some of it', (v, r) => [...v].map((c) => (r.below(3) === 0 || c === '%' ? percent(c) : c)).join('')),
  one('percent twice', (v) => encodeURIComponent(percent(v))),
  one('a form', (v) => new URLSearchParams({ v }).toString()),
  one('user info of an address', (v) => `https://bot:${encodeURIComponent(v)}@example.com/`),
  one('\\u', (v) =>
    units(v)
      .map((c) => `\\u${u4(c)}`)
      .join(''),
  ),
  one('\\u, upper case', (v) =>
    units(v)
      .map((c) => `\\u${u4(c).toUpperCase()}`)
      .join(''),
  ),
  one('\\u, some of it', (v, r) =>
    units(v)
      .map((c) => (r.below(3) === 0 || c === 92 ? `\\u${u4(c)}` : String.fromCharCode(c)))
      .join(''),
  ),
  one('\\u{}', (v) => [...v].map((c) => `\\u{${c.codePointAt(0)?.toString(16)}}`).join('')),
  one('\\U', (v) => [...v].map((c) => `\\U${c.codePointAt(0)?.toString(16).padStart(8, '0')}`).join('')),
  one('JSON', (v) => JSON.stringify({ v })),
  one('JSON in JSON', (v) => JSON.stringify({ a: JSON.stringify({ v }) })),
  one('JSON in JSON in JSON', (v) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ v }) }) })),
  one('ASCII JSON in JSON', (v) => json(json(v).replaceAll(/[^\0-\x7f]/g, (c) => `\\u${u4(c.charCodeAt(0))}`))),
  one('HTML, as pages need it', (v) => v.replaceAll(/[&<>"']/g, (c) => HTML[c] ?? c)),
  one('HTML, decimal', (v) => [...v].map((c) => `&#${c.codePointAt(0)};`).join('')),
  one('HTML, hex', (v) => [...v].map((c) => `&#x${c.codePointAt(0)?.toString(16)};`).join('')),
  one('HTML, some of it', (v, r) =>
    [...v].map((c) => (r.below(3) === 0 || c === '&' ? `&#${c.codePointAt(0)};` : c)).join(''),
  ),
  one('HTML twice', (v) => [...v].map((c) => `&amp;#${c.codePointAt(0)};`).join('')),
  one('quoted-printable, all of it', (v) =>
    bytes(v)
      .map((b) => `=${hex(b).toUpperCase()}`)
      .join(''),
  ),
  one('quoted-printable, as mails need it', (v) =>
    bytes(v)
      .map((b) => (b > 31 && b < 127 && b !== 61 ? String.fromCharCode(b) : `=${hex(b).toUpperCase()}`))
      .join(''),
  ),
  one('UTF-16, little-endian', (v) => Buffer.from(v, 'utf16le').toString('utf8')),
  one('UTF-16, big-endian', (v) => Buffer.from(v, 'utf16le').swap16().toString('utf8')),
  one('UTF-16 with a mark', (v) => `\ufffd\ufffd${Buffer.from(v, 'utf16le').toString('utf8')}`),
  one('UTF-16 in hex', (v) => Buffer.from(v, 'utf16le').toString('hex')),
  one('ANSI colours inside', (v, r) => between(v, () => (r.below(4) === 0 ? `\u001b[${30 + r.below(8)}m` : ''))),
  one('ANSI colour at each letter', (v, r) => between(v, () => `\u001b[1;38;5;${r.below(256)}m`)),
  one('ANSI colours inside, escaped', (v) => between(v, (at) => (at % 5 === 0 ? '\\u001b[31m' : ''))),
  one('a terminal link inside', (v) => between(v, (at) => (at === 6 ? '\u001b]8;;http://x\u001b\\' : ''))),
  one('backspaces and bells inside', (v) => between(v, (at) => (at % 4 === 0 ? '\u0007' : ''))),
  one('NUL between', (v) => between(v, () => '\u0000')),
  one('zero-width spaces inside', (v, r) => between(v, () => (r.below(3) === 0 ? '\u200b' : ''))),
  one('joiners between', (v, r) => between(v, () => r.pick(['\u200c', '\u200d', '\u2060', '\ufeff']))),
  one('soft hyphens inside', (v) => between(v, (at) => (at % 3 === 0 ? '\u00ad' : ''))),
  one('direction marks inside', (v) => `\u202e${between(v, (at) => (at % 6 === 0 ? '\u200e' : ''))}\u202c`),
  one('combining marks', (v) => [...v].map((c) => `${c}\u0336`).join('')),
  one('zero-width spaces, escaped', (v) => between(v, (at) => (at % 3 === 0 ? '\\u200b' : ''))),
  one('full-width letters', (v) =>
    [...v].map((c) => (/[!-~]/.test(c) ? String.fromCharCode(c.charCodeAt(0) + 0xfee0) : c)).join(''),
  ),
  one('mathematical letters', (v) =>
    [...v].map((c) => (/[a-z]/.test(c) ? String.fromCodePoint(0x1d41a + c.charCodeAt(0) - 97) : c)).join(''),
  ),
  one('Cyrillic lookalikes', (v) =>
    v.replaceAll('a', 'а').replaceAll('e', 'е').replaceAll('o', 'о').replaceAll('C', 'С'),
  ),
  one('decomposed', (v) => v.normalize('NFD')),
  one('upper case', (v) => v.toUpperCase()),
  one('lower case', (v) => v.toLowerCase()),
  one('swapped case', (v) => [...v].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('')),
  one('reversed', (v) => [...v].reverse().join('')),
  one('rot13', (v) => rot13(v)),
  one('blanks between', (v) => between(v, () => ' ')),
  one('dashes between', (v) => between(v, () => '-')),
  one('dots between', (v) => between(v, () => '.')),
  one('commas between', (v) => between(v, () => ',')),
  one('underscores between', (v) => between(v, () => '_')),
  one('a list of letters', (v) => `['${between(v, () => "', '")}']`),
  one('a list of letters as JSON', (v) => JSON.stringify([...v])),
  one(
    'bytes of Python',
    (v) =>
      `b'${bytes(v)
        .map((b) =>
          b > 31 && b < 127 && b !== 92 && b !== 39
            ? String.fromCharCode(b)
            : b === 92 || b === 39
              ? `\\${String.fromCharCode(b)}`
              : `\\x${hex(b)}`,
        )
        .join('')}'`,
  ),
  one('quoted for a shell', (v) => `'${v.replaceAll("'", `'\\''`)}'`),
  one('escaped for a shell', (v) => v.replaceAll(/[^A-Za-z0-9_./-]/g, (c) => `\\${c}`)),
  one('quoted for SQL', (v) => `'${v.replaceAll("'", "''")}'`),
  one('quoted for CSV', (v) => `"${v.replaceAll('"', '""')}"`),
];

/** Those of several lines. */
const OVER_LINES: readonly Encoding[] = [
  several('folded by YAML', (v) => ['key: >-', ...cut(v, 20).map((part) => `  ${part}`)]),
  several('folded by YAML in quotes', (v) => {
    const [first = '', ...rest] = cut(v, 14);
    return [`key: "${first}\\`, ...rest.map((part, i) => `  ${part}${i === rest.length - 1 ? '"' : '\\'}`)];
  }),
  several('broken in two', (v) => {
    const half = Math.ceil(v.length / 2);
    return [v.slice(0, half), v.slice(half)];
  }),
  several('soft breaks of quoted-printable', (v) => {
    const all = cut(v, 16);
    return all.map((part, i) => (i === all.length - 1 ? part : `${part}=`));
  }),
  several('pieces of C text', (v) => cut(v, 16).map((part) => `    "${part}"`)),
  several('pieces with plus', (v) => cut(v, 14).map((part) => `  '${part}' +`)),
  several('base64 of a mail, broken', (v) => cut(base64(`Subject: key\r\n\r\n${v}\r\n`), 24)),
  several('hex, broken', (v) => cut(bytes(v).map(hex).join(''), 32)),
  several('each key on its own line of JSON', (v) => JSON.stringify({ a: { b: v } }, null, 2).split('\n')),
];

const backwards = (value: string): string => [...value].reverse().join('');
const joined = (value: string, write: (byte: number, at: number) => string, glue: string): string =>
  bytes(value).map(write).join(glue);
const rows = (value: string, width: number): number[][] => {
  const all = bytes(value);
  return Array.from({ length: Math.ceil(all.length / width) }, (_, i) => all.slice(i * width, (i + 1) * width));
};
const shown = (row: readonly number[]): string =>
  row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
const offset = (row: number): string => (row * 16).toString(16).padStart(8, '0');

/** In groups, in dumps, in further codes. */
const IN_PIECES: readonly Encoding[] = [
  one('groups of four', (v) => cut(v, 4).join(' ')),
  one('groups of four with dashes', (v) => cut(v, 4).join('-')),
  one('groups of five with colons', (v) => cut(v, 5).join(':')),
  one('groups of eight', (v) => cut(v, 8).join(' ')),
  one('groups of ten with points in the middle', (v) => cut(v, 10).join('\u00b7')),
  one('groups of two', (v) => cut(v, 2).join(' ')),
  one('groups of three with dashes', (v) => cut(v, 3).join('-')),
  one('a list of groups', (v) => JSON.stringify(cut(v, 6))),
  one('texts that are added', (v) =>
    cut(v, 8)
      .map((part) => `'${part}'`)
      .join(' + '),
  ),
  one('groups between bars', (v) => cut(v, 7).join(' | ')),
  ...['\u00b7', '*', ';', '#', '~', ' | ', ' - '].map((glue) =>
    one(`"${glue}" between`, (v) => between(v, () => glue)),
  ),
  one('tags between', (v) => between(v, () => '<wbr>')),
  one('tags inside', (v) => between(v, (at) => (at % 8 === 0 ? '<wbr>' : ''))),
  one('&shy; inside', (v) => between(v, (at) => (at % 4 === 0 ? '&shy;' : ''))),
  one('&zwnj; between', (v) => between(v, () => '&zwnj;')),
  one('colours without their first character', (v) => between(v, (at) => (at % 7 === 0 ? '[31m' : ''))),
  one('colours with a caret', (v) => between(v, (at) => (at % 9 === 0 ? '^[[0;32m' : ''))),
  one('colours of one byte', (v) => between(v, (at) => (at % 5 === 0 ? '\u009b31m' : ''))),
  one('printed over itself', (v) => [...v].map((c) => `${c}\b${c}`).join('')),
  one('doubled letters', (v) => [...v].map((c) => c + c).join('')),
  one('escapes of CSS', (v) => joined(v, (b) => `\\${hex(b)} `, '')),
  one('U+', (v) => joined(v, (b) => `U+00${hex(b).toUpperCase()}`, ' ')),
  one('0b', (v) => joined(v, (b) => `0b${b.toString(2).padStart(8, '0')}`, ', ')),
  one('chr()', (v) => joined(v, (b) => `chr(${b})`, '+')),
  one('an object of bytes', (v) => JSON.stringify(new Uint8Array(Buffer.from(v)))),
  one('base64 thrice', (v) => base64(base64(base64(v)))),
  one('base64 of the reversed', (v) => base64(backwards(v))),
  one('hex of the reversed', (v) => joined(backwards(v), hex, '')),
  one('hex twice', (v) => joined(joined(v, hex, ''), hex, '')),
  one('UTF-32', (v) => Buffer.from([...v].flatMap((c) => [...Buffer.from(c, 'utf16le'), 0, 0])).toString('utf8')),
  one('uuencode', (v) => {
    const three = Buffer.concat([Buffer.from(v), Buffer.alloc((3 - (Buffer.byteLength(v) % 3)) % 3)]).subarray(0, 45);
    const six =
      [...three]
        .map((b) => b.toString(2).padStart(8, '0'))
        .join('')
        .match(/.{6}/g) ?? [];
    return `M${six.map((bits) => String.fromCharCode(32 + Number.parseInt(bits, 2))).join('')}`;
  }),
  several('hexdump -C', (v) =>
    rows(v, 16).map((row, i) => `${offset(i)}  ${row.map(hex).join(' ').padEnd(48)}  |${shown(row)}|`),
  ),
  several('xxd', (v) =>
    rows(v, 16).map(
      (row, i) =>
        `${offset(i)}: ${(
          row
            .map(hex)
            .join('')
            .match(/.{1,4}/g) ?? []
        )
          .join(' ')
          .padEnd(40)} ${shown(row)}`,
    ),
  ),
  several('od -c', (v) =>
    rows(v, 16).map((row, i) => `${(i * 16).toString(8).padStart(7, '0')}   ${[...shown(row)].join('   ')}`),
  ),
  several('a Uint8Array of Node', (v) => inspect(new Uint8Array(Buffer.from(v))).split('\n')),
];

export const ENCODINGS: readonly Encoding[] = [
  ...ON_ONE_LINE,
  ...OVER_LINES,
  ...IN_PIECES.map((encoding) => ({ ...encoding, ofKeys: true })),
];
