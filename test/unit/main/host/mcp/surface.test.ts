import { join } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../../../src/contract/operations.ts';
import { definitionOf, type ToolDefinition } from '../../../../../src/main/host/mcp/methods.ts';
import { rpcResult } from '../../../../../src/main/host/mcp/rpc.ts';
import { EXTENDED_SURFACE, MAIN_SURFACE, type Surface } from '../../../../../src/main/host/mcp/surface.ts';
import { SEED_TOOLS } from '../../../../support/mcp.ts';

/** Keywords that mean the same in draft-07 and 2020-12: clients check with either. */
const SHARED = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'],
  ...['description', 'title', 'examples', 'default', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
const LIST_BYTES = 16_000;
/** "Any JSON" is written as a choice of all types. */
const OPTIONS = { strict: true, allowUnionTypes: true };

const SURFACES: readonly (readonly [string, Surface])[] = [
  ['/mcp', MAIN_SURFACE],
  ['/mcp/extended', EXTENDED_SURFACE],
];
const all = SURFACES.flatMap(([, surface]) => surface.tools.map(definitionOf));

type Schema = Record<string, unknown>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every schema inside a schema, itself included. */
function inside(schema: unknown): Schema[] {
  if (!isSchema(schema)) return [];
  const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
  const lists = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const below = [...Object.values(isSchema(properties) ? properties : {}), items, additionalProperties, ...lists];
  return [schema, ...below.flatMap(inside)];
}

const objectsOf = (schema: Schema): Schema[] => inside(schema).filter((one) => one.properties !== undefined);

describe.each(SURFACES)('the list of %s', (path, surface) => {
  const sent = JSON.stringify(rpcResult(1, { tools: surface.tools.map(definitionOf) }));

  it('is small enough to stand in every conversation', () => {
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(LIST_BYTES);
  });

  it('has no name twice', () => {
    const names = surface.tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('names other tools only where they are', () => {
    const known = new Set([...MAIN_SURFACE.tools, ...EXTENDED_SURFACE.tools].map(({ name }) => name));
    const text = `${sent} ${surface.instructions}`;
    const named = [...text.matchAll(/\b(?:auth|bots?|logs|metrics|custom_bots?)_[a-z_]+\b/g)].map((match) => match[0]);
    const fields = ['bot_id', 'bot_state', 'custom_bots'];
    expect(named.filter((name) => !known.has(name) && !fields.includes(name))).toEqual([]);
    expect(named.length, path).toBeGreaterThan(5);
  });
});

it('/mcp has exactly the 14 tools, in their order', () => {
  expect(MAIN_SURFACE.tools.map(({ name }) => name)).toEqual(SEED_TOOLS);
});

it('/mcp/extended has none of them', () => {
  const names: readonly string[] = SEED_TOOLS;
  expect(EXTENDED_SURFACE.tools.filter(({ name }) => names.includes(name))).toEqual([]);
});

it('takes the promised parameters', () => {
  const parameters = (name: string) => {
    const schema = all.find((one) => one.name === name)?.inputSchema ?? {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    return Object.keys(isSchema(schema.properties) ? schema.properties : {}).map((key) =>
      required.includes(key) ? key : `${key}?`,
    );
  };
  expect(Object.fromEntries(SEED_TOOLS.map((name) => [name, parameters(name)]))).toEqual({
    auth_status: [],
    bot_list: ['search?', 'status?', 'cursor?'],
    bot_get: ['bot_id'],
    bot_deploy: ['config', 'idempotency_key?'],
    bot_update: ['bot_id', 'config', 'if_generation?'],
    bot_delete: ['bot_id', 'confirm?'],
    logs_get: ['bot_id', 'date?', 'date_range?', 'limit?', 'level?', 'search?', 'run?', 'cursor?'],
    logs_summary: ['bot_id', 'date_range?'],
    bot_state_list: ['bot_id', 'after?'],
    bot_state_get: ['bot_id', 'key'],
    bot_query: ['bot_id', 'query_path', 'params?', 'timeout_sec?'],
    custom_bot_list: [],
    custom_bot_get: ['name', 'version?'],
    custom_bot_schema: ['name', 'version?'],
  });
});

it('says of a deletion that it destroys, to clients and to models', () => {
  const remove = all.find(({ name }) => name === 'bot_delete');
  expect(remove?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  expect(remove?.description).toContain('be sure that the user named this bot');
});

describe.each(all.map((definition) => [definition.name, definition] as const))('%s', (name, definition) => {
  it('is defined as reviewed', async () => {
    // Every assistant sees a change here: read the difference before accepting it with `vitest -u`.
    const text = `${JSON.stringify(definition, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '__snapshots__', `${name}.txt`));
  });

  it('says what it does, and sets every hint', () => {
    expect(definition.title).toMatch(/^[A-Z]/);
    expect(definition.description.length).toBeGreaterThan(60);
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint, ...others } = definition.annotations;
    for (const hint of [readOnlyHint, destructiveHint, idempotentHint, openWorldHint])
      expect(hint).toBeTypeOf('boolean');
    expect(others).toEqual({});
    const tool = [...MAIN_SURFACE.tools, ...EXTENDED_SURFACE.tools].find((one) => one.name === name);
    const effect = tool === undefined ? null : OPERATIONS[tool.needs].effect;
    expect([readOnlyHint, destructiveHint]).toEqual([effect === 'read', effect === 'destructive']);
    // A tool that only reads can destroy nothing, and reading twice is reading once.
    if (readOnlyHint) expect([destructiveHint, idempotentHint]).toEqual([false, true]);
  });

  it('takes what it names and nothing else', () => {
    const strict = objectsOf(definition.inputSchema).map((one) => one.additionalProperties);
    expect(new Set([...strict, definition.inputSchema.additionalProperties])).toEqual(new Set([false]));
  });

  it('promises no form of its answer, which every conversation would pay for', () => {
    expect(Object.keys(definition)).toEqual(['name', 'title', 'description', 'inputSchema', 'annotations']);
  });

  it('has a schema that means the same in draft-07 and 2020-12', () => {
    const keywords = inside(definition.inputSchema).flatMap((one) => Object.keys(one));
    expect(keywords.filter((keyword) => !SHARED.has(keyword))).toEqual([]);
    for (const checker of [new Ajv(OPTIONS), new Ajv2020(OPTIONS)]) checker.compile(definition.inputSchema);
  });

  it('explains every argument', () => {
    expect(unexplained(definition)).toEqual([]);
  });
});

/** Arguments, also inside of arguments, that have neither a description nor parts that explain them. */
function unexplained({ inputSchema }: ToolDefinition): string[] {
  return objectsOf(inputSchema).flatMap(({ properties }) =>
    Object.entries(isSchema(properties) ? properties : {})
      .filter(([, one]) => isSchema(one) && one.description === undefined && one.properties === undefined)
      .map(([key]) => key),
  );
}
