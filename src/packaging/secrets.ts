import { invalid } from '../contract/errors.ts';
import { isJsonObject, setOwn } from '../isomorphic/json.ts';
import { looksSecret } from '../isomorphic/secret-names.ts';
import { inPlace, itemSchemas, propertySchemas, type SchemaObject } from './schema-walk.ts';

/** What stands in place of a secret value on every read surface. */
export const REDACTED = '********';

/** A secret value of a config. `path` holds property names and array indexes. */
export interface SecretProperty {
  readonly path: string[];
  readonly value: string;
}

function isMarked(schema: SchemaObject): boolean {
  return schema.format === 'password' || schema.writeOnly === true || schema['x-secret'] === true;
}

type Leaf = (value: string | number, path: string[], replace: (value: unknown) => void) => void;

/**
 * Visits every secret leaf of a config: all texts and numbers at or below a property that the schema marks
 * (`format: password`, `writeOnly`, `x-secret`), and texts at or below one whose name looks secret.
 */
function visitSecrets(root: SchemaObject, config: unknown, leaf: Leaf): void {
  const visit = (
    value: unknown,
    given: readonly unknown[],
    inherited: 'no' | 'name' | 'mark',
    path: string[],
    replace: (value: unknown) => void,
  ): void => {
    const schemas = inPlace(root, given);
    const status = inherited === 'mark' || schemas.some(isMarked) ? 'mark' : inherited;
    if (typeof value === 'string' && status !== 'no' && value !== '') leaf(value, path, replace);
    else if (typeof value === 'number' && status === 'mark') leaf(value, path, replace);
    else if (Array.isArray(value)) {
      const list: unknown[] = value;
      for (const [i, item] of list.entries())
        visit(item, itemSchemas(schemas, i), status, [...path, String(i)], (next) => setOwn(list, String(i), next));
    } else if (isJsonObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        const below = status === 'no' && looksSecret(key) ? 'name' : status;
        visit(child, propertySchemas(schemas, key), below, [...path, key], (next) => setOwn(value, key, next));
      }
    }
  };
  visit(config, [root], 'no', [], () => undefined);
}

/** The secret values of a config (wire.md section 10), for masking in logs. Numbers are given as their text. */
export function secretProperties(schema: SchemaObject, config: unknown): SecretProperty[] {
  const found: SecretProperty[] = [];
  visitSecrets(schema, config, (value, path) => found.push({ path, value: String(value) }));
  return found;
}

/** A copy of a config in which secret values read `********`: the only form that a read surface may return. */
export function redactConfig(schema: SchemaObject, config: Record<string, unknown>): Record<string, unknown> {
  const copy = structuredClone(config);
  visitSecrets(schema, copy, (_value, _path, replace) => replace(REDACTED));
  return copy;
}

function valueAt(config: unknown, path: readonly string[]): unknown {
  let node = config;
  for (const key of path) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

/**
 * A copy of a new config in which every secret that reads exactly `********` has its old value again: what a client read
 * it can send back. Throws INVALID_CONFIG where there is no old value to put back.
 */
export function restoreRedacted(
  schema: SchemaObject,
  newConfig: Record<string, unknown>,
  oldConfig: Record<string, unknown>,
): Record<string, unknown> {
  const copy = structuredClone(newConfig);
  const missing: string[] = [];
  visitSecrets(schema, copy, (value, path, replace) => {
    if (value !== REDACTED) return;
    const old = valueAt(oldConfig, path);
    if (typeof old === 'string' || typeof old === 'number') replace(old);
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
