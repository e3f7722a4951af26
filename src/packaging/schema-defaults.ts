import { LIMITS } from '../contract/limits.ts';
import { isJsonObject, ownValue, setOwn } from '../shared/json.ts';
import { OverloadError } from './deadline.ts';
import { inPlace, itemSchemas, propertySchemas, type SchemaObject } from './schema-walk.ts';

const MAX_FILLED = 10_000;

/**
 * Fills the schema's defaults into a config, in place and at every depth where an object exists. Defaults behind anyOf,
 * oneOf and if do not count. Throws OverloadError for endless defaults.
 */
export function fillDefaults(root: SchemaObject, config: Record<string, unknown>): void {
  let filled = 0;
  const visit = (value: unknown, given: readonly unknown[], depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (depth > LIMITS.configDepth) throw new OverloadError('its defaults nest without end');
    const schemas = inPlace(root, given, true);
    if (schemas.length === 0) return;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) visit(item, itemSchemas(schemas, i), depth + 1);
      return;
    }
    for (const schema of schemas) {
      const properties = ownValue(schema, 'properties');
      if (!isJsonObject(properties)) continue;
      for (const [key, child] of Object.entries(properties)) {
        if (Object.hasOwn(value, key)) continue;
        const source = inPlace(root, [child], true).find((candidate) => Object.hasOwn(candidate, 'default'));
        if (source === undefined) continue;
        if (++filled > MAX_FILLED) throw new OverloadError(`more than ${MAX_FILLED} defaults`);
        setOwn(value, key, structuredClone(source.default));
      }
    }
    for (const [key, child] of Object.entries(value)) visit(child, propertySchemas(schemas, key), depth + 1);
  };
  visit(config, [root], 0);
}
