import { isJsonObject, setOwn } from '../shared/json.ts';
import { looksRandom, looksSecret, mayBeSecret } from '../shared/secret-names.ts';
import { isSealed, type SealedValue, secretNameOf } from '../shared/secret-references.ts';
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
export function visitSecrets(root: SchemaObject, config: unknown, leaf: Leaf): void {
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
