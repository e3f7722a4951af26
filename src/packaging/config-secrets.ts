import { invalid } from '../contract/errors.ts';
import { isJsonObject, setOwn } from '../shared/json.ts';
import { looksRandom, looksSecret, mayBeSecret } from '../shared/secret-names.ts';
import { isSealed, type SealedValue, secretNameOf } from '../shared/secret-value.ts';
import { inPlace, itemSchemas, propertySchemas, type SchemaObject } from './schema-walk.ts';

/** Text that replaces a secret value on every read surface. */
export const REDACTED = '********';

/** A secret value of a config. `path` holds property names and array indexes. */
export interface SecretProperty {
  readonly path: string[];
  readonly value: string;
}

function isMarked(schema: SchemaObject): boolean {
  return schema.format === 'password' || schema.writeOnly === true || schema['x-secret'] === true;
}

/** `since`: number of path parts that lead to the outermost property that is secret as a whole. */
type Leaf = (
  value: string | number | SealedValue,
  path: string[],
  replace: (value: unknown) => void,
  since: number,
) => void;

/**
 * Visits every secret leaf of a config: all texts and numbers at or below a property that the schema marks
 * (`format: password`, `writeOnly`, `x-secret`), texts at or below one whose name looks secret, and random texts under
 * a name that may hold a secret, such as `token`. A sealed value is a leaf wherever it stands; the name in a reference to a
 * secret is none.
 */
function visitSecrets(root: SchemaObject, config: unknown, leaf: Leaf): void {
  const visit = (
    value: unknown,
    given: readonly unknown[],
    inherited: 'no' | 'name' | 'mark',
    path: string[],
    replace: (value: unknown) => void,
    outer: number,
  ): void => {
    if (secretNameOf(value) !== null) return;
    const schemas = inPlace(root, given);
    const status = inherited === 'mark' || schemas.some(isMarked) ? 'mark' : inherited;
    const since = inherited === 'no' ? path.length : outer;
    if (isSealed(value)) leaf(value, path, replace, since);
    else if (typeof value === 'string' && status !== 'no' && value !== '') leaf(value, path, replace, since);
    else if (typeof value === 'number' && status === 'mark') leaf(value, path, replace, since);
    else if (Array.isArray(value)) {
      const list: unknown[] = value;
      for (const [i, item] of list.entries())
        visit(
          item,
          itemSchemas(schemas, i),
          status,
          [...path, String(i)],
          (next) => setOwn(list, String(i), next),
          since,
        );
    } else if (isJsonObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        const random = typeof child === 'string' && mayBeSecret(key) && (child === REDACTED || looksRandom(child));
        const below = status === 'no' && (looksSecret(key) || random) ? 'name' : status;
        const at = [...path, key];
        const from = status === 'no' ? at.length : since;
        visit(child, propertySchemas(schemas, key), below, at, (next) => setOwn(value, key, next), from);
      }
    }
  };
  visit(config, [root], 'no', [], () => undefined, 0);
}

/** The secret values of a config, for masking in logs. Numbers are given as their text. */
export function secretProperties(schema: SchemaObject, config: unknown): SecretProperty[] {
  const found: SecretProperty[] = [];
  visitSecrets(schema, config, (value, path) => {
    if (!isSealed(value)) found.push({ path, value: String(value) });
  });
  return found;
}

/** A copy of a config in which `change` replaces each secret value. */
export function replaceSecrets(
  schema: SchemaObject,
  config: Record<string, unknown>,
  change: (value: string | number | SealedValue) => unknown,
): Record<string, unknown> {
  const copy = structuredClone(config);
  visitSecrets(schema, copy, (value, _path, replace) => replace(change(value)));
  return copy;
}

/** A copy of a config in which secret values read `********`: the only form that a read surface may return. */
export const redactConfig = (schema: SchemaObject, config: Record<string, unknown>): Record<string, unknown> =>
  replaceSecrets(schema, config, () => REDACTED);

function valueAt(config: unknown, path: readonly string[]): unknown {
  let node = config;
  for (const key of path) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

/** True where an item of a list stands on the way to a value. */
function goesThroughList(config: unknown, path: readonly string[]): boolean {
  return path.some((_, depth) => Array.isArray(valueAt(config, path.slice(0, depth))));
}

/** Removes a property from its object. */
function removeAt(config: Record<string, unknown>, path: readonly string[]): void {
  const holder = valueAt(config, path.slice(0, -1));
  if (isJsonObject(holder)) delete holder[path.at(-1) ?? ''];
}

/** True if the schema allows a property at this path. */
function takes(root: SchemaObject, path: readonly string[]): boolean {
  let schemas = inPlace(root, [root]);
  for (const key of path) {
    const next = propertySchemas(schemas, key);
    if (next.includes(false)) return false;
    schemas = inPlace(root, next);
  }
  return true;
}

/** True if the schema accepts an object with only these properties: it can then be recreated for them. */
function doesWith(root: SchemaObject, at: readonly string[], kept: readonly (readonly string[])[]): boolean {
  let schemas = inPlace(root, [root]);
  for (const key of at) schemas = inPlace(root, propertySchemas(schemas, key));
  const isKept = (name: unknown): boolean =>
    kept.some((path) => [...at, name].every((key, depth) => key === path[depth]));
  return schemas.every(({ type, required }) => {
    if (type !== undefined && ![type].flat().includes('object')) return false;
    return !Array.isArray(required) || required.every(isKept);
  });
}

/**
 * Keeps stored secrets that a new config does not mention, even inside an object it leaves out, if the secrets alone
 * make it valid; null removes the secret, or the object that held it.
 */
function keepUnmentioned(
  schema: SchemaObject,
  config: Record<string, unknown>,
  stored: Record<string, unknown>,
): Record<string, unknown> {
  const copy = structuredClone(config);
  const gone: string[][] = [];
  const kept = secretProperties(schema, stored).map(({ path }) => path);
  visitSecrets(schema, stored, (_value, path, _replace, since) => {
    // List items have no identity: a new item cannot be matched with an old one.
    if (goesThroughList(stored, path.slice(0, since))) return;
    let holder = copy;
    for (const [depth, key] of path.entries()) {
      const at = path.slice(0, depth + 1);
      if (!Object.hasOwn(holder, key)) {
        if (!takes(schema, path)) return;
        const whole = at.length >= since;
        if (!whole && !doesWith(schema, at, kept)) return;
        setOwn(holder, key, whole ? structuredClone(valueAt(stored, at)) : {});
        if (whole) return;
      }
      const next = holder[key];
      if (next === null) gone.push(at);
      if (!isJsonObject(next)) return;
      holder = next;
    }
  });
  for (const path of gone) removeAt(copy, path);
  return copy;
}

/**
 * Completes a client's config from the stored one. `********` stands for the stored secret, so clients can send back
 * what they read; an unmentioned secret stays, because clients cannot repeat it; null removes it, also in place of an
 * object around it. List items are never matched. Throws INVALID_CONFIG where no value is stored.
 */
export function restoreRedacted(
  schema: SchemaObject,
  newConfig: Record<string, unknown>,
  oldConfig: Record<string, unknown>,
): Record<string, unknown> {
  const copy = keepUnmentioned(schema, newConfig, oldConfig);
  const missing: string[] = [];
  visitSecrets(schema, copy, (value, path, replace) => {
    if (value !== REDACTED) return;
    const old = goesThroughList(copy, path) ? undefined : valueAt(oldConfig, path);
    if (typeof old === 'string' || typeof old === 'number' || isSealed(old)) replace(old);
    else missing.push(path.join('.'));
  });
  if (missing.length > 0) {
    throw invalid(
      'INVALID_CONFIG',
      missing.map((path) => ({
        path: `config.${path}`,
        message: `is "${REDACTED}", which stands for a stored secret, but none is stored there`,
        hint: 'Send the real value.',
      })),
    );
  }
  return copy;
}
