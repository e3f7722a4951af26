import { describe, expect, it } from 'vitest';
import { lifetimeOf, type Toast, withToast } from '../../../../src/renderer/data/toast-list.ts';

let id = 0;
const toast = (text: string, kind: Toast['kind'] = 'done', undo: Toast['undo'] = null): Toast => {
  id += 1;
  return { id, kind, text, hint: null, undo };
};
const listOf = (...toasts: readonly Toast[]): string[] =>
  toasts.reduce<readonly Toast[]>(withToast, []).map(({ text }) => text);

describe('toasts', () => {
  it('stay long enough to be read, longer to be undone, and failures until they are taken away', () => {
    expect(lifetimeOf(toast('a'))).toBe(5000);
    expect(lifetimeOf(toast('a', 'done', () => undefined))).toBe(10_000);
    expect(lifetimeOf(toast('a', 'failed'))).toBeNull();
  });

  it('are said once: the same words take the place of those before', () => {
    expect(listOf(toast('a'), toast('b'), toast('a'))).toEqual(['b', 'a']);
    expect(listOf(toast('a'), toast('a', 'failed'))).toEqual(['a', 'a']);
  });

  it('are four at most, and failures outlive what was done', () => {
    const failed = toast('failed', 'failed');
    expect(listOf(failed, toast('a'), toast('b'), toast('c'), toast('d'))).toEqual(['failed', 'b', 'c', 'd']);
  });

  it('show the newest even among failures alone', () => {
    const many = ['1', '2', '3', '4'].map((text) => toast(text, 'failed'));
    expect(listOf(...many, toast('new'))).toEqual(['2', '3', '4', 'new']);
    expect(listOf(...many, toast('5', 'failed'))).toEqual(['2', '3', '4', '5']);
  });
});
