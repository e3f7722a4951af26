import { describe, expect, it } from 'vitest';
import { domainOf } from '../../../../../../src/renderer/data/metrics/time-window.ts';
import {
  readRange,
  withoutStretch,
  withPreset,
  withStretch,
} from '../../../../../../src/renderer/pages/bot/metrics/range.ts';

describe('time that is looked at', () => {
  const now = Date.UTC(2026, 10, 21, 12);
  const hour = { kind: 'last', span: 3_600_000 } as const;

  it('begins with the first sample of a bot that has just begun', () => {
    const began = now - 60_000;
    expect(domainOf(hour, { first: began, last: now - 1000 }, now)).toEqual({ from: began, to: now });
    expect(domainOf(hour, { first: now - 1000, last: now - 1000 }, now)).toEqual({
      from: now - 1000,
      to: now + 29_000,
    });
  });

  it('moves on with the clock, or is all there is, or stays', () => {
    expect(domainOf(hour, { first: 0, last: now - 5000 }, now)).toEqual({ from: now - 3_600_000, to: now });
    expect(domainOf({ kind: 'last', span: null }, { first: 0, last: 90_000 }, now)).toEqual({ from: 0, to: 90_000 });
    expect(domainOf({ kind: 'fixed', from: 1, to: 2 }, null, now)).toEqual({ from: 1, to: 2 });
  });

  it('stands in the address, and comes back from there', () => {
    const start = new URLSearchParams('range=6h&x=1');
    expect(readRange(start)).toMatchObject({ preset: { id: '6h' }, window: { kind: 'last', span: 21_600_000 } });
    const zoomed = withStretch(start, { from: now, to: now + 5000.4 });
    expect(readRange(zoomed)).toEqual({ preset: null, window: { kind: 'fixed', from: now, to: now + 5000 } });
    expect(withoutStretch(zoomed).toString()).toBe('range=6h&x=1');
    expect(withPreset(zoomed, '1h').toString()).toBe('x=1');
    const tiny = readRange(withStretch(start, { from: now, to: now + 1 })).window;
    expect(tiny.kind === 'fixed' && tiny.to - tiny.from).toBeGreaterThanOrEqual(99);
  });

  it.each(['range=nonsense', 'from=x&to=y', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'])(
    'is the usual where the address makes no sense: %s',
    (text) => {
      expect(readRange(new URLSearchParams(text)).preset?.id).toBe('1h');
    },
  );
});
