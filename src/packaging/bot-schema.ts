import type { FileProblem } from '../contract/custom-bot.ts';
import { LIMITS } from '../contract/limits.ts';
import { didYouMean } from '../shared/did-you-mean.ts';
import { isJsonObject, ownValue } from '../shared/json.ts';
import { configProblems } from './config-problems.ts';
import { createAjv, named } from './config-validator.ts';
import { OverloadError, withDeadline } from './deadline.ts';
import { fileProblem, positionAt, sizeProblem } from './file-problem.ts';
import { type JsonSource, readJson } from './parse-json-positions.ts';
import { fillDefaults } from './schema-defaults.ts';
import { compilePattern, PatternError } from './schema-pattern.ts';
import { allSchemas, resolveRef, type SchemaObject, subschemas } from './schema-walk.ts';

/** Usual name of the schema file; `schema.bot` of bot-config.yaml decides. */
export const BOT_SCHEMA_FILE = 'bot-schema.json';

const MAX_DEPTH = 64;
const MAX_SCHEMAS = 5000;
const MAX_PROBLEMS = 50;
/** Limit of subschemas for one value with references followed: nested references multiply. */
const MAX_EXPANDED = 20_000;
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

const KEYWORDS = new Set(
  `$id $schema $ref $comment $defs title description default readOnly writeOnly examples multipleOf maximum
   exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern additionalItems items maxItems minItems
   uniqueItems contains maxProperties minProperties required additionalProperties definitions properties
   patternProperties dependencies propertyNames const enum type format contentMediaType contentEncoding if then else
   allOf anyOf oneOf not`.split(/\s+/),
);
const KEYWORD_LIST = [...KEYWORDS];

const FORMATS = `date time date-time iso-time iso-date-time duration uri uri-reference uri-template url email hostname
  ipv4 ipv6 regex uuid json-pointer relative-json-pointer byte int32 int64 float double password binary`.split(/\s+/);

/** The content of bot-schema.json, or everything that is wrong with it. */
export interface BotSchemaReading {
  /** Present only without problems. */
  readonly schema?: SchemaObject;
  readonly problems: FileProblem[];
  readonly warnings: FileProblem[];
}

/** Collects problems of one schema text at JSON pointers. */
class Findings {
  readonly problems: FileProblem[] = [];
  readonly warnings: FileProblem[] = [];
  readonly #text: string;
  readonly #file: string;
  readonly #source: JsonSource;

  constructor(text: string, file: string, source: JsonSource) {
    this.#text = text;
    this.#file = file;
    this.#source = source;
  }

  /** `pointer` names a value, or stands for the nearest value around a missing one. */
  problem(pointer: string, message: string, hint: string): void {
    this.problems.push(this.#at(pointer, message, hint, this.#source.values));
  }

  /** `pointer` names a key. */
  warning(pointer: string, message: string, hint: string): void {
    this.warnings.push(this.#at(pointer, message, hint, this.#source.keys));
  }

  #at(pointer: string, message: string, hint: string, places: ReadonlyMap<string, number>): FileProblem {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const offset = places.get(at) ?? this.#source.values.get(at);
      if (offset !== undefined || at === '')
        return fileProblem(this.#file, positionAt(this.#text, offset ?? 0), message, hint);
    }
  }
}

/** Name of a schema in messages: its property path, without the keywords between. */
function nameOf(pointer: string): string {
  return pointer === ''
    ? 'the schema'
    : pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}

function checkRoot(root: SchemaObject, found: Findings): void {
  if (root.type !== 'object')
    found.problem('/type', 'the root of the schema must have "type": "object"', 'Add "type": "object" at the top.');
  const draft = root.$schema;
  if (draft !== undefined && (typeof draft !== 'string' || !DRAFT_07.test(draft)))
    found.problem(
      '/$schema',
      `only JSON Schema draft-07 is supported, not ${JSON.stringify(draft)}`,
      'Write "$schema": "http://json-schema.org/draft-07/schema#".',
    );
}

function checkRef(root: SchemaObject, schema: SchemaObject, pointer: string, found: Findings): void {
  const ref = ownValue(schema, '$ref');
  if (typeof ref !== 'string') return;
  if (!ref.startsWith('#'))
    found.problem(
      `${pointer}/$ref`,
      `"$ref": ${JSON.stringify(ref)} points outside this file; nothing is ever loaded from elsewhere`,
      'Copy the definition into "definitions" and refer to it as "#/definitions/name".',
    );
  else if (!isJsonObject(resolveRef(root, ref)) && typeof resolveRef(root, ref) !== 'boolean')
    found.problem(`${pointer}/$ref`, `"$ref": ${JSON.stringify(ref)} names nothing`, 'Refer to "#/definitions/name".');
  else if (leadsBack(root, schema))
    found.problem(
      `${pointer}/$ref`,
      `"$ref": ${JSON.stringify(ref)} leads back to itself and so describes nothing`,
      'Describe the value there. A schema may refer to itself only for the properties or items below it.',
    );
}

/** True where a schema refers to itself, directly or through schemas that only refer. */
function leadsBack(root: SchemaObject, schema: SchemaObject): boolean {
  const seen = new Set<unknown>();
  for (let at: unknown = schema; isJsonObject(at); ) {
    if (seen.has(at)) return true;
    seen.add(at);
    const ref = ownValue(at, '$ref');
    at = typeof ref === 'string' ? resolveRef(root, ref) : undefined;
  }
  return false;
}

function checkPattern(pattern: string, pointer: string, found: Findings): void {
  try {
    compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    found.problem(pointer, error.message, error.hint);
  }
}

function checkKeywords(schema: SchemaObject, pointer: string, found: Findings): void {
  for (const key of Object.keys(schema)) {
    if (KEYWORDS.has(key) || key.startsWith('x-')) continue;
    const meant = didYouMean(key, KEYWORD_LIST);
    const hint = meant === null ? 'Name keywords of your own x-…, for example "x-secret".' : `Did you mean "${meant}"?`;
    found.warning(`${pointer}/${key}`, `"${key}" is not a keyword of draft-07 and checks nothing`, hint);
  }
  const format = ownValue(schema, 'format');
  if (typeof format === 'string' && !FORMATS.includes(format)) {
    const meant = didYouMean(format, FORMATS);
    found.warning(
      `${pointer}/format`,
      `the format "${format}" is not known and checks nothing`,
      meant === null ? `Known: ${FORMATS.join(', ')}` : `Did you mean "${meant}"?`,
    );
  }
}

function checkRequired(schema: SchemaObject, pointer: string, found: Findings): void {
  const { required, properties } = schema;
  if (!Array.isArray(required) || !isJsonObject(properties)) return;
  for (const [i, name] of required.entries()) {
    if (typeof name !== 'string' || Object.hasOwn(properties, name)) continue;
    const meant = didYouMean(name, Object.keys(properties));
    found.problem(
      `${pointer}/required/${i}`,
      `"${name}" is required but is not among the properties`,
      meant === null ? 'Add it to "properties", or remove it from "required".' : `Did you mean "${meant}"?`,
    );
  }
}

function checkEach(root: SchemaObject, found: Findings): void {
  let count = 0;
  for (const [schema, pointer] of allSchemas(root)) {
    if (++count > MAX_SCHEMAS) {
      found.problem('', `more than ${MAX_SCHEMAS} subschemas`, 'Describe fewer properties.');
      return;
    }
    checkRef(root, schema, pointer, found);
    checkKeywords(schema, pointer, found);
    checkRequired(schema, pointer, found);
    if (typeof schema.pattern === 'string') checkPattern(schema.pattern, `${pointer}/pattern`, found);
    const named = ownValue(schema, 'patternProperties');
    if (isJsonObject(named))
      for (const pattern of Object.keys(named)) checkPattern(pattern, `${pointer}/patternProperties`, found);
    if (pointer !== '' && ownValue(schema, '$id') !== undefined)
      found.problem(
        `${pointer}/$id`,
        '"$id" inside a schema is not supported',
        'Refer by "#/definitions/name" instead.',
      );
    if (typeof ownValue(schema, 'id') === 'string')
      found.problem(`${pointer}/id`, '"id" belongs to draft-04', 'Remove it, or write "$id" at the root.');
  }
}

/** Number of subschemas with all references followed; a reference to an enclosing schema counts once. */
function expandedSize(root: SchemaObject): number {
  const known = new Map<SchemaObject, number>();
  const sizeOf = (schema: SchemaObject, around: ReadonlySet<SchemaObject>): number => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    if (around.has(schema)) return 1;
    const inside = new Set(around).add(schema);
    let size = 1;
    const ref = ownValue(schema, '$ref');
    const target = typeof ref === 'string' ? resolveRef(root, ref) : undefined;
    if (isJsonObject(target)) size += sizeOf(target, inside);
    for (const [child, pointer] of subschemas(schema, '')) {
      if (!pointer.startsWith('/definitions') && !pointer.startsWith('/$defs')) size += sizeOf(child, inside);
    }
    known.set(schema, size);
    return size;
  };
  return sizeOf(root, new Set());
}

function checkSize(root: SchemaObject, found: Findings): void {
  if (expandedSize(root) <= MAX_EXPANDED) return;
  const message = `the schema stands for more than ${MAX_EXPANDED} subschemas once its references are followed`;
  found.problem('', message, 'Refer less often to definitions that refer to others.');
}

/** Draft-07's own rules: `minimum` is a number, `required` a list of different texts, and so on. */
function checkMetaSchema(root: SchemaObject, found: Findings): void {
  const ajv = createAjv();
  const meta = ajv.getSchema('http://json-schema.org/draft-07/schema');
  if (meta === undefined) throw new Error('the draft-07 meta-schema is missing');
  if (meta(root) === true) return;
  const metaSchema: unknown = meta.schema;
  const errors = meta.errors ?? [];
  for (const error of errors.filter(({ keyword }) => keyword !== 'allOf' && keyword !== 'if')) {
    const [problem] = configProblems(isJsonObject(metaSchema) ? metaSchema : {}, root, [error], new Set());
    if (problem === undefined) continue;
    const message = `${nameOf(error.instancePath)} ${problem.message}`;
    found.problem(error.instancePath, message, 'See JSON Schema draft-07 for what this keyword takes.');
  }
}

/** Compiles the schema, and checks that its defaults end and obey the schema themselves. */
function checkCompiled(root: SchemaObject, found: Findings): void {
  const ajv = createAjv();
  try {
    ajv.compile(named(root));
  } catch (error) {
    if (error instanceof RangeError || !(error instanceof Error)) throw error;
    found.problem('', `the schema cannot be used: ${error.message}`, 'Correct it by JSON Schema draft-07.');
    return;
  }
  fillDefaults(root, {});
  ajv.addSchema({ ...root, $id: 'bot-schema' });
  for (const [schema, pointer] of allSchemas(root)) {
    if (pointer === '' || !Object.hasOwn(schema, 'default')) continue;
    const validate = ajv.compile({ $ref: `bot-schema#${encodeURI(pointer)}` });
    if (validate(schema.default) === true) continue;
    const [first] = configProblems(schema, schema.default, validate.errors ?? [], new Set());
    const inside = first?.path.slice('config'.length) ?? '';
    found.problem(
      `${pointer}/default`,
      `the default of ${nameOf(pointer)} breaks its own rules: ${inside === '' ? '' : `${inside} `}${first?.message}`,
      'Change the default or the rule.',
    );
  }
}

function inspect(text: string, file: string): BotSchemaReading {
  const read = readJson(text, MAX_DEPTH);
  if ('fault' in read) {
    const { offset, message, hint } = read.fault;
    return {
      problems: [fileProblem(file, positionAt(text, offset), `not valid JSON: ${message}`, hint)],
      warnings: [],
    };
  }
  const { value } = read.source;
  const found = new Findings(text, file, read.source);
  if (!isJsonObject(value)) {
    found.problem('', 'the schema must be a JSON object', 'Begin with {"type": "object", "properties": {}}.');
    return { problems: found.problems, warnings: [] };
  }
  checkRoot(value, found);
  checkEach(value, found);
  if (found.problems.length === 0) checkSize(value, found);
  if (found.problems.length === 0) checkMetaSchema(value, found);
  if (found.problems.length === 0) checkCompiled(value, found);
  const problems = found.problems.slice(0, MAX_PROBLEMS);
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  return { ...(problems.length === 0 ? { schema: value } : {}), problems, warnings: found.warnings };
}

/**
 * Reads bot-schema.json: draft-07, root `type: object`, local `$ref` only, patterns without backtracking, size, depth
 * and time limited. Reports problems with their places; never throws, whatever the text contains.
 */
export function readBotSchema(text: string, fileName: string = BOT_SCHEMA_FILE): BotSchemaReading {
  const tooLarge = sizeProblem(text, fileName, LIMITS.metadataFileBytes);
  if (tooLarge !== null) return { problems: [tooLarge], warnings: [] };
  try {
    return withDeadline(() => inspect(text.startsWith('\uFEFF') ? text.slice(1) : text, fileName));
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error;
    const message = `the schema is too complex: ${error.message}`;
    const hint = 'Describe fewer properties, with fewer levels and references.';
    return { problems: [fileProblem(fileName, { line: 1, column: 1 }, message, hint)], warnings: [] };
  }
}
