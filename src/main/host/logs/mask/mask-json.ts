import { setOwn } from '../../../../shared/json.ts';
import { isSecretValue } from './key-value.ts';
import { kindOf } from './name-kinds.ts';
import { spelledRuns } from './secret-across-items.ts';
import { MASK } from './spans.ts';

/** Deeper values are masked whole. */
const DEEPEST = 200;
/** As DEEPEST, for answers of programs: a depth that the stack certainly carries. */
const DEEPEST_ANSWER = 2000;
/** A metric's type and time, only at the top of a value: charts need them. */
const UNTOUCHED = new Set(['_metric', 'timestamp']);

interface Walk {
  readonly maskText: (text: string) => string;
  readonly maskName: (name: string) => string;
  /** Known shapes and long values only: short values may be ordinary words. */
  readonly maskExact: (text: string) => string;
  readonly isSecretNumber: (value: number) => boolean;
  /** Whether a text holds a secret value, in any form. */
  readonly holdsValue: (text: string) => boolean;
}

function maskString(walk: Walk, text: string, name: string, inSecret: boolean, depth: number): string {
  if (depth === 1 && UNTOUCHED.has(name)) return walk.maskExact(text);
  if (isSecretValue(inSecret ? 'secret' : name, text, true)) return MASK;
  return maskNamed(walk, name, text);
}

/** Longest name of a header. */
const LONGEST_NAME = 64;

/** Masks a text together with its name: `Authorization` and the headers of exchanges say more than the text alone. */
function maskNamed(walk: Walk, name: string, text: string): string {
  if (name === '' || name.length > LONGEST_NAME) return walk.maskText(text);
  const before = `${name}: `;
  const masked = walk.maskText(before + text);
  return masked.startsWith(before) ? masked.slice(before.length) : walk.maskText(text);
}

/** The name of the `value` in `{"name": "API_KEY", "value": "…"}`, as environments and headers are listed. */
function listedName(value: object): string | null {
  for (const key of ['name', 'key', 'header']) {
    const name: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
    if (typeof name === 'string') return name;
  }
  return null;
}

/**
 * Makes the masked keys of one object unique by numbers. Each counts on from the last number, since thousands of equal
 * keys would otherwise try all of them.
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
    const items = value.map((item: unknown) => maskValue(walk, item, name, inSecret, depth + 1));
    return unspelledList(items.every((item, i) => item === value[i]) ? value : items, walk.holdsValue);
  }
  return unspelledObject(maskProperties(walk, value, inSecret, depth), walk.holdsValue);
}

type HoldsValue = (text: string) => boolean;

/** A list whose items are masked already, with one mask for items that only together spell a secret value out. */
function unspelledList(items: readonly unknown[], holdsValue: HoldsValue): readonly unknown[] {
  const runs = spelledRuns(items, holdsValue);
  if (runs.length === 0) return items;
  const ends = [0, ...runs.map(({ to }) => to)];
  const kept = runs.flatMap(({ from }, i) => [...items.slice(ends[i], from), MASK]);
  return [...kept, ...items.slice(ends.at(-1))];
}

/** The same for an object: its numbered properties, as JSON shows a Uint8Array, stand first and are its items. */
function unspelledObject(value: object, holdsValue: HoldsValue): object {
  const keys = Object.keys(value);
  const count = keys.findIndex((key, i) => key !== String(i));
  const items = Object.values(value).slice(0, count < 0 ? keys.length : count);
  const masked = new Map(
    spelledRuns(items, holdsValue).flatMap(({ from, to }) => keys.slice(from, to).map((key) => [key, MASK])),
  );
  return masked.size === 0 ? value : { ...value, ...Object.fromEntries(masked) };
}

function maskProperties(walk: Walk, value: object, inSecret: boolean, depth: number): object {
  const listed = listedName(value);
  const properties = Object.entries(value);
  let isChanged = false;
  const masked = properties.map(([key, item]): [key: string, item: unknown] => {
    const called = key === 'value' && listed !== null ? listed : key;
    const below = inSecret || (typeof item === 'object' && kindOf(called).isSecret);
    const property: [string, unknown] = [walk.maskName(key), maskValue(walk, item, called, below, depth + 1)];
    if (property[0] !== key || property[1] !== item) isChanged = true;
    return property;
  });
  if (!isChanged) return value;
  const copy: Record<string, unknown> = {};
  const freeKey = freeKeys(copy);
  for (const [key, item] of masked) setOwn(copy, freeKey(key), item);
  return copy;
}

/**
 * A JSON value with the secrets in its texts masked, the same object without any: by their property's name, by the
 * rules, and by exact values. Booleans, null and numbers that are no secret value stay; so do `_metric` and `timestamp`
 * at the top, unless they hold a long secret value or a known shape.
 */
export function maskJsonValue(walk: Walk, value: unknown): unknown {
  return maskValue(walk, value, '', false, 0);
}

/** The replacements of replaceValues; keys are texts. */
interface Change {
  readonly text: (text: string) => string;
  readonly number: (value: number) => unknown;
  /** Whether a text holds a secret value, in any form. */
  readonly holdsValue: (text: string) => boolean;
}

/** A copy of a JSON value with every text in it, keys included, every number, and lists that spell out a value replaced. */
export function replaceValues(value: unknown, change: Change, depth = 0): unknown {
  if (typeof value === 'string') return change.text(value);
  if (typeof value === 'number') return change.number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST_ANSWER) return MASK;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => replaceValues(item, change, depth + 1));
    return unspelledList(items, change.holdsValue);
  }
  const copy: Record<string, unknown> = {};
  const freeKey = freeKeys(copy);
  for (const [key, item] of Object.entries(value)) {
    setOwn(copy, freeKey(change.text(key)), replaceValues(item, change, depth + 1));
  }
  return unspelledObject(copy, change.holdsValue);
}
