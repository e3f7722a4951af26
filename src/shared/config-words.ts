import { counted } from './counted.ts';
import { didYouMean } from './did-you-mean.ts';
import { ownValue } from './json.ts';

/** A rule of a JSON Schema that a value breaks, as Ajv tells it. */
export interface BrokenRule {
  readonly keyword: string;
  // biome-ignore lint/suspicious/noExplicitAny: each keyword has parameters of its own, as in Ajv's type
  readonly params: Readonly<Record<string, any>>;
  /** The value. */
  readonly data?: unknown;
}

/** A key as a part of a path: `.x`, or in brackets and quotes where it is no plain word. */
export const pathPart = (key: string): string => (/^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);

/** `config.levels[2].x`; keys that are not plain words stand in brackets and quotes. */
export function configPath(parts: readonly string[], root: unknown): string {
  let text = 'config';
  let node = root;
  for (const part of parts) {
    if (Array.isArray(node)) text += `[${part}]`;
    else text += pathPart(part);
    node = typeof node === 'object' && node !== null ? ownValue(node, part) : undefined;
  }
  return text;
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

const sizeOf = (value: unknown) => (typeof value === 'string' ? [...value].length : Object.keys(Object(value)).length);

/** The demand of a rule, by keyword; `got` is the value's text, empty for a secret. */
const RULES: Readonly<Record<string, (broken: BrokenRule, got: string) => string>> = {
  type: ({ params }, got) =>
    `must be ${[params.type]
      .flat()
      .map((type) => KINDS[String(type)] ?? String(type))
      .join(' or ')}${got}`,
  minimum: ({ params }, got) => `must be at least ${params.limit}${got}`,
  maximum: ({ params }, got) => `must be at most ${params.limit}${got}`,
  exclusiveMinimum: ({ params }, got) => `must be more than ${params.limit}${got}`,
  exclusiveMaximum: ({ params }, got) => `must be less than ${params.limit}${got}`,
  multipleOf: ({ params }, got) => `must be a multiple of ${params.multipleOf}${got}`,
  minLength: ({ params, data }) => `must have at least ${counted(params.limit, 'character')} (has ${sizeOf(data)})`,
  maxLength: ({ params, data }) => `must have at most ${counted(params.limit, 'character')} (has ${sizeOf(data)})`,
  minItems: ({ params, data }) => `must have at least ${counted(params.limit, 'item')} (has ${sizeOf(data)})`,
  maxItems: ({ params, data }) => `must have at most ${counted(params.limit, 'item')} (has ${sizeOf(data)})`,
  minProperties: ({ params, data }) => `must have at least ${counted(params.limit, 'key')} (has ${sizeOf(data)})`,
  maxProperties: ({ params, data }) => `must have at most ${counted(params.limit, 'key')} (has ${sizeOf(data)})`,
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

/** The demand of a rule, in words; null for rules without words here. Secret values are not repeated. */
export function ruleWords(broken: BrokenRule, secret: boolean): string | null {
  if (broken.keyword === 'additionalProperties') return 'is not a setting of this bot';
  return RULES[broken.keyword]?.(broken, secret ? '' : ` (got ${show(broken.data)})`) ?? null;
}

/** The next step for a broken rule; null where only the description of the setting can help. `allowed`: known keys. */
export function ruleHint({ keyword, params, data }: BrokenRule, allowed: readonly string[]): string | null {
  if (keyword === 'additionalProperties') {
    const meant = didYouMean(String(params.additionalProperty), allowed);
    const list = allowed.length === 0 ? 'No settings are allowed here.' : `Allowed: ${allowed.join(', ')}`;
    return meant === null ? list : `Did you mean ${meant}? ${list}`;
  }
  if (keyword === 'enum' && typeof data === 'string') {
    const values: readonly unknown[] = params.allowedValues;
    const meant = didYouMean(
      data,
      values.filter((value) => typeof value === 'string'),
    );
    if (meant !== null) return `Did you mean ${JSON.stringify(meant)}?`;
  }
  if (keyword !== 'type') return null;
  if ([params.type].flat().includes('string') && typeof data === 'number') return 'Put it in quotes.';
  return typeof data === 'string' && /^-?\d+(\.\d+)?$/.test(data) ? 'Write the number without quotes.' : null;
}
