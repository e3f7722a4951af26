import { describe, expect, it } from 'vitest';
import { compileConfigSchema } from '../../../../../src/packaging/config-validator.ts';
import { checkConfig, unnamedKeys } from '../../../../../src/renderer/components/schema-form/check-config.ts';

const SCHEMA = {
  type: 'object',
  definitions: { period: { type: 'integer', minimum: 2, maximum: 50, description: 'Days.' } },
  properties: {
    symbol: { type: 'string', pattern: '^[A-Z]+$', maxLength: 5, default: 'AAPL' },
    short: { $ref: '#/definitions/period' },
    mode: { enum: ['paper', 'live'], default: 'paper' },
    ratio: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.1 },
    api_key: { type: 'string', minLength: 8 },
    levels: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    },
    limits: { type: 'object', additionalProperties: { type: 'number', maximum: 10 }, maxProperties: 2 },
    both: { allOf: [{ type: 'integer' }, { minimum: 3 }] },
  },
  required: ['short'],
  additionalProperties: false,
};

const CASES: readonly Record<string, unknown>[] = [
  { short: 5 },
  {},
  { short: 1 },
  { short: '5' },
  { short: 51, symbol: 'toolong', mode: 'papr' },
  { short: 5, symbl: 'A' },
  { short: 5, ratio: 0 },
  { short: 5, ratio: 0.25 },
  { short: 5, api_key: 'short' },
  { short: 5, api_key: { $secret: 'KEY' }, symbol: { $secret: 'SYMBOL' } },
  { short: 5, levels: [] },
  { short: 5, levels: [{ x: 1 }, {}, { x: 'no' }] },
  { short: 5, limits: { 'a b': 11, c: 1, d: 2 } },
  { short: 2.5, both: 2 },
  { short: null, symbol: 7 },
];

describe('checkConfig', () => {
  const validator = compileConfigSchema(SCHEMA);
  it.each(CASES)('says what the host says of %j', (config) => {
    const byPath = (a: { path: string; message: string }, b: { path: string; message: string }): number =>
      `${a.path} ${a.message}`.localeCompare(`${b.path} ${b.message}`);
    expect(checkConfig(SCHEMA, config).sort(byPath)).toEqual([...validator.validate(config).problems].sort(byPath));
  });

  it('leaves what it does not understand to the host', () => {
    const schema = {
      type: 'object',
      properties: { a: { oneOf: [{ type: 'string' }] }, b: { type: 'string', pattern: '(?<!x)(' } },
    };
    expect(checkConfig(schema, { a: 1, b: 'y' })).toEqual([]);
  });

  it('does not check a secret that is stored', () => {
    expect(checkConfig({ properties: { api_key: { type: 'string', maxLength: 4 } } }, { api_key: '********' })).toEqual(
      [],
    );
  });
});

describe('unnamedKeys', () => {
  it('finds keys that no property names where any are taken', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'object', properties: { b: {} } },
        map: { type: 'object', additionalProperties: { type: 'number' } },
      },
    };
    expect(unnamedKeys(schema, { a: { b: 1, c: 2 }, map: { x: 1 }, d: 3 })).toEqual([['a', 'c'], ['d']]);
  });
});
