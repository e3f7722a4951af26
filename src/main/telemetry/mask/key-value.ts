import { looksRandom, looksSecret, mayBeSecret, secretNameStems } from '../../../isomorphic/secret-names.ts';
import { isPlain } from './plain-words.ts';

/** Where a secret's name may stand, in lower case. */
export const KEY_WORDS: readonly string[] = secretNameStems();
/** Characters from a keyword on that decide whether `name = value` stands there. */
export const KEY_REACH = 128;

/** Rest of the name, its closing quote, the separator or a blank, the opening quote of the value. */
const HEAD =
  /^([A-Za-z0-9_.-]{1,64}(?: (?:key|token|phrase|words|secret))?)(\\{0,7}["'`])?\]?(?:[ \t]{0,3}(=>|:=|={1,2}|:|,|>)[ \t]{0,3}(?:\\{0,7}["'`]value\\{0,7}["'`][ \t]{0,3}:[ \t]{0,3})?|( {1,3}))(?:b?(\\{0,7}["'`]))?/i;
const NAME_CHARACTER = /[A-Za-z0-9_.-]/;
const LONGEST_NAME = 64;

const NUMBER = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?%?$/i;
const CODE =
  /^(?:os\.|process\.env|import\.meta|env[.[(]|(?:self|this|config|cfg|settings|args|params|opts|options)[.[(])/;
const DOTTED = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;
const MASKED = /^\*+$/;
const WORD_LIST = /mnemonic|phrase|words|seed/i;

const simplify = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
const isBlank = (code: number): boolean => code <= 32 || code === 0xa0;
const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96;

/** Whether a text under this name is a secret. `quoted`: it is surely a text, so a number in it is one too. */
export function isSecretValue(name: string, value: string, quoted: boolean): boolean {
  if (value === '' || MASKED.test(value)) return false;
  if (isPlain(value)) return false;
  if (looksSecret(name)) {
    if (quoted) return true;
    if (NUMBER.test(value) || value.startsWith('//')) return false;
    if (/^pwd$/i.test(name) && /^(?:\/|[A-Za-z]:\\)/.test(value)) return false;
    // Two words of a sentence: "bot token: ETH" speaks of a coin.
    if (name.includes(' ') && value.length < 8 && !/\d/.test(value)) return false;
    if (simplify(value) === simplify(name) || CODE.test(value)) return false;
    if (/s$/i.test(name) && /^[a-z]+$/i.test(value)) return false;
    return !(DOTTED.test(value) && looksSecret(value.slice(value.lastIndexOf('.') + 1)));
  }
  return mayBeSecret(name) && looksRandom(value);
}

/** After , or ; a next `name=` or a blank follows: then the value is over. */
const SEPARATED = /[,;](?=[\s"'`\\]|$|[\w.-]{1,32}["']?[:=])/y;
const CLOSED = /[)\]}](?=[\s,;:.)\]}"'`\\]|$)/y;

function matchesAt(pattern: RegExp, line: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(line);
}

/** End of a value without quotes. In JSON text an escaped line end or quote ends it too. */
export function bareEnd(line: string, from: number): number {
  const json = line.startsWith('{') || line.startsWith('[');
  for (let i = from; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (isBlank(code) || isQuote(code) || code === 38 || code === 60 || code === 62) return i;
    if (code === 92) {
      const next = line.charCodeAt(i + 1);
      if (Number.isNaN(next)) return json ? i : line.length;
      if (isQuote(next) || isBlank(next) || (json && (next === 110 || next === 114 || next === 116))) return i;
      i += 1;
    } else if ((code === 44 || code === 59) && matchesAt(SEPARATED, line, i)) return i;
    else if ((code === 41 || code === 93 || code === 125) && matchesAt(CLOSED, line, i)) return i;
  }
  return line.length;
}

/** End of a value in quotes. A line of JSON cannot have a double quote inside a text, whatever quote opened the value. */
function quotedEnd(line: string, from: number, quote: number): number {
  const json = line.startsWith('{') || line.startsWith('[');
  for (let i = from; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code === 92) i += 1;
    else if (code === quote || (json && code === 34)) return i;
  }
  return line.length;
}

/** End of a value whose quotes are themselves escaped `depth` times, as in JSON inside JSON. */
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

function valueEnd(line: string, from: number, opener: string): number {
  if (opener === '') return bareEnd(line, from);
  const quote = opener.charCodeAt(opener.length - 1);
  return opener.length === 1 ? quotedEnd(line, from, quote) : escapedEnd(line, from, quote, opener.length - 1);
}

const NEXT_WORD = /,? [a-z]{2,12}(?![A-Za-z0-9_=:])/y;

/** A phrase of words without quotes: at most 24 of them. */
function phraseEnd(line: string, end: number): number {
  let at = end;
  for (let words = 1; words < 24 && matchesAt(NEXT_WORD, line, at); words++) at = NEXT_WORD.lastIndex;
  return at;
}

function nameStart(line: string, position: number): number {
  let at = position;
  while (at > 0 && position - at < LONGEST_NAME && NAME_CHARACTER.test(line[at - 1] ?? '')) at -= 1;
  return at;
}

const WORD_BEFORE = /(?:^|[^A-Za-z0-9])([A-Za-z]{2,16}) $/;

/** `access token` for the `token` of a sentence, where the two words together name a secret. */
function withWordBefore(line: string, nameFrom: number, name: string): string {
  const word = WORD_BEFORE.exec(line.slice(Math.max(0, nameFrom - 18), nameFrom))?.[1];
  return word !== undefined && looksSecret(`${word} ${name}`) ? `${word} ${name}` : name;
}

const INSIDE_ARN = /arn:aws[\w:-]{0,80}:$/;

/** The `secret` of `arn:aws:secretsmanager:…:secret:name` tells of a kind of resource. */
function isInsideArn(line: string, nameFrom: number): boolean {
  return line[nameFrom - 1] === ':' && INSIDE_ARN.test(line.slice(Math.max(0, nameFrom - 96), nameFrom));
}

/** Which separators need more around them: `--name value`, `<name>value`, `"name", "value"`. */
function separates(line: string, start: number, head: RegExpExecArray): boolean {
  const [, , closing, separator, blank, opener] = head;
  if (blank !== undefined) return closing === undefined && line.startsWith('--', start);
  if (separator === '>') return line[start - 1] === '<';
  return separator !== ',' || (closing !== undefined && opener !== undefined);
}

/** A key as a list of bytes, as wallets of Solana keep theirs. */
const BYTE_LIST = /\[ {0,2}\d{1,3}(?:, {0,2}\d{1,3}){15,255}/y;

function byteListEnd(line: string, start: number): number {
  if (line[start] !== '[') return -1;
  BYTE_LIST.lastIndex = start;
  return BYTE_LIST.test(line) ? BYTE_LIST.lastIndex : -1;
}

/** The words of a wallet: 12 of them at least, of 3 to 8 letters. */
const PHRASE = /[a-z]{3,8}(?:,? [a-z]{3,8}){11}(?![a-z])/y;

function isPhrase(line: string, start: number): boolean {
  PHRASE.lastIndex = start;
  return PHRASE.test(line);
}

/** What stands at a name: its value and whether it is a secret. `looked` is how many characters that took. */
export interface KeyValue {
  readonly start: number;
  readonly end: number;
  readonly secret: boolean;
  readonly looked: number;
}

/** The value of the name that the keyword at `position` is part of, or null where no secret's name has a value. */
export function keyValueAt(line: string, position: number): KeyValue | null {
  const head = HEAD.exec(line.slice(position, position + KEY_REACH));
  if (head === null) return null;
  const nameFrom = nameStart(line, position);
  if (!separates(line, nameFrom, head) || isInsideArn(line, nameFrom)) return null;
  const whole = `${line.slice(nameFrom, position)}${head[1] ?? ''}`;
  const own = whole.slice(whole.lastIndexOf('.', whole.length - 2) + 1);
  const name = looksSecret(own) ? own : withWordBefore(line, nameFrom, own);
  const opener = head[5] ?? '';
  const start = position + head[0].length;
  if (opener === '' && looksSecret(name)) {
    const bytes = byteListEnd(line, start);
    if (bytes > start) return { start: start + 1, end: bytes, secret: true, looked: bytes - position };
  }
  if (opener === '' && /[{[(<]/.test(line[start] ?? '')) return null;
  if (!looksSecret(name) && !mayBeSecret(name)) return null;
  const found = valueEnd(line, start, opener);
  if (opener === '' && WORD_LIST.test(name) && isPhrase(line, start)) {
    const end = phraseEnd(line, found);
    return { start, end, secret: true, looked: end - position };
  }
  const secret = isSecretValue(name, line.slice(start, found), opener !== '');
  const end = secret && opener === '' && WORD_LIST.test(name) ? phraseEnd(line, found) : found;
  return { start, end, secret, looked: end - position };
}
