import type { ErrorObject } from 'ajv';
import type { Problem } from '../contract/errors.ts';
import { didYouMean } from '../isomorphic/did-you-mean.ts';
import { isJsonObject, ownValue } from '../isomorphic/json.ts';
import { inPlace, propertySchemas, type SchemaObject, subschemas } from './schema-walk.ts';

const MAX_PROBLEMS = 50;
const MAX_BRANCH_REASONS = 3;

/** `config.levels[2].x`; keys that are no plain words in brackets and quotes. */
export function configPath(parts: readonly string[], root: unknown): string {
  let text = 'config';
  let node = root;
  for (const part of parts) {
    if (Array.isArray(node)) text += `[${part}]`;
    else text += /^[\w-]+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    node = typeof node === 'object' && node !== null ? ownValue(node as SchemaObject, part) : undefined;
  }
  return text;
}

function partsOf(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const show = (value: unknown): string => {
  if (typeof value === 'string')
    return value.length > 40 ? `a text of ${value.length} characters` : JSON.stringify(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const plural = (count: unknown, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
const sizeOf = (value: unknown) => (typeof value === 'string' ? [...value].length : Object.keys(Object(value)).length);

/** What a rule asks, by keyword; `got` is the value's text, empty for a secret. */
const RULES: Readonly<Record<string, (error: ErrorObject, got: string) => string>> = {
  type: ({ params }, got) =>
    `must be ${[params.type]
      .flat()
      .map((type) => KINDS[String(type)] ?? String(type))
      .join(' or ')}${got}`,
  minimum: ({ params }, got) => `must be >= ${params.limit}${got}`,
  maximum: ({ params }, got) => `must be <= ${params.limit}${got}`,
  exclusiveMinimum: ({ params }, got) => `must be > ${params.limit}${got}`,
  exclusiveMaximum: ({ params }, got) => `must be < ${params.limit}${got}`,
  multipleOf: ({ params }, got) => `must be a multiple of ${params.multipleOf}${got}`,
  minLength: ({ params, data }) => `must have at least ${plural(params.limit, 'character')} (has ${sizeOf(data)})`,
  maxLength: ({ params, data }) => `must have at most ${plural(params.limit, 'character')} (has ${sizeOf(data)})`,
  minItems: ({ params, data }) => `must have at least ${plural(params.limit, 'item')} (has ${sizeOf(data)})`,
  maxItems: ({ params, data }) => `must have at most ${plural(params.limit, 'item')} (has ${sizeOf(data)})`,
  minProperties: ({ params, data }) => `must have at least ${plural(params.limit, 'key')} (has ${sizeOf(data)})`,
  maxProperties: ({ params, data }) => `must have at most ${plural(params.limit, 'key')} (has ${sizeOf(data)})`,
  pattern: ({ params }, got) => `must match the pattern ${params.pattern}${got}`,
  format: ({ params }, got) => `must be a valid ${params.format}${got}`,
  enum: ({ params }, got) => `must be one of ${(params.allowedValues as unknown[]).map(show).join(', ')}${got}`,
  const: ({ params }, got) => `must be ${show(params.allowedValue)}${got}`,
  uniqueItems: ({ params }) => `must not repeat items (${params.j} and ${params.i} are the same, counted from 0)`,
  required: () => 'is required',
  contains: () => 'contains no item of the required form',
  not: () => 'has a form that is not allowed',
  propertyNames: ({ params }) => `must not have the key ${show(params.propertyName)}`,
  dependencies: ({ params }) => `needs ${params.deps} beside ${params.property}`,
  'false schema': () => 'must not be set',
  if: ({ params }) => `does not fulfil the "${params.failingKeyword}" part of its schema`,
};

/** Every schema below the branches of an error (through references too): whose errors only explain that one. */
function below(root: SchemaObject, branches: unknown): Set<unknown> {
  const found = new Set<unknown>();
  const queue: unknown[] = Array.isArray(branches) ? [...branches] : [branches];
  while (queue.length > 0) {
    for (const schema of inPlace(root, [queue.pop()])) {
      if (found.has(schema)) continue;
      found.add(schema);
      queue.push(...[...subschemas(schema, '')].map(([child]) => child));
    }
  }
  return found;
}

const GROUPS = ['anyOf', 'oneOf', 'contains'];

function place(error: ErrorObject): string[] {
  const parts = partsOf(error.instancePath);
  const { missingProperty, additionalProperty } = error.params as {
    missingProperty?: string;
    additionalProperty?: string;
  };
  const extra =
    error.keyword === 'required'
      ? missingProperty
      : error.keyword === 'additionalProperties'
        ? additionalProperty
        : undefined;
  return extra === undefined ? parts : [...parts, extra];
}

/** Turns Ajv's errors about one config into problems for people; values whose path is in `hidden` are not shown. */
class Writer {
  readonly #root: SchemaObject;
  readonly #config: unknown;
  readonly #hidden: ReadonlySet<string>;

  constructor(root: SchemaObject, config: unknown, hidden: ReadonlySet<string>) {
    this.#root = root;
    this.#config = config;
    this.#hidden = hidden;
  }

  message(error: ErrorObject, details: readonly ErrorObject[] = []): string {
    const secret = this.#hidden.has(JSON.stringify(partsOf(error.instancePath)));
    const got = secret ? '' : ` (got ${show(error.data)})`;
    if (error.keyword === 'additionalProperties') return 'is not a setting of this bot';
    if (error.keyword === 'oneOf' && Array.isArray(error.params.passingSchemas))
      return 'matches more than one of the allowed forms, but must match exactly one';
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      const base = place(error).length;
      const reasons = details.slice(0, MAX_BRANCH_REASONS).map((detail) => {
        const inner = place(detail).slice(base).join('.');
        return `${inner}${inner === '' ? '' : ' '}${this.message(detail)}`;
      });
      return `has none of the allowed forms: ${[...new Set(reasons)].join('; or ')}`;
    }
    const rule = RULES[error.keyword];
    return rule === undefined ? (error.message ?? `breaks the rule "${error.keyword}"`) : rule(error, got);
  }

  hint(error: ErrorObject): string | undefined {
    const parent: unknown = error.parentSchema;
    if (error.keyword === 'additionalProperties' && isJsonObject(parent)) {
      const allowed = Object.keys(isJsonObject(parent.properties) ? parent.properties : {});
      const meant = didYouMean(String(error.params.additionalProperty), allowed);
      const list = allowed.length === 0 ? 'No settings are allowed here.' : `Allowed: ${allowed.join(', ')}`;
      return meant === null ? list : `Did you mean ${meant}? ${list}`;
    }
    if (error.keyword === 'enum' && typeof error.data === 'string') {
      const meant = didYouMean(
        error.data,
        (error.params.allowedValues as unknown[]).filter((v) => typeof v === 'string'),
      );
      if (meant !== null) return `Did you mean ${JSON.stringify(meant)}?`;
    }
    if (error.keyword === 'type' && [error.params.type].flat().includes('string') && typeof error.data === 'number')
      return 'Put it in quotes.';
    if (error.keyword === 'type' && typeof error.data === 'string' && /^-?\d+(\.\d+)?$/.test(error.data))
      return 'Write the number without quotes.';
    return this.#description(place(error));
  }

  #description(path: readonly string[]): string | undefined {
    let schemas = inPlace(this.#root, [this.#root]);
    for (const key of path) schemas = inPlace(this.#root, propertySchemas(schemas, key));
    const text = schemas.map((schema) => schema.description).find((value) => typeof value === 'string');
    return text === undefined || path.length === 0 ? undefined : `${path.at(-1)}: ${text}`;
  }

  problem(error: ErrorObject, details: readonly ErrorObject[]): Problem {
    const hint = this.hint(error);
    const path = configPath(place(error), this.#config);
    return { path, message: this.message(error, details), ...(hint === undefined ? {} : { hint }) };
  }
}

/**
 * All that Ajv found (with `allErrors` and `verbose`) in words, one problem per cause: the branches of anyOf, oneOf and
 * contains are told with their parent. At most 50. `hidden` holds JSON texts of paths whose values are secret.
 */
export function configProblems(
  root: SchemaObject,
  config: unknown,
  errors: readonly ErrorObject[],
  hidden: ReadonlySet<string>,
): Problem[] {
  const writer = new Writer(root, config, hidden);
  const told = new Map<ErrorObject, ErrorObject[]>();
  const swallowed = new Set<ErrorObject>();
  for (const group of errors.filter(({ keyword }) => GROUPS.includes(keyword))) {
    const schemas = below(root, group.schema);
    const inner = errors.filter(
      (error) =>
        error !== group &&
        schemas.has(error.parentSchema) &&
        `${error.instancePath}/`.startsWith(`${group.instancePath}/`),
    );
    told.set(
      group,
      inner.filter(({ keyword }) => !GROUPS.includes(keyword)),
    );
    for (const error of inner) swallowed.add(error);
  }
  const kept = errors.filter((error) => {
    if (swallowed.has(error)) return false;
    if (error.propertyName !== undefined && error.keyword !== 'propertyNames') return false;
    return error.keyword !== 'if' || errors.length === 1;
  });
  const problems = (kept.length > 0 ? kept : errors).map((error) => writer.problem(error, told.get(error) ?? []));
  const unique = [...new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem])).values()];
  const left = unique.length - MAX_PROBLEMS;
  if (left <= 0) return unique;
  return [...unique.slice(0, MAX_PROBLEMS), { path: 'config', message: `has ${left} more problems like these` }];
}
