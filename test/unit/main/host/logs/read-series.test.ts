import { describe, expect, it, onTestFinished } from 'vitest';
import { readSeries } from '../../../../../src/main/host/logs/read-series.ts';
import { LogHere, readerOf } from '../../../../support/log-here.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const BEGIN = Date.UTC(2026, 0, 1);
const KEEP_ALL = { days: 3650, bytes: 1 << 30 };

function logHere(): LogHere {
  const log = new LogHere();
  onTestFinished(() => log.close());
  return log;
}

const pricesAt = (times: readonly number[]) =>
  times.map((time) => ({ type: 'price', symbol: null, values: { value: 1 }, time, run: 'r' }));

const every = (step: number, from: number, to: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) }, (_, at) => from + at * step);

/** Number of points that a chart is made of. */
async function counted(log: LogHere, from: number, to: number): Promise<number> {
  const reader = readerOf(log.dir);
  const window = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const { count } = await readSeries(reader, { bot_id: 'b', type: 'price', field: 'value', ...window });
  reader.release();
  return count.reduce((sum, n) => sum + n, 0);
}

describe('a chart', () => {
  it('has as many points as were asked for where all of them lie in a few minutes', async () => {
    const log = logHere();
    const values = every(2, BEGIN, BEGIN + 4 * MINUTE).map((time) => Math.sin((time - BEGIN) / 5000) * 100);
    for (let from = 0; from < values.length; from += 20_000) {
      log.write(
        BEGIN + 4 * MINUTE,
        values.slice(from, from + 20_000).map((value, at) => {
          return { type: 'price', symbol: null, values: { value }, time: BEGIN + 2 * (from + at), run: 'r' };
        }),
      );
    }
    const reader = readerOf(log.dir);
    const query = { bot_id: 'b', type: 'price', field: 'value', points: 600 };
    const window = { from: new Date(BEGIN).toISOString(), to: new Date(BEGIN + 4 * MINUTE).toISOString() };
    const { t, min, max, count, last, grain } = await readSeries(reader, { ...query, ...window });
    reader.release();
    expect([grain, t.length]).toEqual(['raw', 600]);
    for (const [at, begin] of t.entries()) {
      expect(begin - BEGIN).toBe(at * 400);
      const part = values.slice(at * 200, (at + 1) * 200);
      expect([min[at], max[at], count[at], last[at]]).toEqual([Math.min(...part), Math.max(...part), 200, part.at(-1)]);
    }
  });

  it('shows the hour where all that is finer is gone, also in a window within it', async () => {
    const log = logHere();
    const values = every(50, BEGIN, BEGIN + HOUR).map((time) => time);
    for (let from = 0; from < values.length; from += 20_000) {
      log.write(BEGIN + HOUR, pricesAt(values.slice(from, from + 20_000)));
    }
    log.next();
    log.retainAll({ ...KEEP_ALL, days: 30 }, BEGIN + 300 * DAY);
    log.write(BEGIN + 300 * DAY, pricesAt([BEGIN + 299 * DAY]));
    expect(await counted(log, BEGIN + 5 * MINUTE, BEGIN + 55 * MINUTE)).toBe(72_000);
  });

  it('shows all of its window, also where lines are kept longer than the rollups of minutes', async () => {
    const log = logHere();
    const end = BEGIN + 50_100 * MINUTE;
    log.write(end, pricesAt(every(MINUTE, BEGIN, end)));
    log.next();
    log.retainAll(KEEP_ALL, end + 200 * DAY);
    expect(await counted(log, BEGIN, end)).toBe(50_100);
    expect(await counted(log, BEGIN + HOUR, BEGIN + 2 * HOUR), 'few enough to be shown each').toBe(60);
  });

  it('shows points that are gone from between others: a bot told of earlier times later', async () => {
    const log = logHere();
    log.write(BEGIN + 11 * DAY, pricesAt(every(HOUR, BEGIN + 10 * DAY, BEGIN + 11 * DAY)));
    log.next();
    log.write(BEGIN + 45 * DAY, pricesAt(every(HOUR, BEGIN, BEGIN + DAY)));
    log.retainAll({ ...KEEP_ALL, days: 30 }, BEGIN + 45 * DAY);
    expect(log.segments()).toEqual([1]);
    expect(await counted(log, BEGIN, BEGIN + 45 * DAY)).toBe(48);
  });

  it('shows hours whose minutes are gone, also where a bot told of an earlier minute later', async () => {
    const log = logHere();
    log.write(BEGIN + DAY, pricesAt(every(HOUR, BEGIN, BEGIN + DAY)));
    log.next();
    log.retainAll({ ...KEEP_ALL, days: 30 }, BEGIN + 300 * DAY);
    log.write(BEGIN + 300 * DAY, pricesAt([BEGIN - HOUR]));
    expect(log.segments()).toEqual([1]);
    expect(await counted(log, BEGIN, BEGIN + DAY)).toBe(24);
    expect(await counted(log, BEGIN - DAY, BEGIN + DAY)).toBe(25);
  });
});
