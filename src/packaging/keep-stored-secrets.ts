import { invalid } from '../contract/errors.ts';
import { isJsonObject, setOwn } from '../shared/json.ts';
import { isSealed } from '../shared/secret-references.ts';
import { REDACTED, secretProperties, visitSecrets } from './config-secrets.ts';
import { inPlace, propertySchemas, type SchemaObject } from './schema-walk.ts';

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
export function keepStoredSecrets(
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
