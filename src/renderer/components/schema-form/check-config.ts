import { type BrokenRule, configPath, ruleHint, ruleWords } from '../../../shared/config-words.ts';
import { isJsonObject, ownValue, stableStringify } from '../../../shared/json.ts';
import { isSecret, otherSchema, propertiesOf, resolve, type Schema } from '../../../shared/json-schema.ts';
import { secretNameOf } from '../../../shared/secret-references.ts';
import { STORED } from './hide-and-restore-secrets.ts';
import { withDefaults } from './schema-defaults.ts';
import type { Path } from './value-at-path.ts';

/** The problem of a setting in the host's form; `path` reads `config.levels[2].x`. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The problems among the details of an error of the host. */
export function fieldProblemsOf(details: unknown): FieldProblem[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((one: unknown) => {
    if (!isJsonObject(one) || typeof one.path !== 'string' || typeof one.message !== 'string') return [];
    return [{ path: one.path, message: one.message, ...(typeof one.hint === 'string' ? { hint: one.hint } : {}) }];
  });
}

const MOST_LEVELS = 64;

function hasType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value);
  return typeof value === type;
}

const COMPARE: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  minimum: (value, limit) => value >= limit,
  maximum: (value, limit) => value <= limit,
  exclusiveMinimum: (value, limit) => value > limit,
  exclusiveMaximum: (value, limit) => value < limit,
};
const EPSILON = 1e-9;

function sizeRules(schema: Schema, size: number, low: string, high: string): string[] {
  const min = schema[low];
  const max = schema[high];
  if (typeof min === 'number' && size < min) return [low];
  return typeof max === 'number' && size > max ? [high] : [];
}

function matchesPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true; // The host reads patterns with an engine of its own: it decides.
  }
}

/** The rules that a value itself breaks, without those inside of it. */
function brokenRules(schema: Schema, data: unknown): BrokenRule[] {
  const limited = (keyword: string): BrokenRule => ({ keyword, params: { limit: schema[keyword] }, data });
  const { type, enum: values, multipleOf, pattern } = schema;
  if (type !== undefined && ![type].flat().some((one) => hasType(data, one))) {
    return [{ keyword: 'type', params: { type }, data }];
  }
  const equals = (one: unknown): boolean => stableStringify(one ?? null) === stableStringify(data ?? null);
  const found: BrokenRule[] = [];
  if (Array.isArray(values) && !values.some(equals))
    found.push({ keyword: 'enum', params: { allowedValues: values }, data });
  if ('const' in schema && !equals(schema.const))
    found.push({ keyword: 'const', params: { allowedValue: schema.const }, data });
  if (typeof data === 'number') {
    for (const [keyword, holds] of Object.entries(COMPARE)) {
      const limit = schema[keyword];
      if (typeof limit === 'number' && !holds(data, limit)) found.push(limited(keyword));
    }
    const parts = typeof multipleOf === 'number' ? data / multipleOf : 0;
    if (Math.abs(parts - Math.round(parts)) > EPSILON)
      found.push({ keyword: 'multipleOf', params: { multipleOf }, data });
  }
  if (typeof data === 'string') {
    found.push(...sizeRules(schema, [...data].length, 'minLength', 'maxLength').map(limited));
    if (typeof pattern === 'string' && !matchesPattern(pattern, data))
      found.push({ keyword: 'pattern', params: { pattern }, data });
  }
  if (Array.isArray(data)) found.push(...sizeRules(schema, data.length, 'minItems', 'maxItems').map(limited));
  else if (isJsonObject(data)) {
    found.push(...sizeRules(schema, Object.keys(data).length, 'minProperties', 'maxProperties').map(limited));
  }
  return found;
}

/**
 * The problems of a config that can be found without the host: it knows every rule, this function the usual ones, in
 * the same words. Defaults are filled in first, as on the host.
 */
export function checkConfig(root: Schema, config: unknown): FieldProblem[] {
  const whole = withDefaults(root, root, config);
  const found: FieldProblem[] = [];
  const visit = (given: unknown, data: unknown, path: Path, secret: boolean, depth: number): void => {
    // Stored values were validated when they were stored, and a secret is only known to the host.
    if (depth > MOST_LEVELS || (secret && data === STORED) || secretNameOf(data) !== null) return;
    const schema = resolve(root, given);
    const properties = propertiesOf(root, schema);
    const tell = (broken: BrokenRule, at: Path, about: Schema): void => {
      const description = typeof about.description === 'string' && at.length > 0 ? about.description : null;
      const hint =
        ruleHint(
          broken,
          properties.map((one) => one.key),
        ) ??
        description ??
        undefined;
      const message = ruleWords(broken, secret) ?? broken.keyword;
      found.push({ path: configPath(at, whole), message, ...(hint === undefined ? {} : { hint }) });
    };
    for (const broken of brokenRules(schema, data)) tell(broken, path, schema);
    if (Array.isArray(data) && isJsonObject(schema.items)) {
      for (const [i, item] of data.entries()) visit(schema.items, item, [...path, String(i)], secret, depth + 1);
    }
    if (!isJsonObject(data)) return;
    for (const { key, schema: child, required } of properties) {
      if (Object.hasOwn(data, key)) {
        visit(child, ownValue(data, key), [...path, key], secret || isSecret(key, child), depth + 1);
      } else if (required) {
        tell({ keyword: 'required', params: {}, data: undefined }, [...path, key], child);
      }
    }
    if (isJsonObject(schema.patternProperties)) return;
    const others = otherSchema(root, schema);
    const named = new Set(properties.map((one) => one.key));
    for (const [key, value] of Object.entries(data)) {
      if (named.has(key)) continue;
      if (others === null) {
        tell({ keyword: 'additionalProperties', params: { additionalProperty: key }, data }, [...path, key], {});
      } else visit(others, value, [...path, key], secret || isSecret(key, others), depth + 1);
    }
  };
  visit(root, whole, [], false, 0);
  return found;
}

/** Keys that a config has and its schema does not name, where it takes any: often a typo. */
export function unnamedKeys(root: Schema, config: unknown): Path[] {
  const found: Path[] = [];
  const visit = (given: unknown, data: unknown, path: Path): void => {
    const schema = resolve(root, given);
    if (!isJsonObject(data) || !isJsonObject(schema.properties)) return;
    const properties = new Map(propertiesOf(root, schema).map((one) => [one.key, one.schema]));
    for (const [key, value] of Object.entries(data)) {
      const child = properties.get(key);
      if (child !== undefined) visit(child, value, [...path, key]);
      else if (schema.additionalProperties === undefined || schema.additionalProperties === true)
        found.push([...path, key]);
    }
  };
  visit(root, config, []);
  return found;
}
