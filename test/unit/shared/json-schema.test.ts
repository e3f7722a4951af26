import { describe, expect, it } from 'vitest';
import { isSecret, kindOf, resolve, ruleList } from '../../../src/shared/json-schema.ts';

describe('schemas', () => {
  it('follows references and joins what must hold together', () => {
    const root = { definitions: { p: { type: 'integer', minimum: 1 } } };
    const schema = { allOf: [{ $ref: '#/definitions/p' }, { maximum: 5 }], description: 'own' };
    expect(resolve(root, schema)).toEqual({ type: 'integer', minimum: 1, maximum: 5, description: 'own' });
    const circle = { definitions: { a: { $ref: '#/definitions/a' } } };
    expect(resolve(circle, { $ref: '#/definitions/a' })).toEqual({});
  });

  it('knows how a value is edited', () => {
    const kinds = [
      { type: 'string' },
      { enum: [1, 'a'] },
      { type: ['integer', 'null'] },
      { oneOf: [] },
      { type: ['string', 'number'] },
    ];
    expect(kinds.map(kindOf)).toEqual(['text', 'choice', 'number', 'json', 'json']);
    expect(kindOf({ type: 'array', items: { type: 'string' } })).toBe('list');
    expect(kindOf({ type: 'object' })).toBe('json');
  });

  it('knows secrets by mark and name, and says rules in words', () => {
    expect(isSecret('api_key', { type: 'string' })).toBe(true);
    expect(isSecret('max_tokens', { type: 'integer' })).toBe(false);
    expect(isSecret('pin', { type: 'integer', 'x-secret': true })).toBe(true);
    expect(ruleList({ minimum: 2, maximum: 50 })).toEqual(['2 to 50']);
    expect(ruleList({ exclusiveMinimum: 0, minItems: 1 })).toEqual(['more than 0', 'at least 1 item']);
  });
});
