import type { LogEntry, LogSummary, MetricEvent, MetricOverview, SeriesData } from '../../../src/contract/telemetry.ts';
import { BROKEN, back, FAILURE, NOW, WELL } from './fixed-bots.ts';

const RUN = `run_${WELL}`;
const COUNT = 64;
const EVERY_MS = 20_000;

function entry(seq: number, over: Partial<LogEntry>): LogEntry {
  return {
    seq,
    ts: back((COUNT - seq) * EVERY_MS),
    time: null,
    level: 'info',
    source: 'stdout',
    message: `tick ${seq}: AAPL at ${priceAt(seq).toFixed(2)}`,
    fields: null,
    run_id: RUN,
    continued: false,
    masked: 0,
    ...over,
  };
}

/** A price that rises and falls, the same at every run. */
const priceAt = (i: number): number => 184 + 3 * Math.sin(i / 7) + 1.2 * Math.sin(i / 2.3);

const SPECIAL: Readonly<Record<number, Partial<LogEntry>>> = {
  42: { level: 'warn', message: '\u001b[33mWARN\u001b[0m the feed answered after \u001b[1m1840 ms\u001b[0m' },
  47: { message: 'login with password=***', masked: 1 },
  51: {
    level: 'error',
    message: '{"level":"error","msg":"order refused","id":81,"need":{"cash":10}}',
    fields: { level: 'error', msg: 'order refused', id: 81, need: { cash: 10 } },
  },
  55: { source: 'stderr', level: 'warn', message: 'DeprecationWarning: Buffer() is deprecated' },
  58: { source: 'query', message: 'answered /status in 3 ms' },
  61: {
    message: `a line that is longer than the window is wide: ${'BUY AAPL 10 at 184.22, '.repeat(14)}and so on`,
  },
};

const WELL_LOG: readonly LogEntry[] = Array.from({ length: COUNT }, (_, i) => entry(i + 1, SPECIAL[i + 1] ?? {}));
const BROKEN_LOG: readonly LogEntry[] = FAILURE.evidence.map(({ seq, ts, source, message }) =>
  entry(seq, { ts, source, message, level: 'error', run_id: 'run_b1' }),
);

/** All lines of a bot, oldest first. */
export function logOf(botId: string): readonly LogEntry[] {
  if (botId === WELL) return WELL_LOG;
  return botId === BROKEN ? BROKEN_LOG : [];
}

export function summaryOf(botId: string): LogSummary {
  const lines = logOf(botId);
  const count = (level: LogEntry['level']): number => lines.filter((one) => one.level === level).length;
  const by_level = { debug: 0, info: count('info'), warn: count('warn'), error: count('error') };
  return {
    bot_id: botId,
    total: lines.length,
    by_level,
    metrics: botId === WELL ? POINTS * 3 : 0,
    last_hour: by_level,
    first_at: lines[0]?.ts ?? null,
    last_at: lines.at(-1)?.ts ?? null,
    last_error: lines.findLast((one) => one.level === 'error') ?? null,
    dropped: 0,
    failure: botId === BROKEN ? FAILURE : null,
  };
}

const POINTS = 90;
const MINUTE = 60_000;
const timeAt = (i: number): number => NOW - (POINTS - 1 - i) * 40_000;

const SERIES: readonly {
  readonly type: string;
  readonly field: string;
  readonly symbol: string | null;
  readonly at: (i: number) => number;
}[] = [
  { type: 'price', field: 'value', symbol: 'AAPL', at: priceAt },
  { type: 'sma', field: 'short_sma', symbol: 'AAPL', at: (i) => 184 + 2.6 * Math.sin((i - 2) / 7) },
  { type: 'sma', field: 'long_sma', symbol: 'AAPL', at: (i) => 184 + 1.4 * Math.sin((i - 8) / 7) },
  { type: 'account', field: 'equity', symbol: null, at: (i) => 10_000 + i * 11 + 40 * Math.sin(i / 5) },
];

function metric(seq: number, type: string, at: number, data: Record<string, unknown>): MetricEvent {
  return { seq, ts: new Date(at).toISOString(), time: new Date(at).toISOString(), type, data, run_id: RUN };
}

/** Signals, oldest first. */
const SIGNALS: readonly MetricEvent[] = [12, 34, 56, 78].map((i, n) =>
  metric(1000 + n, 'signal', timeAt(i), {
    type: n % 2 === 0 ? 'BUY' : 'SELL',
    symbol: 'AAPL',
    price: priceAt(i),
    confidence: 0.72,
    reason: `SMA(5) crossed ${n % 2 === 0 ? 'above' : 'below'} SMA(20)`,
  }),
);
const MODE = metric(1010, 'mode', NOW - 2 * MINUTE, { state: 'hunting' });

export const eventsOf = (botId: string, type: string | undefined): readonly MetricEvent[] =>
  botId === WELL ? [...SIGNALS, MODE].filter((one) => type === undefined || one.type === type) : [];

export function overviewOf(botId: string): MetricOverview {
  if (botId !== WELL) return { bot_id: botId, types: [], series: [] };
  const last = POINTS - 1;
  const at = timeAt(last);
  const of = (type: string, data: Record<string, unknown>) => ({
    type,
    count: POINTS,
    latest: metric(900, type, at, data),
  });
  return {
    bot_id: botId,
    types: [
      of('account', { equity: 10_990 }),
      { type: 'mode', count: 1, latest: MODE },
      of('price', { symbol: 'AAPL', value: priceAt(last) }),
      { type: 'signal', count: SIGNALS.length, latest: SIGNALS.at(-1) ?? MODE },
      of('sma', { symbol: 'AAPL', short_sma: 184.2, long_sma: 183.9 }),
    ],
    series: SERIES.map(({ type, field, symbol, at: valueAt }) => ({
      type,
      field,
      symbol,
      count: POINTS,
      last: valueAt(last),
      last_at: new Date(at).toISOString(),
    })),
  };
}

export function seriesOf(input: {
  bot_id: string;
  type: string;
  field: string;
  symbol?: string | undefined;
}): SeriesData {
  const { bot_id, type, field, symbol = null } = input;
  const found = SERIES.find((one) => one.type === type && one.field === field && one.symbol === symbol);
  const indices = found === undefined ? [] : Array.from({ length: POINTS }, (_, i) => i);
  const values = indices.map((i) => found?.at(i) ?? 0);
  return {
    bot_id,
    type,
    field,
    symbol,
    grain: 'raw',
    resolution: 'raw',
    t: indices.map(timeAt),
    min: values,
    max: values,
    avg: values,
    last: values,
    count: indices.map(() => 1),
  };
}
