import { isJsonObject, mergeOwn, ownValue, setOwn } from '../../../shared/json.ts';
import { propertiesOf, resolve, type Schema } from '../../../shared/json-schema.ts';

/** Keys and indexes from the whole config to one value. */
export type Path = readonly string[];

/** Placeholder of a stored secret; sent back unchanged, it keeps the value. */
export const STORED = '********';

/** The value at a path; undefined if it is missing. */
export function valueAt(root: unknown, path: Path): unknown {
  let node = root;
  for (const key of path) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = ownValue(node, key);
  }
  return node;
}

/** A copy with another value at a path; undefined takes the key away. Objects on the way are made where they are missing. */
export function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) {
    const copy: unknown[] = [...root];
    const next = withValue(copy[Number(key)], rest, value);
    if (next === undefined) copy.splice(Number(key), 1);
    else copy[Number(key)] = next;
    return copy;
  }
  const copy = isJsonObject(root) ? mergeOwn(root) : {};
  const next = withValue(ownValue(copy, key), rest, value);
  if (next === undefined) delete copy[key];
  else setOwn(copy, key, next);
  return copy;
}

/** A copy in which a key has another name, at its place among the others. */
export function withKey(root: Readonly<Record<string, unknown>>, from: string, to: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(root)) setOwn(copy, key === from ? to : key, value);
  return copy;
}

const MOST_LEVELS = 64;

/** A config with the defaults of its schema, at every depth where an object exists, as the host fills them in. */
export function withDefaults(root: Schema, given: Schema, value: unknown, depth = 0): unknown {
  if (depth > MOST_LEVELS) return value;
  const schema = resolve(root, given);
  if (Array.isArray(value))
    return value.map((item) => withDefaults(root, resolve(root, schema.items), item, depth + 1));
  if (!isJsonObject(value)) return value;
  const copy = mergeOwn(value);
  for (const { key, schema: child } of propertiesOf(root, schema)) {
    if (!Object.hasOwn(copy, key) && 'default' in child) setOwn(copy, key, child.default);
    if (Object.hasOwn(copy, key)) setOwn(copy, key, withDefaults(root, child, ownValue(copy, key), depth + 1));
  }
  return copy;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** One difference between two configs. Undefined: it is not set. */
export interface Difference {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

/** The differences, setting by setting; lists differ as a whole. */
export function differences(before: unknown, after: unknown, path: Path = []): Difference[] {
  if (same(before, after)) return [];
  const inner = (value: unknown): value is Record<string, unknown> =>
    isJsonObject(value) && Object.keys(value).length > 0;
  if (!inner(before) && !inner(after)) return [{ path, before, after }];
  if (!(isJsonObject(before) || before === undefined) || !(isJsonObject(after) || after === undefined)) {
    return [{ path, before, after }];
  }
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...keys].flatMap((key) =>
    differences(
      before === undefined ? undefined : ownValue(before, key),
      after === undefined ? undefined : ownValue(after, key),
      [...path, key],
    ),
  );
}

function holdsNull(value: unknown): boolean {
  if (value === null) return true;
  return isJsonObject(value) && Object.values(value).some(holdsNull);
}

function patchOf(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) setOwn(patch, key, null);
  for (const [key, value] of Object.entries(after)) {
    const old = ownValue(before, key);
    if (!same(old, value)) setOwn(patch, key, patchOf(old, value));
  }
  return patch;
}

/** Request fields for a change of a config. */
export type ConfigChange =
  | { readonly config_patch: Record<string, unknown> }
  | { readonly config: Record<string, unknown> };

/**
 * The change from one config to another: a JSON Merge Patch of the differences, so that everything else keeps its
 * stored value. A patch cannot set null (there it removes); the whole config is sent then.
 */
export function changeOf(before: Record<string, unknown>, after: Record<string, unknown>): ConfigChange {
  if (differences(before, after).some((one) => holdsNull(one.after))) return { config: after };
  const patch = patchOf(before, after);
  return { config_patch: isJsonObject(patch) ? patch : {} };
}
