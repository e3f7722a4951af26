import { describe, expect, it } from 'vitest';
import { schemaRows } from '../../../src/shared/schema-rows.ts';

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
});
