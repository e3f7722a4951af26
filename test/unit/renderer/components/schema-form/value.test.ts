import { describe, expect, it } from 'vitest';
import {
  changeOf,
  differences,
  withDefaults,
  withKey,
  withValue,
} from '../../../../../src/renderer/components/schema-form/value.ts';
import { isSecret, kindOf, resolve, ruleList } from '../../../../../src/shared/json-schema.ts';

describe('values of a form', () => {
  it('sets and takes away at any depth without changing what was there', () => {
    const before = { a: { b: 1 }, list: [1, 2] };
    expect(withValue(before, ['a', 'c'], 2)).toEqual({ a: { b: 1, c: 2 }, list: [1, 2] });
    expect(withValue(before, ['a', 'b'], undefined)).toEqual({ a: {}, list: [1, 2] });
    expect(withValue(before, ['list', '0'], undefined)).toEqual({ a: { b: 1 }, list: [2] });
    expect(withValue(before, ['new', 'deep'], 'x')).toEqual({ ...before, new: { deep: 'x' } });
    expect(before).toEqual({ a: { b: 1 }, list: [1, 2] });
  });

  it('renames a key at its place', () => {
    expect(Object.keys(withKey({ a: 1, b: 2, c: 3 }, 'b', 'z'))).toEqual(['a', 'z', 'c']);
  });

  it('fills defaults where objects exist', () => {
    const schema = { properties: { a: { default: 1 }, o: { type: 'object', properties: { b: { default: 2 } } } } };
    expect(withDefaults(schema, schema, {})).toEqual({ a: 1 });
    expect(withDefaults(schema, schema, { o: {} })).toEqual({ a: 1, o: { b: 2 } });
  });
});

describe('changes', () => {
  it('tells them setting by setting', () => {
    expect(differences({ a: 1, o: { x: 1, y: 2 } }, { o: { x: 1, y: 3 }, n: [1] })).toEqual([
      { path: ['a'], before: 1, after: undefined },
      { path: ['o', 'y'], before: 2, after: 3 },
      { path: ['n'], before: undefined, after: [1] },
    ]);
    expect(differences({}, { o: {} })).toEqual([{ path: ['o'], before: undefined, after: {} }]);
  });

  it('are sent as a patch that names nothing else', () => {
    expect(changeOf({ a: 1, key: '********', o: { x: 1, y: 2 } }, { key: '********', o: { x: 1, y: 3 } })).toEqual({
      config_patch: { a: null, o: { y: 3 } },
    });
  });

  it('are sent whole where null is a value', () => {
    expect(changeOf({ a: 1 }, { a: null })).toEqual({ config: { a: null } });
  });
});

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
