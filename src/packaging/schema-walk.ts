import { isJsonObject, ownValue } from '../shared/json.ts';
import { pointerPart } from './parse-json-positions.ts';
import { compilePattern } from './schema-pattern.ts';

/** A JSON Schema object; `true` and `false` are schemas too but hold nothing. */
export type SchemaObject = Readonly<Record<string, unknown>>;

const ONE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
];
const MANY = ['allOf', 'anyOf', 'items', 'oneOf'];
const NAMED = ['$defs', 'definitions', 'dependencies', 'patternProperties', 'properties'];

/** The direct subschemas of a draft-07 schema with their pointers: keywords only, never data such as `default`. */
export function* subschemas(schema: SchemaObject, pointer: string): Generator<[schema: SchemaObject, pointer: string]> {
  for (const keyword of ONE) {
    const child = ownValue(schema, keyword);
    if (isJsonObject(child)) yield [child, `${pointer}/${keyword}`];
  }
  for (const keyword of MANY) {
    const list = ownValue(schema, keyword);
    if (!Array.isArray(list)) continue;
    for (const [i, child] of list.entries()) if (isJsonObject(child)) yield [child, `${pointer}/${keyword}/${i}`];
  }
  for (const keyword of NAMED) {
    const group = ownValue(schema, keyword);
    if (!isJsonObject(group)) continue;
    for (const [name, child] of Object.entries(group))
      if (isJsonObject(child)) yield [child, `${pointer}/${keyword}/${pointerPart(name)}`];
  }
}

/** Every schema inside a schema, itself first. */
export function* allSchemas(root: SchemaObject): Generator<[schema: SchemaObject, pointer: string]> {
  const stack: [SchemaObject, string][] = [[root, '']];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    yield next;
    stack.push(...[...subschemas(...next)].reverse());
  }
}

/** The schema that a local `$ref` (`#`, `#/definitions/x`) names, or undefined. */
export function resolveRef(root: SchemaObject, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  let node: unknown = root;
  let fragment: string;
  try {
    fragment = decodeURIComponent(ref.slice(1));
  } catch {
    return undefined; // Not a URI fragment: it names nothing.
  }
  if (fragment === '') return root;
  if (!fragment.startsWith('/')) return undefined;
  for (const part of fragment.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isJsonObject(node)) node = ownValue(node, key);
    else return undefined;
  }
  return node;
}

const BRANCHES = ['allOf', 'anyOf', 'oneOf'];

/**
 * All schemas that apply to one value: the given ones, their references, and their branches; with `always` only those
 * that apply to any value (`$ref` and `allOf`). Each once, so that circular references end.
 */
export function inPlace(root: SchemaObject, schemas: readonly unknown[], always = false): SchemaObject[] {
  const found = new Set<SchemaObject>();
  const queue = [...schemas];
  while (queue.length > 0) {
    const schema = queue.shift();
    if (!isJsonObject(schema) || found.has(schema)) continue;
    found.add(schema);
    const ref = ownValue(schema, '$ref');
    if (typeof ref === 'string') queue.push(resolveRef(root, ref));
    for (const keyword of always ? ['allOf'] : BRANCHES) {
      const list = ownValue(schema, keyword);
      if (Array.isArray(list)) queue.push(...list);
    }
    if (always) continue;
    for (const keyword of ['if', 'then', 'else']) queue.push(ownValue(schema, keyword));
    const dependencies = ownValue(schema, 'dependencies');
    if (isJsonObject(dependencies)) queue.push(...Object.values(dependencies));
  }
  return [...found];
}

/** The subschemas that speak about the property `key` of an object that all of `schemas` speak about. */
export function propertySchemas(schemas: readonly SchemaObject[], key: string): unknown[] {
  return schemas.flatMap((schema) => {
    const found: unknown[] = [];
    const properties = ownValue(schema, 'properties');
    if (isJsonObject(properties) && Object.hasOwn(properties, key)) found.push(properties[key]);
    const patterns = ownValue(schema, 'patternProperties');
    if (isJsonObject(patterns))
      for (const [pattern, child] of Object.entries(patterns)) if (compilePattern(pattern).test(key)) found.push(child);
    return found.length > 0 ? found : [ownValue(schema, 'additionalProperties')];
  });
}

/** The subschemas that speak about the element `index` of an array that all of `schemas` speak about. */
export function itemSchemas(schemas: readonly SchemaObject[], index: number): unknown[] {
  return schemas.flatMap((schema) => {
    const items = ownValue(schema, 'items');
    const item: unknown = Array.isArray(items) ? (items[index] ?? ownValue(schema, 'additionalItems')) : items;
    return [item, ownValue(schema, 'contains')];
  });
}
