import { isJsonObject, mergeOwn, ownValue, setOwn } from '../../../shared/json.ts';
import { propertiesOf, resolve, type Schema } from '../../../shared/json-schema.ts';

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
