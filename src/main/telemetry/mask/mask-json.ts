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
  readonly maskExact: (text: string) => string;
  readonly isSecretNumber: (value: number) => boolean;
}

function maskString(walk: Walk, text: string, name: string, inSecret: boolean, depth: number): string {
  if (depth === 1 && UNTOUCHED.has(name)) return walk.maskExact(text);
  if (isSecretValue(inSecret ? 'secret' : name, text, true)) return MASK;
  return walk.maskText(text);
}

/** A free name: the key itself, or with a number where masking made two keys equal. */
function freeKey(object: object, key: string): string {
  let free = key;
  for (let n = 2; Object.hasOwn(object, free); n++) free = `${key} ${n}`;
  return free;
}

function maskValue(walk: Walk, value: unknown, name: string, inSecret: boolean, depth: number): unknown {
  if (typeof value === 'string') return maskString(walk, value, name, inSecret, depth);
  if (typeof value === 'number') return walk.isSecretNumber(value) ? MASK : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return MASK;
  if (Array.isArray(value)) return value.map((item: unknown) => maskValue(walk, item, name, inSecret, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const below = inSecret || (typeof item === 'object' && looksSecret(key));
    setOwn(copy, freeKey(copy, walk.maskText(key)), maskValue(walk, item, key, below, depth + 1));
  }
  return copy;
}

/**
 * A copy of a JSON value with the secrets in its texts masked: by their property's name, by the rules, and exact values.
 * Booleans, null and numbers that are no secret value stay; so do `_metric` and `timestamp` at the top, but for a long
 * secret value in them.
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
  for (const [key, item] of Object.entries(value)) {
    setOwn(copy, freeKey(copy, change.text(key)), replaceValues(item, change, depth + 1));
  }
  return copy;
}
