import { describe, expect, it } from 'vitest';
import type { LogEntry, MetricEvent } from '../../../../../src/contract/telemetry.ts';
import { newMemory, readMemory, storedMemory } from '../../../../../src/main/host/guards/guard-memory.ts';
import type { GuardSpec } from '../../../../../src/main/host/guards/guard-spec.ts';
import {
  dayIn,
  isOfSymbol,
  judge,
  passTime,
  takeRows,
  verdictWords,
} from '../../../../../src/main/host/guards/judge.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const spec = (over: Partial<GuardSpec> = {}): GuardSpec => ({
  kind: 'daily_loss',
  limit: '100',
  unit: 'currency',
  symbol: null,
  action: 'stop',
  zone: 'UTC',
  failClosedMin: null,
  ...over,
});

const metric = (type: string, data: MetricEvent['data'], at = NOON): MetricEvent => ({
  seq: 1,
  ts: new Date(at).toISOString(),
  time: null,
  type,
  data,
  run_id: null,
});
const line = (level: LogEntry['level'], at = NOON): LogEntry => ({
  ...{ seq: 1, ts: new Date(at).toISOString(), time: null, level, source: 'stdout', message: '' },
  ...{ fields: null, run_id: null, continued: false, masked: 0 },
});

/** A guard that has seen rows; each call judges after the rows it is given. */
function watching(of: GuardSpec) {
  let memory = newMemory();
  return {
    /** Whether it fires after these rows; `held`: the bot is held meanwhile. */
    after(
      metrics: readonly MetricEvent[],
      { now = NOON, held = false, lines = [] as readonly LogEntry[], rowsCome = false } = {},
    ) {
      // What is stored between two batches must be all that it knows.
      memory = readMemory(JSON.parse(JSON.stringify(storedMemory(memory))));
      takeRows(of, memory, lines, metrics);
      return judge(of, memory, { now, heldBy: held ? 'another' : 'nothing', rowsCome })?.is ?? null;
    },
    pass(ms: number, runs = true) {
      passTime(of, memory, ms, runs);
      return judge(of, memory, { now: NOON, heldBy: 'nothing', rowsCome: false })?.is ?? null;
    },
  };
}
const equity = (value: unknown, at = NOON, more: object = {}) => metric('equity', { value, ...more } as never, at);

describe('a daily loss', () => {
  it('counts from the equity at the start of the day, fires once, and again only for further loss', () => {
    const guard = watching(spec());
    expect(guard.after([equity('1000')])).toBeNull();
    expect(guard.after([equity('900.01')])).toBeNull();
    expect(guard.after([equity('900')])).toBe('fired');
    expect(guard.after([equity('900')])).toBeNull();
    // While it is held it gets worse: who starts it again has seen that.
    expect(guard.after([equity('880')], { held: true })).toBeNull();
    expect(guard.after([equity('880')])).toBeNull();
    expect(guard.after([equity('879')])).toBe('fired');
    expect(guard.after([equity('950')])).toBeNull();
    expect(guard.after([equity('890')])).toBe('fired');
  });

  it('fires after the start of a bot that something else held while the limit was reached', () => {
    const guard = watching(spec());
    guard.after([equity(1000)]);
    expect(guard.after([equity(800)], { held: true })).toBeNull();
    expect(guard.after([equity(800)])).toBe('fired');
  });

  it('begins with the day of its zone, by the time of arrival', () => {
    const evening = Date.parse('2026-03-01T23:30:00Z');
    const guard = watching(spec({ zone: 'Europe/Berlin' }));
    guard.after([equity(1000, evening - 2 * 3_600_000)], { now: evening });
    // In Berlin it is half past midnight: the loss of before is of yesterday.
    expect(guard.after([equity(920, evening)], { now: evening })).toBeNull();
    expect(guard.after([equity(899, evening)], { now: evening })).toBe('fired');
    expect([dayIn('UTC', evening), dayIn('Europe/Berlin', evening)]).toEqual(['2026-03-01', '2026-03-02']);
  });

  it('is a percentage of the equity at the start of the day, and none of nothing', () => {
    const guard = watching(spec({ unit: 'percent', limit: '5' }));
    guard.after([equity('200')]);
    expect(guard.after([equity('190.1')])).toBeNull();
    expect(guard.after([equity('190')])).toBe('fired');
    expect(watching(spec({ unit: 'percent' })).after([equity('0'), equity('-50')])).toBeNull();
  });

  it('is that of each account by itself', () => {
    const guard = watching(spec());
    guard.after([equity(1000, NOON, { account: 'a' }), equity(5000, NOON, { account: 'b' })]);
    expect(guard.after([equity(5100, NOON, { account: 'b' }), equity(900, NOON, { account: 'a' })])).toBe('fired');
  });

  it('survives what no bot should send', () => {
    const guard = watching(spec());
    const strange = [equity(null), equity('NaN'), equity({}), equity('1e999'), metric('equity', { __proto__: null })];
    expect(guard.after([...strange, equity(1000), ...strange, equity(899)])).toBe('fired');
  });
});

it('a drawdown counts from the highest equity, over days', () => {
  const guard = watching(spec({ kind: 'drawdown' }));
  guard.after([equity(1000), equity(1500), equity(1450, NOON + 86_400_000)]);
  expect(guard.after([equity(1400, NOON + 86_400_000)])).toBe('fired');
});

describe('orders per minute', () => {
  const of = spec({ kind: 'orders_per_minute', unit: 'count', limit: '3' });
  const order = (id: string | null, at = NOON, more: object = {}) =>
    metric('order', { ...(id === null ? {} : { client_order_id: id }), status: 'new', ...more }, at);

  it('counts each order once, by its arrival, whatever time it bears', () => {
    const guard = watching(of);
    expect(guard.after([order('a'), order('a', NOON, { status: 'filled' }), order('b')])).toBeNull();
    expect(guard.after([order('c', NOON + 61_000)], { now: NOON + 61_000 })).toBeNull();
    const odd = [order('d', NOON + 62_000, { time: '1970-01-01' }), order('e', NOON + 63_000, { time: 'never' })];
    expect(guard.after(odd, { now: NOON + 63_000 })).toBe('fired');
  });

  it('lets no order without an id or a status escape', () => {
    const bare = [metric('order', {}), metric('order', { status: 7 }), metric('trade', { symbol: 'X' })];
    expect(watching(of).after(bare)).toBe('fired');
  });

  it('judges a burst of before by its own minute, also when it is read late', () => {
    expect(watching(of).after([order('a'), order('b'), order('c')], { now: NOON + 3_600_000 })).toBe('fired');
  });
});

describe('a position limit', () => {
  it('follows reports and fills, and knows a symbol without what it is paid in', () => {
    const guard = watching(spec({ kind: 'position_limit', unit: 'quantity', limit: '2', symbol: 'btc' }));
    const fill = (side: string, quantity: string, symbol = 'BTC/USDT') => metric('fill', { side, quantity, symbol });
    expect(
      guard.after([fill('BUY', '1.5'), fill('BUY', '9', 'BTCDOWN/USDT'), fill('BUY', '9', 'ETH/USDT')]),
    ).toBeNull();
    expect(guard.after([fill('SELL', '3.5')])).toBe('fired');
    expect(isOfSymbol('BTC', 'BTC-USD')).toBe(true);
    expect(isOfSymbol('BTC/USDT', 'BTC/USD')).toBe(false);
  });

  it('in currency takes the newest price, and cannot be computed without one', () => {
    const guard = watching(spec({ kind: 'position_limit', limit: '1000', failClosedMin: 2 }));
    expect(guard.after([metric('position', { symbol: 'X', quantity: -5 })])).toBeNull();
    expect(guard.pass(119_000)).toBeNull();
    expect(guard.pass(1000)).toBe('failed_closed');
    expect(guard.after([metric('price', { symbol: 'X', price: '199' })])).toBeNull();
    expect(guard.after([metric('price', { symbol: 'X', price: '200' })])).toBe('fired');
  });
});

it('an error rate counts lines of errors of the bot within a minute', () => {
  const guard = watching(spec({ kind: 'error_rate', unit: 'count', limit: '2' }));
  const host = { ...line('error'), source: 'host' } as const;
  expect(guard.after([], { lines: [line('error'), line('warn'), host] })).toBeNull();
  expect(guard.after([], { lines: [line('error', NOON + 59_000)], now: NOON + 59_000 })).toBe('fired');
});

it('a flood of errors is counted up to the highest limit, quickly', () => {
  const guard = watching(spec({ kind: 'error_rate', unit: 'count', limit: '10000' }));
  const lines = Array.from({ length: 9999 }, () => line('error'));
  expect(guard.after([], { lines })).toBeNull();
  expect(guard.after([], { lines })).toBe('fired');
});

it('a flood of errors is counted in each of its minutes, also where they are read at once', () => {
  const errors = (n: number, at: number) => Array.from({ length: n }, () => line('error', at));
  const later = NOON + 120_000;
  for (const lines of [
    [...errors(9999, NOON), ...errors(10_000, later)],
    [...errors(1, NOON - 60_000), ...errors(9999, NOON), ...errors(1, NOON + 1), ...errors(20, later)],
  ]) {
    const guard = watching(spec({ kind: 'error_rate', unit: 'count', limit: '10000' }));
    expect(guard.after([], { lines, now: later })).toBe('fired');
  }
});

it('a minute of errors that is read late, in two answers, is counted as one', () => {
  const errors = (n: number) => Array.from({ length: n }, () => line('error', NOON));
  const guard = watching(spec({ kind: 'error_rate', unit: 'count', limit: '3000' }));
  const late = { now: NOON + 120_000, rowsCome: true };
  expect(guard.after([], { ...late, lines: errors(2000) })).toBeNull();
  expect(guard.after([], { ...late, lines: errors(1000) })).toBe('fired');
});

it('a minute of errors is over once no more rows come', () => {
  const guard = watching(spec({ kind: 'error_rate', unit: 'count', limit: '2' }));
  expect(guard.after([], { lines: [line('error')], rowsCome: true })).toBeNull();
  expect(guard.after([], { now: NOON + 60_000 })).toBeNull();
  expect(guard.after([], { lines: [line('error', NOON + 59_000)], now: NOON + 60_000, rowsCome: true })).toBeNull();
});

it('silence counts while the bot runs, and ends with a row', () => {
  const guard = watching(spec({ kind: 'silent_for', unit: 'seconds', limit: '60' }));
  expect(guard.pass(50_000)).toBeNull();
  guard.after([], { lines: [line('info')] });
  expect(guard.pass(59_000)).toBeNull();
  guard.pass(1000, false);
  expect(guard.pass(59_000)).toBeNull();
  expect(guard.pass(1000)).toBe('fired');
});

it('a guard without its rows says so once, and again after rows have come', () => {
  const guard = watching(spec());
  expect(guard.pass(600_000)).toBe('unknown');
  expect(guard.pass(600_000)).toBeNull();
  guard.after([equity(1000)]);
  expect(guard.pass(600_000)).toBe('unknown');
});

describe('an alarm', () => {
  const MINUTE = 60_000;

  it('is told once until the value is within the limit again, and at most once a minute', () => {
    const guard = watching(spec({ action: 'alarm' }));
    guard.after([equity(1000)]);
    expect(guard.after([equity(890)])).toBe('fired');
    expect(guard.after([equity(500)], { now: NOON + 2 * MINUTE })).toBeNull();
    guard.after([equity(1000)], { now: NOON + 3 * MINUTE });
    expect(guard.after([equity(890)], { now: NOON + 3 * MINUTE })).toBe('fired');
    guard.after([equity(1000)], { now: NOON + 3 * MINUTE });
    expect(guard.after([equity(890)], { now: NOON + 4 * MINUTE - 1 })).toBeNull();
    // It is beyond the limit still.
    expect(guard.after([], { now: NOON + 4 * MINUTE })).toBe('fired');
    guard.after([equity(1000)], { now: NOON });
    expect(guard.after([equity(890)], { now: NOON })).toBe('fired');
  });

  it('is not told with each batch that has a row beyond the limit and ends within it', () => {
    const guard = watching(spec({ action: 'alarm' }));
    const batches = Array.from({ length: 20 * 90 }, (_, at) => [equity(1000), equity(850), equity(990 + (at % 2))]);
    const fired = batches.map((rows, at) => guard.after(rows, { now: NOON + 50 * at })).filter((is) => is === 'fired');
    expect(fired).toHaveLength(1);
    // Nothing comes for a moment.
    guard.after([], { now: NOON + 2 * MINUTE });
    expect(guard.after([equity(850), equity(990)], { now: NOON + 2 * MINUTE })).toBe('fired');
  });
});

it('says what has become of it', () => {
  expect(verdictWords(spec({ unit: 'percent' }), { is: 'failed_closed', minutes: 5 })).toContain('for 5 minutes');
});
