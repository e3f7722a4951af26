import { expect, it } from 'vitest';
import type { LiveBatch, MetricEvent } from '../../../../../src/contract/telemetry.ts';
import { RowFollower } from '../../../../../src/main/host/alarms/row-follower.ts';
import type { LiveSink } from '../../../../../src/main/host/logs/telemetry-types.ts';
import { alarmsHere } from '../../../../support/alarms-here.ts';

/** A follower on rows that the test writes, and on a steady clock that it moves. */
function following(here: ReturnType<typeof alarmsHere>) {
  const rows: MetricEvent[] = [];
  const sinks = new Set<LiveSink>();
  const steady = { ms: 0 };
  const batch = (from: number): LiveBatch => ({
    logs: [],
    metrics: rows.filter(({ seq }) => seq > from),
    seq: rows.at(-1)?.seq ?? from,
  });
  /** Why the log cannot be followed; null while it can. */
  const fault: { error: Error | null; tries: number } = { error: null, tries: 0 };
  /** What readers ask for while they are behind. */
  const asked: LiveSink['behind'][] = [];
  const telemetry = {
    subscribe: async (_bot: string, after: number | null, sink: LiveSink) => {
      fault.tries += 1;
      asked.push(sink.behind);
      if (fault.error !== null) throw fault.error;
      const from = after ?? rows.at(-1)?.seq ?? 0;
      sink.start?.(from);
      if (rows.some(({ seq }) => seq > from)) sink.push(batch(from));
      sinks.add(sink);
      return () => void sinks.delete(sink);
    },
  };
  const follower = new RowFollower({
    ...{ store: here.store, outbox: here.alarms.outbox, bots: here.bots, telemetry },
    now: () => here.clock.ms,
    steady: () => steady.ms,
    onError: (where, error) => here.errors.push([where, error]),
  });
  const emit = (type: string, data: MetricEvent['data']): void => {
    const seq = rows.length + 1;
    const ts = new Date(here.clock.ms).toISOString();
    rows.push({ seq, ts, time: null, type, data, run_id: null });
    for (const sink of sinks) sink.push(batch(seq - 1));
  };
  return { follower, emit, steady, rows, fault, asked };
}

/** Another host: it follows the same log on a steady clock of its own. */
function followedAgain(here: ReturnType<typeof alarmsHere>, earlier: ReturnType<typeof following>) {
  const again = following(here);
  again.rows.push(...earlier.rows);
  again.steady.ms = 1_000_000;
  return again;
}

const titles = (here: ReturnType<typeof alarmsHere>) =>
  here
    .log()
    .map(({ title }) => title)
    .reverse();

it('finds silence within one tick, tells it once, and says when the bot is heard again', async () => {
  const here = alarmsHere();
  await here.webhook();
  here.removeRules();
  here.rule({ on: ['silent'], for_sec: 60 });
  const { follower, emit, steady } = following(here);
  const begun = titles(here).length;
  follower.tick();
  await here.settle();
  steady.ms = 59_000;
  follower.tick();
  expect(titles(here).slice(begun)).toEqual([]);
  steady.ms = 60_000;
  follower.tick();
  steady.ms = 65_000;
  follower.tick();
  expect(titles(here).slice(begun)).toEqual(['sma live is silent']);
  emit('price', { value: 1 });
  expect(titles(here).slice(begun)).toEqual(['sma live is silent', 'sma live is heard again']);
  // The wall clock of a machine that slept moves on; the steady one stands still.
  here.clock.ms += 3_600_000;
  steady.ms += 30_000;
  follower.tick();
  expect(titles(here).length - begun).toBe(2);
});

it('asks for no text of lines while it is behind, which would have to be masked', () => {
  const here = alarmsHere();
  here.rule({ on: ['silent'], for_sec: 60 });
  const { follower, asked } = following(here);
  follower.tick();
  expect(asked).toEqual(['judged']);
});

it('waits for a metric of one type, and not while the bot does not run', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['silent'], for_sec: 60, metric: 'heartbeat' });
  const { follower, emit, steady } = following(here);
  follower.tick();
  await here.settle();
  here.journal.change('bot_1', { status: 'backing_off' });
  steady.ms = 300_000;
  follower.tick();
  here.journal.change('bot_1', { status: 'running' });
  steady.ms = 350_000;
  emit('price', { value: 1 });
  follower.tick();
  expect(titles(here)).toEqual([]);
  steady.ms = 361_000;
  follower.tick();
  expect(titles(here)).toEqual(['sma live is silent']);
});

it('tells once of a metric beyond its line for as many samples as asked for', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['metric'], metric: 'equity', below: 100, samples: 2 });
  const { follower, emit } = following(here);
  follower.tick();
  await here.settle();
  for (const value of [99, 101, 99, 98, 97, 102, '90', 89]) emit('equity', { value });
  expect(titles(here)).toEqual(['sma live: equity is 98, below 100', 'sma live: equity is 89, below 100']);
});

it('loses no signal or fill that came while no host followed, and tells none twice', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['signal', 'fill'] });
  const first = following(here);
  first.follower.tick();
  await here.settle();
  first.emit('signal', { type: 'BUY', symbol: 'AAPL', price: 296.55 });
  first.follower.close();
  first.emit('fill', { side: 'BUY', quantity: '1.5', symbol: 'AAPL', price: 296.6 });
  const second = following(here);
  second.rows.push(...first.rows);
  second.follower.tick();
  await here.settle();
  expect(
    here
      .log()
      .map(({ title, text }) => [title, text])
      .reverse(),
  ).toEqual([
    ['sma live gives a signal', 'BUY AAPL 296.55'],
    ['An order of sma live is filled', 'BUY 1.5 AAPL 296.6'],
  ]);
});

it('goes on with a run of samples after a host that was killed, and tells it once', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['metric'], metric: 'equity', below: 100, samples: 3 });
  const first = following(here);
  first.follower.tick();
  await here.settle();
  first.follower.tick();
  first.emit('equity', { symbol: 'A', value: 99 });
  first.emit('equity', { symbol: 'B', value: 101 });
  // Killed: nothing is stored of the two rows. Another one ends in order in between.
  const second = followedAgain(here, first);
  second.follower.tick();
  await here.settle();
  second.emit('equity', { symbol: 'A', value: 98 });
  second.follower.close();
  const third = followedAgain(here, second);
  third.follower.tick();
  await here.settle();
  expect(titles(here)).toEqual([]);
  third.emit('equity', { symbol: 'A', value: 97 });
  third.emit('equity', { symbol: 'A', value: 96 });
  const fourth = followedAgain(here, third);
  fourth.follower.tick();
  await here.settle();
  fourth.emit('equity', { symbol: 'A', value: 95 });
  expect(titles(here)).toEqual(['sma live: equity of A is 97, below 100']);
  expect(here.errors).toEqual([]);
});

it('goes on with a silence after a restart of the host, and counts the time in between as nothing', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['silent'], for_sec: 600 });
  const first = following(here);
  first.follower.tick();
  await here.settle();
  first.steady.ms = 500_000;
  first.follower.tick();
  first.follower.close();
  here.clock.ms += 3_600_000;
  const second = followedAgain(here, first);
  second.follower.tick();
  await here.settle();
  second.steady.ms += 99_000;
  second.follower.tick();
  expect(titles(here)).toEqual([]);
  second.steady.ms += 1000;
  second.follower.tick();
  expect(titles(here)).toEqual(['sma live is silent']);
});

it('keeps what a rule has counted when another rule is added', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['metric'], metric: 'equity', below: 100, samples: 2 });
  const { follower, emit } = following(here);
  follower.tick();
  await here.settle();
  emit('equity', { value: 99 });
  here.rule({ on: ['signal'] });
  follower.tick();
  await here.settle();
  emit('equity', { value: 98 });
  expect(titles(here)).toEqual(['sma live: equity is 98, below 100']);
});

it('tries a log that cannot be followed at growing distances, reports it once, and then judges every row', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['signal'] });
  here.rule({ on: ['silent'], for_sec: 60 });
  const { follower, emit, steady, fault } = following(here);
  follower.tick();
  await here.settle();
  follower.tick();
  fault.error = new Error('the log is damaged');
  // Rules that have changed have it followed anew.
  here.rule({ on: ['fill'] });
  fault.tries = 0;
  for (let second = 0; second <= 1800; second += 5) {
    steady.ms = second * 1000;
    follower.tick();
    await here.settle();
  }
  expect(here.errors).toHaveLength(1);
  expect(fault.tries).toBeGreaterThanOrEqual(8);
  expect(fault.tries).toBeLessThanOrEqual(14);
  emit('signal', { type: 'BUY' });
  // Nobody knows whether a bot is silent whose log cannot be read.
  expect(titles(here)).toEqual([]);
  fault.error = null;
  steady.ms += 300_000;
  follower.tick();
  await here.settle();
  expect(titles(here)).toEqual(['sma live gives a signal']);
});

it('does not read a log from its beginning that could not be followed at first', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['signal'] });
  const { follower, emit, steady, fault } = following(here);
  emit('signal', { type: 'SELL' });
  fault.error = new Error('the log is locked');
  follower.tick();
  await here.settle();
  fault.error = null;
  steady.ms += 5000;
  follower.tick();
  await here.settle();
  emit('signal', { type: 'BUY' });
  expect(here.log().map(({ text }) => text)).toEqual(['BUY']);
});

it('judges rows again whose alarms could not be stored', async () => {
  const here = alarmsHere();
  here.removeRules();
  here.rule({ on: ['metric'], metric: 'equity', below: 100, samples: 2 });
  const { follower, emit, steady } = following(here);
  follower.tick();
  await here.settle();
  emit('equity', { value: 99 });
  here.db.exec("create trigger full before insert on alarm begin select raise(abort, 'no space'); end");
  emit('equity', { value: 98 });
  expect(here.errors).toHaveLength(1);
  here.db.exec('drop trigger full');
  steady.ms += 5000;
  follower.tick();
  await here.settle();
  expect(titles(here)).toEqual(['sma live: equity is 98, below 100']);
});
