import { isJsonObject, mergeOwn, ownValue, setOwn } from '../../../shared/json.ts';

/** Keys and indexes from the whole config to one value. */
export type Path = readonly string[];

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
