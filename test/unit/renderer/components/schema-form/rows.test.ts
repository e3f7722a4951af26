import { describe, expect, it } from 'vitest';
import { hideSecrets, withHidden } from '../../../../../src/renderer/components/schema-form/hide.ts';
import { toNumber } from '../../../../../src/renderer/components/schema-form/number-text.ts';
import { schemaChanges, schemaRows } from '../../../../../src/shared/schema-rows.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    api_key: { type: 'string', description: 'Key.' },
    levels: { type: 'array', items: { type: 'object', properties: { x: { type: 'number', default: 1 } } } },
    limits: { type: 'object', additionalProperties: { type: 'number', minimum: 0 } },
  },
  required: ['api_key'],
};

describe('a schema as rows', () => {
  it('names every setting, at every depth', () => {
    expect(schemaRows(SCHEMA).map((row) => [row.name, row.depth, row.type])).toEqual([
      ['api_key', 0, 'text'],
      ['levels', 0, 'list'],
      ['levels[]', 1, 'group'],
      ['levels[].x', 2, 'number'],
      ['limits', 0, 'group'],
      ['limits.*', 1, 'number'],
    ]);
    expect(schemaRows(SCHEMA)[0]).toMatchObject({ required: true, secret: true, description: 'Key.' });
  });

  it('ends for a schema that goes into itself', () => {
    const tree = { type: 'object', properties: { left: { $ref: '#' } } };
    expect(schemaRows(tree).length).toBeLessThan(20);
  });

  it('tells what two versions say differently', () => {
    const { levels, ...rest } = SCHEMA.properties;
    const after = {
      ...SCHEMA,
      properties: { ...rest, api_key: { type: 'string', description: 'Key.', minLength: 8 }, n: { type: 'integer' } },
      required: [],
    };
    expect(schemaChanges(SCHEMA, after)).toEqual([
      { name: 'api_key', kind: 'changed', what: ['range: none → at least 8 characters', 'is not required any more'] },
      { name: 'n', kind: 'added', what: [] },
      { name: 'levels', kind: 'removed', what: [] },
      { name: 'levels[]', kind: 'removed', what: [] },
      { name: 'levels[].x', kind: 'removed', what: [] },
    ]);
    expect(levels).toBeDefined();
    expect(schemaChanges(SCHEMA, SCHEMA)).toEqual([]);
  });
});

describe('what is shown and typed', () => {
  it('hides secrets at any depth', () => {
    const schema = {
      properties: {
        api_key: {},
        pin: { type: 'integer', 'x-secret': true },
        account: { properties: { password: { type: 'string' } } },
      },
    };
    const config = { api_key: 'abc', pin: 1234, account: { password: 'x', name: 'ada' }, empty: '' };
    expect(hideSecrets(schema, config)).toEqual({
      api_key: '********',
      pin: '********',
      account: { password: '********', name: 'ada' },
      empty: '',
    });
  });

  it('puts back what it has hidden, and nothing else', () => {
    const before = { api_key: 'abc', list: [{ password: 'x' }], stored: '********' };
    const after = { api_key: '********', list: [{ password: '********' }], stored: '********', other: '********' };
    expect(withHidden(after, before)).toEqual({
      api_key: 'abc',
      list: [{ password: 'x' }],
      stored: '********',
      other: '********',
    });
    expect(withHidden({ api_key: 'new' }, before)).toEqual({ api_key: 'new' });
  });

  it('reads numbers as they are typed', () => {
    expect(['5', ' 1.50 ', '-2', '1e3', '.5'].map(toNumber)).toEqual([5, 1.5, -2, 1000, 0.5]);
    expect(['', '  '].map(toNumber)).toEqual([undefined, undefined]);
    expect(['-', '1,5', '0x10', 'Infinity', 'abc'].map(toNumber)).toEqual(['-', '1,5', '0x10', 'Infinity', 'abc']);
  });
});
