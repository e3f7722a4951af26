import { join } from 'node:path';
import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest';
import type { BotLog } from '../../../../../src/main/host/logs/bot-log.ts';
import { createBotMasker } from '../../../../../src/main/host/logs/create-bot-masker.ts';
import { openLogDatabaseForReading } from '../../../../../src/main/host/logs/log-database.ts';
import { LogReader } from '../../../../../src/main/host/logs/log-database-read.ts';
import { segmentName } from '../../../../../src/main/host/logs/log-segments.ts';
import { OpenDatabases } from '../../../../../src/main/host/logs/open-databases.ts';
import { readCatchUp, readJudged } from '../../../../../src/main/host/logs/read-catch-up.ts';
import { readLogs } from '../../../../../src/main/host/logs/read-logs.ts';
import { readMetricEvents, readMetrics } from '../../../../../src/main/host/logs/read-metrics.ts';
import { readSeries } from '../../../../../src/main/host/logs/read-series.ts';
import { readSummary } from '../../../../../src/main/host/logs/read-summary.ts';
import { RollupDatabase } from '../../../../../src/main/host/logs/rollup-database.ts';
import type { LogFilter } from '../../../../../src/main/host/logs/stored-row-types.ts';
import type { JudgedLine } from '../../../../../src/main/host/logs/telemetry-types.ts';
import { LogHere, readerOf, type Said } from '../../../../support/log-here.ts';
import { everyVariant } from '../../../../support/proof.ts';
import { asRowSegment } from '../../../../support/row-segment.ts';
import { SeededRandom, testSeed } from '../../../../support/seeded-random.ts';

const BEGIN = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const KEEP_ALL = { days: 3650, bytes: 1 << 30 };
const EVERYTHING: LogFilter = { minLevel: undefined, source: undefined, run: undefined, search: undefined };
const MASKER = createBotMasker([]);
const SERIES = [
  { type: 'price', field: 'value', symbol: 'SPY' },
  { type: 'price', field: 'value', symbol: '' },
  { type: 'load', field: 'cpu', symbol: '' },
  { type: 'load', field: 'late', symbol: '' },
];

/** The same rows in one segment, and in as many as chance wants. */
function twins(random: SeededRandom): { readonly whole: LogHere; readonly parts: LogHere; readonly end: number } {
  const whole = new LogHere();
  const parts = new LogHere();
  onTestFinished(() => {
    whole.close();
    parts.close();
  });
  let ts = BEGIN;
  for (let batch = 0; batch < 120; batch++) {
    // Several batches within a minute and within an hour: rotations split both.
    ts += random.below(40_000);
    const said = Array.from({ length: random.below(8) }, (_, at) => saidAt(random, batch, at, ts));
    for (const log of [whole, parts]) log.write(ts, said);
    if (random.below(10) === 0) expect(parts.next()).toBe(true);
    if (random.below(10) === 0) parts.retain(KEEP_ALL, ts);
  }
  expect(parts.segments().length).toBeGreaterThan(3);
  return { whole, parts, end: ts };
}

function saidAt(random: SeededRandom, batch: number, at: number, ts: number): Said {
  const run = `run_${Math.floor(batch / 30)}`;
  const kind = random.below(5);
  if (kind < 3) return { line: `line ${batch} ${at}${kind === 0 ? ' needle' : ''}`, level: random.below(4), run };
  // Quarters: their sums are exact in any order.
  const value = random.below(1000) / 4;
  const time = random.below(2) === 0 ? null : ts - random.below(3 * MINUTE);
  if (kind === 3) return { type: 'price', symbol: random.below(2) === 0 ? 'SPY' : null, values: { value }, time, run };
  return { type: 'load', symbol: null, values: batch < 60 ? { cpu: value } : { cpu: value, late: value }, time, run };
}

/** What guards judge after a seq, in as many answers as it takes. */
function judgedFrom(log: BotLog, from: number): unknown {
  const metrics: number[] = [];
  const errors: number[] = [];
  let newest = 0;
  for (let after = from; after < log.lastSeq(); ) {
    const found = readJudged(log, after);
    expect(found.seq).toBeGreaterThan(after);
    metrics.push(...found.metrics.map(({ seq }) => seq));
    errors.push(...found.logs.filter(({ level }) => level === 'error').map(({ seq }) => seq));
    newest = found.logs.at(-1)?.seq ?? newest;
    after = found.seq;
  }
  return { metrics, errors, newest };
}

/** Every answer that a bot's log gives. */
async function answers(log: BotLog, end: number): Promise<unknown> {
  const bounds = log.logBounds() ?? { lo: 0, hi: 0 };
  const times = Array.from({ length: 24 }, (_, at) => BEGIN + ((end - BEGIN) * at) / 20);
  const ask = (query: object) => readLogs(log, MASKER, { bot_id: 'b', ...query }, { stopped: false }, 0);
  const seqs = Array.from({ length: 13 }, (_, at) => Math.floor((bounds.hi * at) / 11));
  return {
    bounds,
    last: [log.lastSeq(), log.lastError(), log.firstTs(), log.lastTs()],
    // Where no line lies between two seqs, both say the same.
    at: times.map((ts) => log.logs({ lo: log.seqAt(ts, bounds), hi: bounds.hi }, EVERYTHING, 'asc', 1)),
    lines: seqs.map((seq) => [log.logAt(seq)?.line, log.hasLogBefore(seq)]),
    pages: await Promise.all(
      seqs.flatMap((seq) => [
        ask({ before: seq, limit: 7 }),
        ask({ after: seq, limit: 7 }),
        ask({ after: seq, before: seq + 90, limit: 50 }),
      ]),
    ),
    found: await Promise.all([
      ask({ limit: 1000 }),
      ask({ after: 0, limit: 1000 }),
      ask({ search: 'needle', limit: 20 }),
      ask({ search: 'needle', limit: 1000 }),
      ask({ run_id: 'run_0' }),
      ask({ run_id: 'run_3' }),
      ask({ level: 'error' }),
      ask({ date_range: `${new Date(times[5] ?? 0).toISOString()}/${new Date(times[12] ?? 0).toISOString()}` }),
    ]),
    stored: seqs.map((seq) => readCatchUp(log, MASKER, seq)),
    judged: seqs.map((seq) => judgedFrom(log, seq)),
    rows: seqs.map((seq) => log.logs({ lo: seq, hi: seq + 40 }, EVERYTHING, 'asc', 100)),
    events: seqs.flatMap((seq) => [
      readMetricEvents(log, MASKER, { bot_id: 'b', after: seq, limit: 9 }),
      readMetricEvents(log, MASKER, { bot_id: 'b', before: seq, type: 'price', limit: 9 }),
    ]),
    summary: readSummary(log, MASKER, 'b', end),
    totals: [...log.totals()].sort(),
    hour: [...log.lastHour(end)].sort(),
    metrics: readMetrics(log, MASKER, 'b'),
    charts: await Promise.all(
      SERIES.map(async (series) => [
        await readSeries(log, { bot_id: 'b', ...series, points: 2000 }),
        await readSeries(log, { bot_id: 'b', ...series, points: 20 }),
        log.charts.rollupSpan(series),
        log.charts.rollups('minute', series, BEGIN, end),
        log.charts.rollups('hour', series, BEGIN, end),
        times.map((ts) => log.charts.pointCount('minute', series, ts, ts + 20 * MINUTE)),
        log.charts.points(series, BEGIN, end),
      ]),
    ),
  };
}

describe('a log in many segments', () => {
  it('gives every answer that one in a single segment gives, whatever of its rollups is merged', async () => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    for (let round = 0; round < (everyVariant ? 2 : 1); round++) {
      const { whole, parts, end } = twins(new SeededRandom(seed + round));
      const want = await answers(readerOf(whole.dir), end);
      expect(await answers(readerOf(parts.dir), end)).toEqual(want);
      parts.retainAll(KEEP_ALL, end);
      expect(await answers(readerOf(parts.dir), end), 'all merged').toEqual(want);
      const few = {
        segments: new OpenDatabases(1, (file) => new LogReader(openLogDatabaseForReading(file))),
        rollups: new OpenDatabases(1, RollupDatabase.openForReading),
      };
      expect(await answers(readerOf(parts.dir, few), end), 'with one connection').toEqual(want);
      few.segments.closeAll();
      few.rollups.closeAll();
    }
  });

  it('gives the same answers where its older segments have rows, as an earlier release wrote them', async () => {
    const seed = testSeed();
    onTestFailed(() => console.error(`TEST_SEED=${seed}`));
    const random = new SeededRandom(seed);
    const { whole, parts, end } = twins(random);
    const want = await answers(readerOf(whole.dir), end);
    parts.close();
    const segments = parts.segments();
    for (const number of segments.slice(0, 1 + random.below(segments.length))) {
      asRowSegment(join(parts.dir, segmentName(number)));
    }
    expect(await answers(readerOf(parts.dir), end)).toEqual(want);
  });

  it('finds a text in the fields and the lines of compressed blocks, in any case', async () => {
    const log = new LogHere();
    onTestFinished(() => log.close());
    for (let at = 0; at < 3; at++) {
      log.write(
        BEGIN + at,
        Array.from({ length: 4000 }, (_, i) => {
          return { line: `order ${at}-${i}`, level: 1, run: 'r', fields: `{"symbol":"S${at}-${i}"}` };
        }),
      );
      log.next();
    }
    const reader = readerOf(log.dir);
    const found = async (search: string) => {
      const { entries } = await readLogs(reader, MASKER, { bot_id: 'b', search }, { stopped: false }, 0);
      return entries.map(({ message }) => message);
    };
    expect(await found('"symbol":"s1-3999"')).toEqual(['order 1-3999']);
    expect(await found('ORDER 2-0')).toEqual(['order 2-0']);
    expect(await found('order 7')).toEqual([]);
  });

  it('has what guards judge among any number of lines: metrics, errors and the newest line of a program', () => {
    const log = new LogHere();
    onTestFinished(() => log.close());
    const lines = (n: number): Said[] => Array.from({ length: n }, () => ({ line: 'looked', level: 1, run: 'r' }));
    const equity: Said = { type: 'equity', symbol: null, values: { value: 5 }, time: null, run: 'r' };
    for (let at = 0; at < 60; at++) log.write(BEGIN + at, lines(1000));
    log.write(BEGIN + 60, [equity, { line: 'failed', level: 3, run: 'r' }, ...lines(300), equity]);
    const found: [logs: string[], metrics: number[], seq: number][] = [];
    const all = new Map<number, JudgedLine>();
    for (let after = 0; after < log.seq; ) {
      const { logs, metrics, seq } = readJudged(readerOf(log.dir), after);
      for (const line of logs) all.set(line.seq, line);
      found.push([logs.map(({ level }) => level), metrics.map((one) => one.seq), seq]);
      expect(seq).toBeGreaterThan(after);
      after = seq;
    }
    expect(found).toEqual([
      [['info'], [], 50_000],
      [['error', 'info'], [60_001, 60_303], 60_303],
    ]);
    const whole = readCatchUp(readerOf(log.dir), MASKER, 60_000);
    for (const entry of whole.logs) if (all.has(entry.seq)) expect(entry).toMatchObject(all.get(entry.seq) ?? {});
    expect([...all.keys()]).toEqual([50_000, 60_002, 60_302]);
  });

  it.each(['blocks', 'rows of an earlier release'])('gives guards of each error its time alone, from %s', (kind) => {
    const log = new LogHere();
    onTestFinished(() => log.close());
    const failed: Said = { line: 'password=hunter22', level: 3, run: 'r', fields: '{"order":"x"}' };
    const flood = Array.from({ length: 2500 }, () => failed);
    log.write(BEGIN, [...flood, { line: 'went on', level: 1, run: 'r' }]);
    log.close();
    if (kind !== 'blocks') asRowSegment(join(log.dir, segmentName(0)));
    const reader = readerOf(log.dir);
    const errors = flood.map((_, at) => ({
      seq: at + 1,
      ts: new Date(BEGIN).toISOString(),
      level: 'error',
      source: 'stdout',
    }));
    expect(readJudged(reader, 0)).toEqual({ logs: errors.slice(0, 2000), metrics: [], seq: 2000 });
    const newest = { ...errors[0], seq: 2501, level: 'info' };
    expect(readJudged(reader, 2000)).toEqual({ logs: [...errors.slice(2000), newest], metrics: [], seq: 2501 });
  });

  it('opens no more than it needs', async () => {
    const log = new LogHere();
    onTestFinished(() => log.close());
    for (let at = 0; at < 6; at++) {
      log.write(
        BEGIN + at,
        Array.from({ length: 50 }, (_, i) => ({ line: `${at} ${i}`, level: 1, run: 'r' })),
      );
      if (at < 5) log.next();
    }
    const opened: string[] = [];
    const open = {
      segments: new OpenDatabases(64, (file) => {
        opened.push(file.slice(log.dir.length + 1));
        return new LogReader(openLogDatabaseForReading(file));
      }),
      rollups: new OpenDatabases(1, RollupDatabase.openForReading),
    };
    const reader = readerOf(log.dir, open);
    const newest = () => readLogs(reader, MASKER, { bot_id: 'b', limit: 20 }, { stopped: false }, 0);
    expect((await newest()).entries.at(-1)?.message).toBe('5 49');
    expect(opened, 'the oldest tells where the log begins').toEqual(['log-5.db', 'log.db']);
    expect(reader.totals()).toEqual(new Map([[1, 300]]));
    expect(opened).toHaveLength(6);
    open.segments.closeAll();
    // What does not change is known.
    opened.length = 0;
    await newest();
    expect(reader.totals()).toEqual(new Map([[1, 300]]));
    expect([reader.firstTs(), reader.lastTs()]).toEqual([BEGIN, BEGIN + 5]);
    expect(opened).toEqual(['log-5.db']);
    open.segments.closeAll();
  });

  it('is read on when a segment goes while it is read', () => {
    const log = new LogHere();
    onTestFinished(() => log.close());
    for (let at = 0; at < 4; at++) {
      log.write(BEGIN + at, [{ line: `line ${at}`, level: 1, run: 'r' }]);
      log.next();
    }
    const reader = readerOf(log.dir);
    // Nothing of it is open yet.
    log.retain({ days: 30, bytes: 1 }, BEGIN);
    while (log.segments()[0] !== 2) log.retain({ days: 30, bytes: 1 }, BEGIN);
    expect(reader.logs({ lo: 0, hi: 100 }, EVERYTHING, 'asc', 100).map(({ line }) => line)).toEqual([
      'line 2',
      'line 3',
    ]);
    expect(reader.totals()).toEqual(new Map([[1, 2]]));
    reader.release();
  });
});

it('what its metrics are about is known over all segments, with a number beside it or not, up to a bound', () => {
  const log = new LogHere();
  onTestFinished(() => log.close());
  const about = (symbol: string, values: Record<string, number> = {}): Said => {
    return { type: 'signal', symbol, values, time: null, run: 'run_1' };
  };
  log.write(BEGIN, [about('TSLA'), about('AAPL', { price: 1 })]);
  expect(log.next()).toBe(true);
  log.write(BEGIN + MINUTE, [about('MSFT'), about('TSLA')]);
  expect(readerOf(log.dir).symbols().sort()).toEqual(['AAPL', 'MSFT', 'TSLA']);
  log.write(
    BEGIN + 2 * MINUTE,
    Array.from({ length: 500 }, (_, i) => about(`S${i}`)),
  );
  const symbols = readerOf(log.dir).symbols();
  expect(symbols).toHaveLength(200);
  expect(symbols).toEqual(expect.arrayContaining(['AAPL', 'MSFT', 'TSLA']));
});
