import { setOwn } from '../../../isomorphic/json.ts';
import { looksSecret } from '../../../isomorphic/secret-names.ts';
import { isSecretValue } from './key-value.ts';
import { MASK } from './spans.ts';

/** What is nested deeper than this is masked whole. */
const DEEPEST = 200;
/** As DEEPEST, for what a program answers: as deep as the stack surely carries. */
const DEEPEST_ANSWER = 2000;
/** A metric's type and time (wire.md section 4); only at the top of a value. */
const UNTOUCHED = new Set(['_metric', 'timestamp']);

interface Walk {
  readonly maskText: (text: string) => string;
  /** Known shapes and long values only: short values may be ordinary words. */
  readonly maskExact: (text: string) => string;
  readonly isSecretNumber: (value: number) => boolean;
}

function maskString(walk: Walk, text: string, name: string, inSecret: boolean, depth: number): string {
  if (depth === 1 && UNTOUCHED.has(name)) return walk.maskExact(text);
  if (isSecretValue(inSecret ? 'secret' : name, text, true)) return MASK;
  return maskNamed(walk, name, text);
}

/** Names longer than this are no header's. */
const LONGEST_NAME = 64;

/** A text with its name before it: `Authorization` and the headers of exchanges say more than the text alone. */
function maskNamed(walk: Walk, name: string, text: string): string {
  if (name === '' || name.length > LONGEST_NAME) return walk.maskText(text);
  const before = `${name}: `;
  const masked = walk.maskText(before + text);
  return masked.startsWith(before) ? masked.slice(before.length) : walk.maskText(text);
}

/** What the `value` of `{"name": "API_KEY", "value": "…"}` is called, as environments and headers are listed. */
function listedName(value: object): string | null {
  for (const key of ['name', 'key', 'header']) {
    const name: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
    if (typeof name === 'string') return name;
  }
  return null;
}

/**
 * Gives the keys of one object free names: the key itself, or with a number where masking made two keys equal. Each goes on
 * from the number before: of thousands that are equal, all would be tried for each otherwise.
 */
function freeKeys(object: object): (key: string) => string {
  const next = new Map<string, number>();
  return (key) => {
    if (!Object.hasOwn(object, key)) return key;
    let n = next.get(key) ?? 2;
    while (Object.hasOwn(object, `${key} ${n}`)) n += 1;
    next.set(key, n + 1);
    return `${key} ${n}`;
  };
}

const SHORTEST_KEY_BYTES = 16;

/** A key as a list of bytes, as wallets of Solana keep theirs. */
function isByteList(items: readonly unknown[]): boolean {
  const isByte = (item: unknown): boolean => Number.isInteger(item) && Number(item) >= 0 && Number(item) < 256;
  return items.length >= SHORTEST_KEY_BYTES && items.every(isByte);
}

/** The lines of a text with a private key block in it, one text each. */
function isKeyBlock(items: readonly unknown[]): boolean {
  const isLine = (item: unknown): boolean => typeof item === 'string' && !item.includes('\n');
  return items.some((item) => typeof item === 'string' && item.includes('-----BEGIN ')) && items.every(isLine);
}

function maskValue(walk: Walk, value: unknown, name: string, inSecret: boolean, depth: number): unknown {
  if (typeof value === 'string') return maskString(walk, value, name, inSecret, depth);
  if (typeof value === 'number') return walk.isSecretNumber(value) ? MASK : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return MASK;
  if (Array.isArray(value)) {
    if (inSecret && isByteList(value)) return [MASK];
    if (isKeyBlock(value)) return walk.maskText(value.join('\n')).split('\n');
    return value.map((item: unknown) => maskValue(walk, item, name, inSecret, depth + 1));
  }
  const copy: Record<string, unknown> = {};
  const freeKey = freeKeys(copy);
  const listed = listedName(value);
  for (const [key, item] of Object.entries(value)) {
    const called = key === 'value' && listed !== null ? listed : key;
    const below = inSecret || (typeof item === 'object' && looksSecret(called));
    setOwn(copy, freeKey(walk.maskText(key)), maskValue(walk, item, called, below, depth + 1));
  }
  return copy;
}

/**
 * A copy of a JSON value with the secrets in its texts masked: by their property's name, by the rules, and exact values.
 * Booleans, null and numbers that are no secret value stay; so do `_metric` and `timestamp` at the top, but for a long
 * secret value and known shapes in them.
 */
export function maskJsonValue(walk: Walk, value: unknown): unknown {
  return maskValue(walk, value, '', false, 0);
}

/** How replaceValues changes what it meets; keys are texts. */
interface Change {
  readonly text: (text: string) => string;
  readonly number: (value: number) => unknown;
}

/** A copy of a JSON value with every text in it, keys included, and every number replaced. */
export function replaceValues(value: unknown, change: Change, depth = 0): unknown {
  if (typeof value === 'string') return change.text(value);
  if (typeof value === 'number') return change.number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST_ANSWER) return MASK;
  if (Array.isArray(value)) return value.map((item: unknown) => replaceValues(item, change, depth + 1));
  const copy: Record<string, unknown> = {};
  const freeKey = freeKeys(copy);
  for (const [key, item] of Object.entries(value)) {
    setOwn(copy, freeKey(change.text(key)), replaceValues(item, change, depth + 1));
  }
  return copy;
}
