import { isJsonObject, ownValue, setOwn } from '../../../shared/json.ts';
import { isSecret, otherSchema, propertiesOf, resolve, type Schema } from '../../../shared/json-schema.ts';
import { secretNameOf } from '../../../shared/secret-references.ts';

/** Placeholder of a stored secret; sent back unchanged, it keeps the value. */
export const STORED = '********';

/** A copy of a config in which secret texts and numbers read `********`, for places where it is only shown. */
export function hideSecrets(root: Schema, config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const visit = (given: unknown, value: unknown, secret: boolean): unknown => {
    const schema = resolve(root, given);
    if (secretNameOf(value) !== null) return value;
    if (Array.isArray(value)) return value.map((item) => visit(schema.items, item, secret));
    if (!isJsonObject(value))
      return secret && (typeof value === 'number' || (typeof value === 'string' && value !== '')) ? STORED : value;
    const named = new Map(propertiesOf(root, schema).map((one) => [one.key, one.schema]));
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const child = named.get(key) ?? otherSchema(root, schema) ?? {};
      setOwn(copy, key, visit(child, ownValue(value, key), secret || isSecret(key, child)));
    }
    return copy;
  };
  const hidden = visit(root, config, false);
  return isJsonObject(hidden) ? hidden : {};
}

/** Puts secrets back into an edited config: every remaining `********` gets its old value. */
export function withHidden(written: unknown, before: unknown): unknown {
  if (written === STORED) return typeof before === 'string' || typeof before === 'number' ? before : written;
  if (Array.isArray(written)) {
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    return written.map((item, i) => withHidden(item, old[i]));
  }
  if (!isJsonObject(written)) return written;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(written)) {
    setOwn(copy, key, withHidden(ownValue(written, key), isJsonObject(before) ? ownValue(before, key) : undefined));
  }
  return copy;
}

/** A copy of a config without what reads `********`, there or in the schema's words: a duplicate has secrets of its own. */
export function withoutSecrets(root: Schema, config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((item) => item !== STORED).map(visit);
    if (!isJsonObject(value)) return value;
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const item = ownValue(value, key);
      if (item !== STORED) setOwn(copy, key, visit(item));
    }
    return copy;
  };
  const left = visit(hideSecrets(root, config));
  return isJsonObject(left) ? left : {};
}
