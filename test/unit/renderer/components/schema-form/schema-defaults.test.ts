import { expect, it } from 'vitest';
import { withDefaults } from '../../../../../src/renderer/components/schema-form/schema-defaults.ts';

it('fills defaults where objects exist', () => {
  const schema = { properties: { a: { default: 1 }, o: { type: 'object', properties: { b: { default: 2 } } } } };
  expect(withDefaults(schema, schema, {})).toEqual({ a: 1 });
  expect(withDefaults(schema, schema, { o: {} })).toEqual({ a: 1, o: { b: 2 } });
});
