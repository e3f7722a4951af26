import { isJsonObject, ownValue } from './json.ts';
import { looksSecret } from './secret-names.ts';

/** A schema of draft-07 as the host accepts it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Editor of a value. `json`: as text, where the schema allows more than a form can show. */
export type Kind = 'text' | 'number' | 'boolean' | 'choice' | 'object' | 'list' | 'json';

const MOST_STEPS = 32;
const SCALARS = ['string', 'number', 'boolean'];

function atPointer(root: Schema, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  let node: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof node !== 'object' || node === null) return undefined;
    node = ownValue(node, key);
  }
  return node;
}

/** Lays one schema over another; joins the keywords for which both count (`properties`, `required`). */
function joined(a: Schema, b: Schema): Schema {
  const properties = {
    ...(isJsonObject(b.properties) ? b.properties : {}),
    ...(isJsonObject(a.properties) ? a.properties : {}),
  };
  const required = [a.required, b.required].flatMap((one): unknown[] => (Array.isArray(one) ? one : []));
  return {
    ...b,
    ...a,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}

/** A schema merged with its `$ref` and `allOf`. */
export function resolve(root: Schema, given: unknown): Schema {
  let schema: Schema = isJsonObject(given) ? given : {};
  for (let step = 0; step < MOST_STEPS; step++) {
    const { $ref, allOf, ...own } = schema;
    const target = typeof $ref === 'string' ? atPointer(root, $ref) : undefined;
    const others = [target, ...(Array.isArray(allOf) ? allOf : [])].filter(isJsonObject);
    if (others.length === 0) return own;
    schema = others.reduce<Schema>(joined, own);
  }
  return {}; // It refers to itself and so describes nothing; the host takes no such schema.
}

/** The types that a value may have, without null. */
export function typesOf(schema: Schema): readonly string[] {
  return [schema.type].flat().filter((type): type is string => typeof type === 'string' && type !== 'null');
}

/** The values of which one must be chosen; null where the schema allows others. */
export function choicesOf(schema: Schema): readonly unknown[] | null {
  if ('const' in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}

/** Returns the kind of editor for a value of a (resolved) schema. */
export function kindOf(schema: Schema): Kind {
  const choices = choicesOf(schema);
  if (choices !== null) return choices.every((one) => one === null || SCALARS.includes(typeof one)) ? 'choice' : 'json';
  if (isJsonObject(schema.properties)) return 'object';
  if (['anyOf', 'oneOf', 'if', 'not'].some((keyword) => keyword in schema)) return 'json';
  const [type, more] = typesOf(schema);
  if (more !== undefined) return 'json';
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return isJsonObject(schema.items) ? 'list' : 'json';
  return type === 'object' && isJsonObject(schema.additionalProperties) ? 'object' : 'json';
}

/** True when the value of a property must stay hidden, because of its mark or its name. */
export function isSecret(key: string, schema: Schema): boolean {
  if (schema.format === 'password' || schema.writeOnly === true || schema['x-secret'] === true) return true;
  return (
    looksSecret(key) && typesOf(schema).every((type) => type === 'string' || type === 'object' || type === 'array')
  );
}

/** One property of an object. */
export interface Property {
  readonly key: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The properties that a schema names, in its order. */
export function propertiesOf(root: Schema, schema: Schema): readonly Property[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const named = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  return named.map(([key, child]) => ({ key, schema: resolve(root, child), required: required.includes(key) }));
}

/** The schema of unnamed keys; null where they are refused, `{}` where anything goes. */
export function otherSchema(root: Schema, schema: Schema): Schema | null {
  if (schema.additionalProperties === false) return null;
  return resolve(root, schema.additionalProperties);
}

function ending(low: unknown, high: unknown, [one, many]: readonly [string, string]): string | null {
  const counted = (count: number): string => `${count}${count === 1 ? one : many}`;
  if (typeof low === 'number' && typeof high === 'number') return `${low} to ${counted(high)}`;
  if (typeof low === 'number') return `at least ${counted(low)}`;
  return typeof high === 'number' ? `at most ${counted(high)}` : null;
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'on or off',
  array: 'list',
  object: 'group',
};

/** Describes the type of a value in one or two words. */
export function typeWords(schema: Schema): string {
  const choices = choicesOf(schema);
  if (choices !== null) return `one of ${choices.map((one) => String(one)).join(', ')}`;
  const words = typesOf(schema).map((type) => WORDS[type] ?? type);
  return words.length === 0 ? 'any value' : words.join(' or ');
}

/** The rules of a schema beyond its type, in a few words. */
export function ruleList(schema: Schema): readonly string[] {
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf, pattern, format } = schema;
  const found = [
    typeof above === 'number' ? `more than ${above}` : null,
    ending(schema.minimum, schema.maximum, ['', '']),
    typeof below === 'number' ? `less than ${below}` : null,
    typeof multipleOf === 'number' ? `multiple of ${multipleOf}` : null,
    ending(schema.minLength, schema.maxLength, [' character', ' characters']),
    ending(schema.minItems, schema.maxItems, [' item', ' items']),
    ending(schema.minProperties, schema.maxProperties, [' entry', ' entries']),
    typeof pattern === 'string' ? `like ${pattern}` : null,
    typeof format === 'string' && format !== 'password' ? format : null,
  ];
  return found.filter((one) => one !== null);
}

/** Renders a value for a hint: texts as they are, everything else as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty' : value;
  return JSON.stringify(value) ?? '';
}
