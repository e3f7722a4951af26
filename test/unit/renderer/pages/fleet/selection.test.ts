import { describe, expect, it } from 'vitest';
import { extend, keep, NOTHING, toggle } from '../../../../../src/renderer/pages/fleet/selection.ts';

describe('selection', () => {
  const order = ['a', 'b', 'c', 'd'];
  const ids = (selection: { ids: ReadonlySet<string> }) => [...selection.ids].sort().join('');
  it('toggles, and draws ranges both ways from where it began', () => {
    const b = toggle(NOTHING, 'b');
    expect(ids(extend(b, 'd', order))).toBe('bcd');
    expect(ids(extend(extend(b, 'd', order), 'a', order))).toBe('abcd');
    expect(ids(toggle(b, 'b'))).toBe('');
    expect(ids(extend(NOTHING, 'c', order))).toBe('c');
  });
  it('lets go of what is no longer shown', () => {
    const two = toggle(toggle(NOTHING, 'a'), 'c');
    expect(ids(keep(two, ['b', 'c']))).toBe('c');
    expect(keep(two, order)).toBe(two);
  });
});
