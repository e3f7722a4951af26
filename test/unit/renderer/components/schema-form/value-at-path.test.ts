import { describe, expect, it } from 'vitest';
import { withKey, withValue } from '../../../../../src/renderer/components/schema-form/value-at-path.ts';

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
});
