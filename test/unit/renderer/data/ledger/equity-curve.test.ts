import { expect, it, onTestFinished, vi } from 'vitest';
import { type BotCurve, equityCurve } from '../../../../../src/renderer/data/ledger/equity-curve.ts';

const at = (hour: number): string => `2026-01-15T${String(hour).padStart(2, '0')}:00:00.000Z`;
const curve = (
  botId: string,
  account: string | null,
  values: readonly (readonly [hour: number, value: string])[],
  currency = 'USD',
): BotCurve => ({
  ...{ botId, mode: 'live', venue: null, account, currency },
  points: values.map(([hour, value]) => ({ at: at(hour), value, low: value, high: value })),
});
const shown = (curves: readonly BotCurve[], currency = 'USD') =>
  equityCurve(curves, currency).map(({ day, total, drawdown }) => [Number(day.slice(11, 13)), total, drawdown]);

it('adds accounts up, each with its last value, once all of them have one, in one currency alone', () => {
  const curves = [
    curve('a', 'main', [
      [1, '100'],
      [3, '110.1'],
      [5, '90'],
    ]),
    curve('b', 'other', [
      [2, '1000'],
      [4, '1000.5'],
    ]),
    curve('b', 'other', [[1, '7']], 'USDT'),
  ];
  expect(shown(curves)).toEqual([
    [2, '1100', '0'],
    [3, '1110.1', '0'],
    [4, '1110.6', '0'],
    [5, '1090.5', '-20.1'],
  ]);
  expect(shown(curves, 'USDT')).toEqual([[1, '7', '0']]);
  expect(shown(curves, 'EUR')).toEqual([]);
});

it('counts an account once that two bots report, and no named account beside the whole of its bot', () => {
  const curves = [
    curve('a', 'main', [[1, '100']]),
    curve('b', 'main', [[2, '90']]),
    curve('c', null, [[1, '50']]),
    curve('c', 'part', [[1, '20']]),
  ];
  expect(shown(curves)).toEqual([
    [1, '150', '0'],
    [2, '140', '-10'],
  ]);
});

it.each(['the bot that runs first', 'the bot that stopped first'])(
  'begins with the newest of what two bots say that an account was worth before: %s',
  (order) => {
    const before = (since: string, value: string) => ({ at: at(1), value, low: value, high: value, since });
    const running = { ...curve('a', 'main', []), points: [before('2026-01-14T00:00:00.000Z', '5000')] };
    const curves = [
      { ...running, points: [...running.points, ...curve('a', 'main', [[2, '5010']]).points] },
      { ...curve('b', 'main', []), points: [before('2025-10-01T00:00:00.000Z', '10000')] },
    ];
    expect(shown(order.startsWith('the bot that runs') ? curves : curves.toReversed())).toEqual([
      [1, '5000', '0'],
      [2, '5010', '0'],
    ]);
  },
);

it('adds hundreds of accounts up about as fast as one', () => {
  const digits = vi.spyOn(globalThis, 'BigInt');
  onTestFinished(() => digits.mockRestore());
  const many = Array.from({ length: 200 }, (_, account) => {
    const values = Array.from({ length: 20 }, (_, hour) => [hour, String(account + hour)] as const);
    return curve('a', `account ${account}`, values);
  });
  expect(shown(many).slice(-2)).toEqual([
    [18, '23500', '0'],
    [19, '23700', '0'],
  ]);
  // Each value is read once, and what is added up is not read again for every step.
  expect(digits.mock.calls.length).toBeLessThan(3 * 200 * 20);
});

it('has no more points than a page shows, the newest among them', () => {
  const many = Array.from({ length: 3000 }, (_, i) => {
    const day = new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString();
    return { at: day, value: String(i), low: String(i), high: String(i) };
  });
  const curve500 = equityCurve([{ ...curve('a', 'main', []), points: many }], 'USD');
  expect(curve500.length).toBeLessThanOrEqual(501);
  expect(curve500.at(-1)?.total).toBe('2999');
});
