import { isJsonObject, safeJsonObject } from './json.ts';

/** Name of a secret: letters, digits and `_ . -`, beginning with a letter. */
export const SECRET_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** A value of a config that is sealed at rest, and could not be opened here. */
export interface SealedValue {
  readonly $sealed: string;
}

const only = (value: unknown, key: string): string | null => {
  if (!isJsonObject(value)) return null;
  const [name, ...others] = Object.keys(value);
  const text = name === key && others.length === 0 ? value[key] : null;
  return typeof text === 'string' ? text : null;
};

/** The name in a reference to a secret, `{"$secret": "NAME"}`; null for any other value. */
export const secretNameOf = (value: unknown): string | null => only(value, '$secret');

/** True for `{"$sealed": "…"}`. */
export const isSealed = (value: unknown): value is SealedValue => only(value, '$sealed') !== null;

/** A place in a config, with what stands there. */
interface Found {
  readonly path: string[];
  readonly value: unknown;
}

/** All values in a JSON value that a test accepts, from the outermost inwards; nothing below one is looked at. */
export function valuesWhere(root: unknown, accepts: (value: unknown) => boolean, path: string[] = []): Found[] {
  if (accepts(root)) return [{ path, value: root }];
  if (typeof root !== 'object' || root === null) return [];
  return Object.entries(root).flatMap(([key, value]) => valuesWhere(value, accepts, [...path, key]));
}

/** The names of all secrets to which a config refers, each once. */
export function secretNames(config: unknown): string[] {
  const names = valuesWhere(config, (value) => secretNameOf(value) !== null).map(({ value }) => secretNameOf(value));
  return [...new Set(names.filter((name) => name !== null))];
}

/** A copy of a JSON value in which `change` replaces values, from the outermost inwards; undefined leaves one as it is. */
export function replaceValues(root: unknown, change: (value: unknown) => unknown): unknown {
  const changed = change(root);
  if (changed !== undefined) return changed;
  if (Array.isArray(root)) return root.map((item) => replaceValues(item, change));
  if (!isJsonObject(root)) return root;
  return safeJsonObject(Object.entries(root).map(([key, value]) => [key, replaceValues(value, change)]));
}
