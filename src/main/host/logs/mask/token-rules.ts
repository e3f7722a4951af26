import type { MaskRule } from './mask-rule.ts';
import { INNER_FORMATS, type InnerFormat, TOKEN_FORMATS, type TokenFormat } from './token-formats.ts';

/** Characters of a token, and those required among them where other texts would match by chance. */
const ALPHABETS: Readonly<Record<string, string>> = {
  alnum: '[A-Za-z0-9]',
  azure: '[A-Za-z0-9_~.-]',
  base64: '[A-Za-z0-9+/=_-]',
  base64dot: '[A-Za-z0-9+/=_.-]',
  base64url: '[A-Za-z0-9=_-]',
  digit: '[0-9]',
  dotted: '[A-Za-z0-9=_.-]',
  hex: '[0-9A-Fa-f]',
  lower: '[a-z0-9]',
  lowhex: '[0-9a-f]',
  mixed: '[A-Za-z0-9_-]',
  percentmixed: '[A-Za-z0-9%]',
  plain64: '[A-Za-z0-9+/]',
  upper: '[A-Z0-9]',
  urlsafe: '[A-Za-z0-9_-]',
  uuid: '[0-9a-f]',
};
const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
/** Lookahead of `mixed`: a digit, and letters in both cases or another digit. */
const MIXED = '(?=[A-Za-z_-]{0,40}[0-9])(?=[^a-z]{0,40}[a-z])(?=[^A-Z]{0,40}[A-Z])';
const PART = /^(\w+):(\d+)(?:-(\d+))?$/;

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function part(text: string): string {
  const [, alphabet = '', least, most] = PART.exec(text) ?? [];
  const characters = ALPHABETS[alphabet];
  if (characters === undefined) return literal(text);
  if (alphabet === 'uuid') return UUID;
  return `${alphabet.endsWith('mixed') ? MIXED : ''}${characters}{${least},${most ?? ''}}`;
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
/** The characters of each alphabet in lower case. */
const LETTERS = new Map(
  Object.entries(ALPHABETS).map(([name, characters]) => {
    const alphabet = new RegExp(characters);
    return [name, [...new Set(ASCII.filter((letter) => alphabet.test(letter)).map((letter) => letter.toLowerCase()))]];
  }),
);

/** Length up to which a beginning is met by chance at the start of a page token, once in millions of lines. */
const CHANCE_BEGIN = 3;

/**
 * Where a token cannot end, as the source of a pattern: before a dash or underscore with more behind it, if these are
 * characters of the token, or if only its short beginning tells it. It is a part of something longer then.
 */
function unended(begins: readonly string[], parts: string): string {
  const alphabet = PART.exec(parts.split(' ').at(-1) ?? '')?.[1] ?? '';
  const isShort = begins.some((begin) => begin.length <= CHANCE_BEGIN);
  return isShort || LETTERS.get(alphabet)?.includes('-') === true ? '(?![_-]+[A-Za-z0-9])' : '';
}

const pattern = (parts: string): string => parts.split(' ').filter(Boolean).map(part).join('');

/** Number of characters before a token within which the required name must stand. */
const NEAR = 64;
const REACH = 512;
/** Word length from which the keyword automaton finds a word soonest. */
const LONG_ENOUGH = 4;
/** Length up to which a beginning is searched for with the next character, if that is one of few. */
const SHORT_BEGIN = 5;
const FEW = 16;
/** Words of four letters that ordinary texts contain often, which are searched for with the next character as well. */
const COMMON = new Set(['path', 'patt', 'patc', 'patr', 'pati']);

/** Returns the words that the keyword automaton searches for, which ordinary texts should seldom contain. */
function longer(text: string, parts: string): string[] {
  const letters = LETTERS.get(PART.exec(parts.split(' ')[0] ?? '')?.[1] ?? '') ?? [];
  let words = [text.toLowerCase()];
  if (text.length <= SHORT_BEGIN && letters.length > 0 && letters.length <= FEW) words = followed(words, letters);
  while (letters.length > 0 && (words[0]?.length ?? 0) < LONG_ENOUGH) words = followed(words, letters);
  return words.flatMap((word) => (COMMON.has(word) ? followed([word], letters) : [word]));
}

const followed = (words: readonly string[], letters: readonly string[]): string[] =>
  words.flatMap((word) => letters.map((letter) => word + letter));

const nearOf = ({ near }: TokenFormat): string => (near === undefined ? '' : `(?<=(?i:${near}).{0,${NEAR}})`);

/** Returns rules for these formats. Each token stands by itself: `start` and `end` match the text around it. */
export function tokenRules(start: string, end: string): MaskRule[] {
  const ofToken = (format: TokenFormat): MaskRule => ({
    id: `token-${format.provider}`,
    keywords: [...new Set(format.begins.flatMap((begin) => longer(begin, format.pattern)))],
    source: `${nearOf(format)}${start}(?:${format.begins.map(literal).join('|')})${pattern(format.pattern)}${end}${unended(format.begins, format.pattern)}`,
    flags: '',
    reach: REACH,
    begins: format.begins,
  });
  const ofInner = ({ provider, mark, before, after }: InnerFormat): MaskRule => {
    const [, alphabet = '', least = '', most] = PART.exec(before) ?? [];
    const characters = ALPHABETS[alphabet] ?? '';
    return {
      id: `token-${provider}`,
      keywords: mark.flatMap((text) => longer(text, after)),
      source: `(?<=${most === undefined ? '' : `(?<!${characters})`}${characters}{${least}})(?:${mark.map(literal).join('|')})${pattern(after)}${end}${unended([], after)}`,
      flags: '',
      reach: REACH,
      before: characters,
    };
  };
  return [...TOKEN_FORMATS.map(ofToken), ...INNER_FORMATS.map(ofInner)];
}
