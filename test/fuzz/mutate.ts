import type { SeededRandom } from '../support/seeded-random.ts';

/** Characters that readers of text get wrong: controls, separators, halves of characters, right-to-left marks, a BOM. */
const ODD_CHARS = [
  '\0',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\ufffd',
  '\ud800',
  '\udc00',
  '🙂',
  'é',
  'e\u0301',
  '漢',
  'İ',
  'ß',
  '"',
  "'",
  '\\',
  '/',
  '..',
  '%00',
  '%2e%2e',
  '$',
  '{{',
  '<!--',
] as const;

/** Numbers at the edges of what the many kinds of numbers can hold. */
export const ODD_NUMBERS = [
  0, -0, -1, 1, 0.1, -0.5, 59, 60, 127, 128, 255, 256, 1000, 1001, 32_767, 65_535, 65_536, 2_147_483_647, 2_147_483_648,
  4_294_967_295, 9_007_199_254_740_991, 9_007_199_254_740_992, 1e21, 1e308, -1e308, 5e-324,
] as const;

/** Names that mean something to JavaScript objects. */
const ODD_NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', ' ', 'a.b', '0', '$ref'];

const range = (random: SeededRandom, length: number): readonly [number, number] => {
  const from = random.below(length + 1);
  return [from, from + random.below(Math.min(length - from, 24) + 1)];
};

function oneTextEdit(random: SeededRandom, text: string, words: readonly string[]): string {
  const [from, to] = range(random, text.length);
  const put = (middle: string): string => text.slice(0, from) + middle + text.slice(to);
  switch (random.below(9)) {
    case 0:
      return put('');
    case 1:
      return text.slice(0, to) + text.slice(from);
    case 2:
      return put(random.pick(ODD_CHARS));
    case 3:
      return put(String(random.pick(ODD_NUMBERS)));
    case 4:
      return put(random.pick(words));
    case 5:
      return text.slice(0, from) + random.pick(words) + text.slice(from);
    case 6:
      return put(text.slice(from, to).repeat(1 + random.below(random.below(8) === 0 ? 2000 : 6)));
    case 7: {
      const [a, b] = range(random, text.length);
      return put(text.slice(a, b));
    }
    default:
      return put(String.fromCharCode(random.below(0x180)));
  }
}

/** A text with a few edits; `words` are those that mean something to its reader. */
export function mutateText(random: SeededRandom, text: string, words: readonly string[]): string {
  let result = text;
  for (let edits = random.below(5); edits > 0; edits--) result = oneTextEdit(random, result, words);
  return result;
}

/** Bytes, as latin1 text, with a few of them changed, taken out or put in. */
export function mutateBytes(random: SeededRandom, bytes: string): string {
  let result = bytes;
  for (let edits = 1 + random.below(6); edits > 0; edits--) {
    const at = random.below(result.length + 1);
    const byte = String.fromCharCode(random.below(256));
    const [from, to] = range(random, result.length);
    switch (random.below(5)) {
      case 0:
        result = result.slice(0, at) + byte + result.slice(at + 1);
        break;
      case 1:
        result = result.slice(0, at) + byte.repeat(1 + random.below(600)) + result.slice(at);
        break;
      case 2:
        result = result.slice(0, from) + result.slice(to);
        break;
      case 3:
        result = result.slice(0, to) + result.slice(from);
        break;
      default:
        result = random.below(6) === 0 ? result.slice(0, at) : result;
    }
  }
  return result;
}

/** Any JSON value, of a few levels. */
export function anyJson(random: SeededRandom, depth = 3): unknown {
  switch (random.below(depth > 0 ? 9 : 6)) {
    case 0:
      return null;
    case 1:
      return random.below(2) === 0;
    case 2:
      return random.pick(ODD_NUMBERS);
    case 3:
      return random.pick(ODD_CHARS);
    case 4:
      return 'x'.repeat(random.below(random.below(20) === 0 ? 70_000 : 30));
    case 5:
      return random.text('abcXYZ019 ._-/:*,{}[]"\\\n', random.below(20));
    case 6:
      return Array.from({ length: random.below(4) }, () => anyJson(random, depth - 1));
    case 7:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [random.pick(ODD_NAMES), anyJson(random, depth - 1)]),
      );
    default:
      return deep(random, 1 + random.below(random.below(10) === 0 ? 3000 : 80));
  }
}

/** A value inside of many arrays or objects. */
function deep(random: SeededRandom, levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = random.below(2) === 0 ? [value] : { a: value };
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON value with one part of it, at any depth, changed, taken away, doubled or put in. */
export function mutateJson(random: SeededRandom, value: unknown): unknown {
  const inside = random.below(4) > 0;
  if (Array.isArray(value) && value.length > 0 && inside) {
    const at = random.below(value.length);
    if (random.below(6) === 0) return value.toSpliced(at, 1);
    if (random.below(6) === 0) return [...value, value[at]];
    return value.with(at, mutateJson(random, value[at]));
  }
  if (isObject(value) && inside) {
    const keys = Object.keys(value);
    const key = keys[random.below(Math.max(1, keys.length))];
    const rest = Object.entries(value).filter(([name]) => name !== key);
    // Not by assignment: a key such as __proto__ is to be one of the object's own.
    if (key === undefined || random.below(6) === 0) {
      return Object.fromEntries([...Object.entries(value), [random.pick(ODD_NAMES), anyJson(random, 2)]]);
    }
    if (random.below(6) === 0) return Object.fromEntries(rest);
    return Object.fromEntries([...rest, [key, mutateJson(random, value[key])]]);
  }
  if (typeof value === 'string' && random.below(2) === 0)
    return mutateText(random, value, [...ODD_NAMES, '*', '-1', '1e9']);
  if (typeof value === 'number' && random.below(2) === 0) return random.pick(ODD_NUMBERS);
  return anyJson(random);
}
