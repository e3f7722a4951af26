import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { PlatformError, type Problem } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { isJsonObject, jsonDepth, setOwn } from '../shared/json.ts';
import { isSealed, secretNameOf, valuesWhere } from '../shared/secret-references.ts';
import { configProblems } from './config-problems.ts';
import { secretProperties } from './config-secrets.ts';
import { OverloadError, withDeadline } from './deadline.ts';
import { fillDefaults } from './schema-defaults.ts';
import { compilePattern } from './schema-pattern.ts';
import type { SchemaObject } from './schema-walk.ts';

/** A config after checking: with the schema's defaults filled in, and everything that is wrong with it. */
export interface CheckedConfig {
  /** With the schema's defaults. If the check ran out of time: the config with the defaults filled in so far. */
  readonly effective: Record<string, unknown>;
  readonly problems: Problem[];
}

/** Checks instance configs against one compiled schema. */
export interface ConfigValidator {
  /** Never throws for any config and never changes it. Problems carry paths such as `config.levels[2]`. */
  validate(config: unknown): CheckedConfig;
}

/** An Ajv with our rules: linear-time patterns, no coercion, inherited keys do not count, unknown keywords allowed. */
export function createAjv(): Ajv {
  const regExp = Object.assign((pattern: string) => compilePattern(pattern), { code: 'linear-time pattern' });
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strict: false,
    inlineRefs: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp },
  });
  addFormats.default(ajv, { mode: 'fast' });
  return ajv;
}

/** Names the schema, because Ajv resolves `"$ref": "#"` only in a named one. */
export function named(schema: SchemaObject): SchemaObject {
  return { $id: 'bot-schema', ...schema };
}

/** The text of a config, or the problem of one that is no JSON object or too large. */
function configText(config: unknown): { problem: Problem } | { text: string } {
  const refuse = (message: string, hint: string) => ({ problem: { path: 'config', message, hint } });
  if (!isJsonObject(config)) return refuse('must be an object', 'Write {"setting": value}.');
  if (jsonDepth(config, LIMITS.configDepth) > LIMITS.configDepth)
    return refuse(`is nested deeper than ${LIMITS.configDepth} levels`, 'Flatten it.');
  const text = JSON.stringify(config);
  if (Buffer.byteLength(text) > LIMITS.configBytes)
    return refuse(
      `has more than ${LIMITS.configBytes / 1024} KiB as JSON`,
      'Put large data into a file of the package, or let the bot fetch it.',
    );
  return { text };
}

/** Stands for a text that is not known here. */
const UNKNOWN_TEXT = '********';

/** A text that the schema checks once it is known: at the start of the bot. */
interface Unknown {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Puts values at their paths. Nothing stands on the way that is no object or list. */
function putAt(config: unknown, places: readonly Unknown[]): void {
  for (const { path, value } of places) {
    let holder = config;
    for (const key of path.slice(0, -1)) holder = (holder as Record<string, unknown>)[key];
    setOwn(holder as object, path.at(-1) ?? '', value);
  }
}

/**
 * The errors without those of unknown texts, which would tell about a secret whoever writes the schema. What remains: a text
 * may not stand there at all.
 */
function withoutUnknown(errors: readonly ErrorObject[], unknown: readonly Unknown[]): readonly ErrorObject[] {
  if (unknown.length === 0) return errors;
  const at = new Set(
    unknown.map(({ path }) => path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')),
  );
  const grouped = new Set(
    errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf').map(({ instancePath }) => instancePath),
  );
  return errors.filter(
    ({ instancePath, keyword }) => !at.has(instancePath) || (keyword === 'type' && !grouped.has(instancePath)),
  );
}

type Begun = (effective: Record<string, unknown>) => void;

function check(validate: ValidateFunction, schema: SchemaObject, text: string, begun: Begun): CheckedConfig {
  const effective = JSON.parse(text) as Record<string, unknown>;
  begun(effective);
  const isUnknown = (value: unknown): boolean => secretNameOf(value) !== null || isSealed(value);
  const unknown: Unknown[] = Object.entries(effective).flatMap(([key, value]) => valuesWhere(value, isUnknown, [key]));
  putAt(
    effective,
    unknown.map(({ path }) => ({ path, value: UNKNOWN_TEXT })),
  );
  fillDefaults(schema, effective);
  const found: readonly ErrorObject[] = validate(effective) ? [] : (validate.errors ?? []);
  putAt(effective, unknown);
  const errors = withoutUnknown(found, unknown);
  if (errors.length === 0) return { effective, problems: [] };
  const hidden = new Set(secretProperties(schema, effective).map(({ path }) => JSON.stringify(path)));
  return { effective, problems: configProblems(schema, effective, errors, hidden) };
}

/** Time that checking one config may take, in milliseconds: a hundred times what large ones need. */
const CHECK_MS = 500;

/** Configs whose check is cached: each read of a bot validates the same one. */
const MOST_KNOWN = 200;
const KNOWN_CHARS = 16_384;

/** Freezes a shared result, so that no caller changes it for the others. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}

/**
 * Compiles a draft-07 schema into a validator of configs. The schema is one that `readBotSchema` accepted; throws
 * INVALID_PACKAGE for one that does not compile.
 */
export function compileConfigSchema(given: SchemaObject): ConfigValidator {
  const schema = named(given);
  let compiled: ValidateFunction;
  try {
    compiled = withDeadline(() => createAjv().compile(schema));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlatformError('INVALID_PACKAGE', `The configuration schema cannot be used: ${reason}`, {
      hint: 'Check it with `platform custom-bot validate`.',
      cause: error,
    });
  }
  const known = new Map<string, CheckedConfig>();
  return {
    validate(config) {
      const read = configText(config);
      if ('problem' in read) return { effective: {}, problems: [read.problem] };
      const before = known.get(read.text);
      if (before !== undefined) return before;
      // Never empty for a config with settings: masking and redaction depend on it.
      let effective: Record<string, unknown> | null = null;
      const begun: Begun = (value) => {
        effective = value;
      };
      try {
        const checked = deepFreeze(withDeadline(() => check(compiled, schema, read.text, begun), CHECK_MS));
        if (known.size >= MOST_KNOWN) known.delete(known.keys().next().value ?? '');
        if (read.text.length <= KNOWN_CHARS) known.set(read.text, checked);
        return checked;
      } catch (error) {
        if (!(error instanceof OverloadError)) throw error;
        const hint = 'Make the config smaller, or the schema simpler (fewer nested anyOf, oneOf and $ref).';
        const problem = { path: 'config', message: `cannot be checked: ${error.message}`, hint };
        return { effective: effective ?? (JSON.parse(read.text) as Record<string, unknown>), problems: [problem] };
      }
    },
  };
}
