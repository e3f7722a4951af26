import { expect, it } from 'vitest';
import { schemaChanges } from '../../../src/shared/schema-changes.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    api_key: { type: 'string', description: 'Key.' },
    levels: { type: 'array', items: { type: 'object', properties: { x: { type: 'number', default: 1 } } } },
    limits: { type: 'object', additionalProperties: { type: 'number', minimum: 0 } },
  },
  required: ['api_key'],
};

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
