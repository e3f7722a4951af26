import { describe, expect, it } from 'vitest';
import { isPageOf } from '../../../../src/main/desktop/origin.ts';

describe('a page that asks', () => {
  it('is answered when it is a page of the dashboard, not a frame, not another, not one that has gone', () => {
    const origin = 'http://127.0.0.1:4747';
    const page = { url: `${origin}/bots`, parent: null };
    expect(isPageOf(page, origin)).toBe(true);
    for (const [asking, own] of [
      [{ ...page, parent: page }, origin],
      [{ ...page, url: 'https://evil.example/' }, origin],
      [{ ...page, url: 'data:text/html,x' }, origin],
      [{ ...page, url: 'data:text/html,x' }, null],
      [{ ...page, url: `blob:${origin}/0123` }, origin],
      [null, origin],
      [page, null],
    ] as const) {
      expect([asking, own, isPageOf(asking, own)]).toEqual([asking, own, false]);
    }
  });
});
