import { isOnChain, looksRandom, secretNameStems, UUID } from '../../../../shared/secret-names.ts';
import { COLOUR, ESCAPE, escapedAs, LONGEST_ESCAPE } from './escape-patterns.ts';
import { isChance, kindOf } from './name-kinds.ts';
import { isProviderKey, PROVIDER_WORDS } from './provider-names.ts';
import { isNoSecret } from './words-in-place-of-a-secret.ts';

/** Parts of names of secrets at which the masker searches for a value, in lower case. */
export const KEY_WORDS: readonly string[] = [...new Set([...secretNameStems(), ...PROVIDER_WORDS])];
/** Number of characters from a keyword on that decide whether `name = value` stands there. */
export const KEY_REACH = 128;

const QUOTE = `(?:\\\\{0,7}["'\`]|${escapedAs('2[27]', '04[27]')})`;
const BLANKS = '(?:[ \\t]|%20){0,3}';
const COLOURS = `(?:${COLOUR}){0,3}`;
const GAP = `${BLANKS}(?:${COLOUR}${BLANKS}){0,3}`;
/** In an address, a plus behind an encoded separator is a blank. */
const SEPARATOR = `=>|:=|={1,2}|:|,|>|${escapedAs('3[ad]', '07[25]')}\\+{0,3}`;
/** Rest of the name, its closing quote, the separator or a blank, the opening quote of the value. */
const HEAD = new RegExp(
  `^([A-Za-z0-9_.-]{1,64}(?: (?:key|token|phrase|words|secret))?)(?=[ \\t\\\\"'\`\\]%=:,>\\u001b])(${QUOTE})?\\]?` +
    `(?:${GAP}(${SEPARATOR})${GAP}(?:${QUOTE}value${QUOTE}${BLANKS}:${BLANKS})?|${COLOURS}( {1,3})${COLOURS})(b?${QUOTE})?`,
  'i',
);
const LONGEST_NAME = 64;

const NUMBER = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?%?$/i;
const CODE =
  /^(?:os\.|process\.env|import\.meta|env[.[(]|(?:self|this|config|cfg|settings|args|params|opts|options)[.[(])/;
const DOTTED = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;
const MASKED = /^\*+$/;
/** Name of a setting with a token, `DEPLOY_TOKEN`, whose value may be a UUID. */
const TOKEN_SETTING = /^(?!.*(?:REQUEST|CLIENT|IDEMPOTENCY|TRACE|CORRELATION))[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_TOKEN$/;
const WORD_LIST = /mnemonic|phrase|words|seed/i;

const simplify = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
const isBlank = (code: number): boolean => code <= 32 || code === 0xa0;
const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96;

/** True if a text under this name is a secret. `quoted`: the value is surely a text, so a number in it counts as well. */
export function isSecretValue(name: string, value: string, quoted: boolean): boolean {
  const { isSecret, isMaybe, isProvider, isToken } = kindOf(name);
  if (!isSecret && !isMaybe && !isProvider) return false;
  if (value === '' || MASKED.test(value) || isNoSecret(value)) return false;
  if (isSecret) {
    if (isChance(name)) return false;
    if (quoted) return true;
    if (NUMBER.test(value) || value.startsWith('//')) return false;
    if (/^pwd$/i.test(name) && /^(?:\/|[A-Za-z]:\\)/.test(value)) return false;
    // Two words of a sentence: "bot token: ETH" names a coin.
    if (name.includes(' ') && value.length < 8 && !/\d/.test(value)) return false;
    if (simplify(value) === simplify(name) || CODE.test(value)) return false;
    if (/s$/i.test(name) && /^[a-z]+$/i.test(value)) return false;
    return !(DOTTED.test(value) && kindOf(value.slice(value.lastIndexOf('.') + 1)).isSecret);
  }
  if (isProvider && isProviderKey(name, value, quoted)) return true;
  if (!isMaybe) return false;
  return looksRandom(value) ? !(isToken && isOnChain(value)) : TOKEN_SETTING.test(name) && UUID.test(value);
}

/** A comma or semicolon that ends a value, because a next `name=` or a blank follows. */
const SEPARATED = /[,;](?=[\s"'`\\]|$|[\w.-]{1,32}["']?[:=])/y;
const CLOSED = /[)\]}](?=[\s,;:.)\]}"'`\\]|$)/y;

function matchesAt(pattern: RegExp, line: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(line);
}

const COLOUR_HERE = new RegExp(COLOUR, 'y');
/** A blank, a quote, & < or >. */
const ESCAPED_END = new RegExp(escapedAs('(?:0[9ad]|2[0267]|3[ce]|60)', '(?:01[125]|04[0267]|07[46]|140)'), 'iy');

/**
 * Returns the end of a value without quotes. In JSON text an escaped line end or quote ends it as well; if all is
 * `escaped`, any such escape does.
 */
export function bareEnd(line: string, from: number, escaped = false): number {
  const json = line.startsWith('{') || line.startsWith('[');
  for (let i = from; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (isBlank(code) || isQuote(code) || code === 38 || code === 60 || code === 62) return i;
    if (escaped && (code === 37 || code === 92) && matchesAt(ESCAPED_END, line, i)) return i;
    if (code === 92) {
      if (matchesAt(COLOUR_HERE, line, i)) return i;
      const next = line.charCodeAt(i + 1);
      if (Number.isNaN(next)) return json ? i : line.length;
      if (isQuote(next) || isBlank(next) || (json && (next === 110 || next === 114 || next === 116))) return i;
      i += 1;
    } else if ((code === 44 || code === 59) && matchesAt(SEPARATED, line, i)) return i;
    else if ((code === 41 || code === 93 || code === 125) && matchesAt(CLOSED, line, i)) return i;
  }
  return line.length;
}

/**
 * Returns the end of a value in quotes. A line of JSON cannot have a double quote inside a text, whichever quote opened
 * the value.
 */
function quotedEnd(line: string, from: number, quote: number): number {
  const json = line.startsWith('{') || line.startsWith('[');
  for (let i = from; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 92) i += 1;
    else if (code === quote || (json && code === 34)) return i;
  }
  return line.length;
}

/** Returns the end of a value whose quotes are themselves escaped `depth` times, as in JSON inside JSON. */
function escapedEnd(line: string, from: number, quote: number, depth: number): number {
  let run = 0;
  for (let i = from; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 92) run += 1;
    else {
      if ((code === quote || code === 34) && run <= depth) return i - run;
      run = 0;
    }
  }
  return line.length;
}

/** Returns the end of a value whose opening quote is itself an escape: `%22`, `\u0027`. */
function encodedEnd(line: string, from: number, opener: string): number {
  const inAddress = opener.startsWith('%');
  for (let i = from; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (inAddress && (code === 38 || isBlank(code))) return i;
    if (code !== 34 && !line.startsWith(opener, i)) continue;
    const isInner = inAddress ? /^%5c$/i.test(line.slice(i - 3, i)) : line[i - 1] === '\\';
    if (!isInner) return i;
  }
  return line.length;
}

function valueEnd(line: string, from: number, opener: string, escaped: boolean): number {
  if (opener === '') return bareEnd(line, from, escaped);
  const quote = opener.charCodeAt(opener.length - 1);
  if (!isQuote(quote)) return encodedEnd(line, from, opener);
  return opener.length === 1 ? quotedEnd(line, from, quote) : escapedEnd(line, from, quote, opener.length - 1);
}

const ESCAPED_CHARACTER = /(?:%|\\{1,7}(?:u00|x))([\da-f]{2})/gi;

/** Returns an escaped value without its quotes and enclosing brackets, for deciding whether it is a secret. */
const unescaped = (value: string): string =>
  value
    .replaceAll(ESCAPED_CHARACTER, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/^[{[(<]{1,8}$|[,;)\]}]{1,8}$/, '');

const NEXT_WORD = /,? [a-z]{2,12}(?![A-Za-z0-9_=:])/y;

/** Returns the end of a phrase of words without quotes: at most 24 of them. */
function phraseEnd(line: string, end: number): number {
  let at = end;
  for (let words = 1; words < 24 && matchesAt(NEXT_WORD, line, at); words++) at = NEXT_WORD.lastIndex;
  return at;
}

const isNameCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  code === 95 ||
  code === 45 ||
  code === 46;

function nameStart(line: string, position: number): number {
  let at = position;
  while (at > 0 && position - at < LONGEST_NAME && isNameCode(line.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** Characters that may stand before the letters and digits with which an escape ends. */
const IN_ESCAPE = /[\\%[;:]/;
const ESCAPE_BEFORE = new RegExp(`${ESCAPE}(?=[A-Za-z0-9_.-]*$)`);

/** Returns the start of a name without the end of an escape that stands right before it. */
function startBehindEscape(line: string, nameFrom: number, position: number): number {
  if (!IN_ESCAPE.test(line[nameFrom - 1] ?? '')) return nameFrom;
  const from = Math.max(0, nameFrom - LONGEST_ESCAPE);
  const found = ESCAPE_BEFORE.exec(line.slice(from, position));
  return found === null ? nameFrom : from + found.index + found[0].length;
}

const WORD_BEFORE = new RegExp(`(?:^|${ESCAPE}|[^A-Za-z0-9])([A-Za-z]{2,16}) $`);

/** Returns `access token` for the `token` of a sentence, if the two words together name a secret. */
function withWordBefore(line: string, nameFrom: number, name: string): string {
  if (line[nameFrom - 1] !== ' ') return name;
  const word = WORD_BEFORE.exec(line.slice(Math.max(0, nameFrom - 18 - LONGEST_ESCAPE), nameFrom))?.[1];
  return word !== undefined && kindOf(`${word} ${name}`).isSecret ? `${word} ${name}` : name;
}

/** Returns the last part of a dotted name: `apiKey` of `binance.apiKey`. */
const ownName = (name: string): string => name.slice(name.lastIndexOf('.', name.length - 2) + 1);

/**
 * Returns the name with the strongest meaning: the own name, the name with what may not have been an escape before it,
 * or the name with the word before it.
 */
function nameOf(line: string, wholeFrom: number, nameFrom: number, name: string): string {
  const own = ownName(name);
  if (kindOf(own).isSecret) return own;
  // The backslash of a path begins no escape: `C:\bot_token=`.
  const whole = wholeFrom < nameFrom ? ownName(line.slice(wholeFrom, nameFrom) + name) : own;
  return whole !== own && kindOf(whole).isSecret ? whole : withWordBefore(line, nameFrom, own);
}

const INSIDE_ARN = /arn(?::|%3a)aws[\w:%-]{0,80}(?::|%3a)$/i;

/** True inside an ARN: the `secret` of `arn:aws:secretsmanager:…:secret:name` names a kind of resource. */
function isInsideArn(line: string, nameFrom: number): boolean {
  return /[:a]/i.test(line[nameFrom - 1] ?? '') && INSIDE_ARN.test(line.slice(Math.max(0, nameFrom - 96), nameFrom));
}

/** True if a separator counts; some need more around them: `--name value`, `<name>value`, `"name", "value"`. */
function separates(line: string, start: number, head: RegExpExecArray): boolean {
  const [, , closing, separator, blank, opener] = head;
  if (blank !== undefined) return closing === undefined && line.startsWith('--', start);
  if (separator === '>') return line[start - 1] === '<';
  return separator !== ',' || (closing !== undefined && opener !== undefined);
}

/** A key as a list of bytes, as Solana wallets store theirs. */
const BYTE_LIST = /\[ {0,2}\d{1,3}(?:, {0,2}\d{1,3}){15,255}/y;

function byteListEnd(line: string, start: number): number {
  if (line[start] !== '[') return -1;
  BYTE_LIST.lastIndex = start;
  return BYTE_LIST.test(line) ? BYTE_LIST.lastIndex : -1;
}

/** The words of a wallet: at least 12, of 3 to 8 letters. */
const PHRASE = /[a-z]{3,8}(?:,? [a-z]{3,8}){11}(?![a-z])/y;

function isPhrase(line: string, start: number): boolean {
  PHRASE.lastIndex = start;
  return PHRASE.test(line);
}

/** Value of a name, and whether it is a secret. `looked` is the number of characters that were examined. */
export interface KeyValue {
  readonly start: number;
  readonly end: number;
  readonly secret: boolean;
  readonly looked: number;
}

const isLetterOrDigit = (code: number): boolean => isNameCode(code) && code !== 95 && code !== 45 && code !== 46;
/** Initials of second words of a name: key, token, phrase, words, secret. */
const SECOND_WORD = /[ktpws]/i;

/** True if two dashes stand in the name before a place. */
function isOption(line: string, position: number): boolean {
  for (let at = position; at > 0 && position - at < LONGEST_NAME && isNameCode(line.charCodeAt(at - 1)); at--) {
    if (line.charCodeAt(at - 1) === 45 && line.charCodeAt(at - 2) === 45) return true;
  }
  return false;
}

/** True if HEAD may match. A check of what follows the name decides, at nearly no cost for a sentence. */
function mayHaveValue(line: string, position: number): boolean {
  let at = position;
  while (at - position <= LONGEST_NAME && isNameCode(line.charCodeAt(at))) at += 1;
  if (at === line.length || at === position || at - position > LONGEST_NAME) return false;
  if (line.charCodeAt(at) !== 32 || !isLetterOrDigit(line.charCodeAt(at + 1))) return true;
  return SECOND_WORD.test(line.charAt(at + 1)) || isOption(line, position);
}

/** Returns the value of the name that the keyword at `position` is part of; null where no name of a secret has a value. */
export function keyValueAt(line: string, position: number): KeyValue | null {
  if (!mayHaveValue(line, position)) return null;
  const head = HEAD.exec(line.slice(position, position + KEY_REACH));
  if (head === null) return null;
  const wholeFrom = nameStart(line, position);
  const nameFrom = startBehindEscape(line, wholeFrom, position);
  if (!separates(line, nameFrom, head) || isInsideArn(line, nameFrom)) return null;
  const [all, rest = '', closing = '', separator = '', , quote = ''] = head;
  const name = nameOf(line, wholeFrom, nameFrom, `${line.slice(nameFrom, position)}${rest}`);
  const isTelling = kindOf(name).isSecret;
  const escaped = /^[%\\]/.test(separator);
  // If nothing before it is encoded, %22 or %27 is a part of the value.
  const isOpened = escaped || closing.startsWith('%') || !/^b?%/i.test(quote);
  const opener = isOpened ? quote.replace(/^b/i, '') : '';
  const start = position + all.length - (isOpened ? 0 : quote.length);
  if (opener === '' && isTelling) {
    const bytes = byteListEnd(line, start);
    if (bytes > start) return { start: start + 1, end: bytes, secret: true, looked: bytes - position };
  }
  if (opener === '' && /[{[(<]/.test(line[start] ?? '')) return null;
  // The words of a phrase continue behind a blank.
  const found = valueEnd(line, start, opener, escaped && !WORD_LIST.test(name));
  if (opener === '' && WORD_LIST.test(name) && isPhrase(line, start)) {
    const end = phraseEnd(line, found);
    return { start, end, secret: true, looked: end - position };
  }
  const written = line.slice(start, found);
  const value = escaped && opener === '' ? unescaped(written) : written;
  const secret = isSecretValue(name, value, opener !== '');
  const end = secret && opener === '' && WORD_LIST.test(name) ? phraseEnd(line, found) : found;
  return { start, end, secret, looked: end - position };
}
