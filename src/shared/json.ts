/** Helpers for JSON whose keys are data: no key, `__proto__` included, ever reaches a prototype. */

/** True for an object that is not an array. Its prototype may be anything: read it with ownValue. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text as JSON; null for anything else. */
export function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The object's own value under a key, else undefined; inherited names such as `constructor` do not count. */
export function ownValue(object: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

/** Sets a key as data, `__proto__` included. */
export function setOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** An object of these entries; a later entry wins over an earlier one with the same key. */
export function safeJsonObject(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [key, value] of entries) setOwn(object, key, value);
  return object;
}

/** A new object with the own keys of all objects; later objects win, and nothing deeper is merged. */
export function mergeOwn(...objects: readonly object[]): Record<string, unknown> {
  return safeJsonObject(objects.flatMap((object) => Object.entries(object)));
}

/**
 * Returns the nesting depth of a JSON value: 0 for a scalar, 1 for `[]`. Stops counting at `max` + 1, so it costs no more than
 * that many levels and never overflows the stack.
 */
export function jsonDepth(value: unknown, max: number): number {
  let depth = 0;
  let level: unknown[] = [value];
  for (;;) {
    const containers = level.filter((item): item is object => typeof item === 'object' && item !== null);
    if (containers.length === 0 || depth > max) return depth;
    depth += 1;
    level = containers.flatMap((item): unknown[] => Object.values(item));
  }
}

/**
 * True when the value that this JSON text stands for is nested deeper than `max`. A short text, or one without so many
 * brackets, cannot be: that is cheaper to see than to walk through the value.
 */
export function isNestedDeeper(text: string, value: unknown, max: number): boolean {
  if (text.length <= 2 * max) return false;
  let brackets = 0;
  for (let at = 0; at < text.length && brackets <= max; at++) {
    const code = text.charCodeAt(at);
    if (code === 91 || code === 123) brackets += 1;
  }
  return brackets > max && jsonDepth(value, max) > max;
}

/**
 * JSON text with the keys of every object sorted by code unit: equal values give equal texts. Values that JSON leaves out
 * are left out. Throws TypeError for what JSON cannot hold (cycles, BigInt, undefined alone), like JSON.stringify.
 */
export function stableStringify(value: unknown): string {
  const sorted = (_key: string, item: unknown): unknown =>
    isJsonObject(item) ? safeJsonObject(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) : item;
  const text: string | undefined = JSON.stringify(value, sorted);
  if (text === undefined) throw new TypeError('This value has no JSON form');
  return text;
}
