import type { ErrorObject } from 'ajv';
import { moreProblems } from '../contract/cut-problem-list.ts';
import type { Problem } from '../contract/errors.ts';
import { configPath, ruleHint, ruleWords } from '../shared/config-words.ts';
import { isJsonObject } from '../shared/json.ts';
import { inPlace, propertySchemas, type SchemaObject, subschemas } from './schema-walk.ts';

const MAX_PROBLEMS = 50;
const MAX_BRANCH_REASONS = 3;

function partsOf(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Every schema below the branches of an error, through references too: errors of these only explain that one. */
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
    return ruleWords(error, secret) ?? error.message ?? `breaks the rule "${error.keyword}"`;
  }

  hint(error: ErrorObject): string | undefined {
    const parent: unknown = error.parentSchema;
    const allowed = isJsonObject(parent) && isJsonObject(parent.properties) ? Object.keys(parent.properties) : [];
    return ruleHint(error, allowed) ?? this.#description(place(error));
  }

  #description(path: readonly string[]): string | undefined {
    let schemas = inPlace(this.#root, [this.#root]);
    for (const key of path) schemas = inPlace(this.#root, propertySchemas(schemas, key));
    const text = schemas
      .map((schema) => schema.description)
      .find((value): value is string => typeof value === 'string');
    // Every problem shows its path, so the text need not repeat the name.
    return path.length === 0 ? undefined : text;
  }

  problem(error: ErrorObject, details: readonly ErrorObject[]): Problem {
    const hint = this.hint(error);
    const path = configPath(place(error), this.#config);
    return { path, message: this.message(error, details), ...(hint === undefined ? {} : { hint }) };
  }
}

/**
 * All that Ajv found (with `allErrors` and `verbose`) in words, one problem per cause: the branches of anyOf, oneOf and
 * contains are reported with their parent. At most 50. `hidden` holds JSON texts of paths whose values are secret.
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
  return [...unique.slice(0, MAX_PROBLEMS), { path: 'config', message: moreProblems(left) }];
}
