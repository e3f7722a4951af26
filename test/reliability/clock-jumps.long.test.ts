import { describe, expect, it, type TestContext } from 'vitest';
import { DUE, type DueTime, doubledDueTimes, dueTimes } from '../support/due-bot.ts';
import { Fault } from '../support/fault.ts';
import { logRows } from '../support/log-files.ts';
import { OtherClock, whyNoOtherClock } from '../support/other-clock.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { deployTiny, lineUntil, logsOf, runsOf, storyOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000;
/** A host looks every 15 seconds, and the clock of the test changes within two. */
const REACTS_MS = 18_000;

const TICKS = { name: 'ticks', bot: `let n = 0; setInterval(() => console.log('tick ' + n++), 50);` };

/**
 * A host with a clock of its own, which shows `start`, and a bot on it that is due. A due time that is to be met lies 15
 * seconds ahead: a busy machine may need some of them to start a host.
 */
async function hostAt(
  start: string,
  schedule: string,
  onTestFinished: TestContext['onTestFinished'],
  env: TestHost['env'] = {},
) {
  const clock = new OtherClock();
  // Long before: however slow the machine is, the bot is there when it is due.
  clock.set(Date.parse(start) - HOUR / 4);
  onTestFinished(() => clock.tidy());
  const host = await testHost(onTestFinished, undefined, null, { ...clock.env, ...env });
  const { bot_id: id } = await deployTiny(host, DUE, { schedule });
  await host.kill();
  clock.set(Date.parse(start));
  await host.start();
  const times = (): DueTime[] => dueTimes(host.dataDir, id);
  /** Waits for the run of a due time; gives how long that took. */
  const ran = async (slot: string): Promise<number> => {
    const from = performance.now();
    const done = (): boolean =>
      times().some((time) => time.slot === Date.parse(slot) && time.began > 0 && time.status === 'succeeded');
    await until(`the run of ${slot}`, done, undefined, () => storyOf(host, id));
    return performance.now() - from;
  };
  return { clock, host, id, times, ran };
}

const at = (time: DueTime): string => new Date(time.slot).toISOString().slice(11, 16);

describe.skipIf(whyNoOtherClock() !== null).concurrent('a clock that jumps', () => {
  it('runs no due time twice, is noticed within 15 s, and leaves the log in order', async ({ onTestFinished }) => {
    const { clock, host, times, ran } = await hostAt('2026-06-01T10:59:45Z', '0,30 * * * *', onTestFinished);
    const { bot_id: ticks } = await deployTiny(host, TICKS);
    await lineUntil(host, ticks, 'tick ');
    await ran('2026-06-01T11:00:00Z');

    // It comes due before anybody has noticed that the clock was set back.
    clock.set(Date.parse('2026-06-01T09:59:58Z'));
    const back = await ran('2026-06-01T10:00:00Z');
    clock.set(clock.now() + 8 * HOUR);
    const ahead = await ran('2026-06-01T18:00:00Z');
    process.kill(host.pid, 'SIGSTOP');
    clock.set(clock.now() + 2 * HOUR);
    process.kill(host.pid, 'SIGCONT');
    const suspended = await ran('2026-06-01T20:00:00Z');

    const all = times();
    expect(all.map(at)).toEqual(
      Array.from({ length: 21 }, (_, half) => `${10 + Math.floor(half / 2)}:${half % 2 === 0 ? '00' : '30'}`),
    );
    expect(all.filter(({ began }) => began > 0).map(at)).toEqual(['10:00', '11:00', '18:00', '20:00']);
    expect(all.filter(({ began, status }) => began === 0 && status !== 'skipped')).toEqual([]);
    const twice = doubledDueTimes(all);
    expect(twice).toBe(0);

    const last = (await logsOf(host, ticks)).at(-1);
    const sql = 'select ts from log where seq <= ? order by seq';
    const stamps = [...logRows<{ ts: number }>(host.dataDir, ticks, sql, last?.seq ?? 0)].map(({ ts }) => ts);
    const unordered = stamps.filter((stamp, index) => stamp < (stamps[index - 1] ?? 0)).length;
    expect(stamps.length).toBeGreaterThan(100);
    expect(unordered).toBe(0);

    const slowest = Math.max(back, ahead, suspended);
    expect(slowest).toBeLessThan(REACTS_MS);
    await prove('R6', 'The clock goes back an hour and ahead 8, and the machine sleeps 2 hours', {
      'due times': all.length,
      'due times run twice': twice,
      'lines out of order': unordered,
      'slowest notice (ms)': Math.round(slowest),
    });
  });

  it('by the change of summer time moves nothing, and what was due while no host ran is made up for once', async ({
    onTestFinished,
  }) => {
    const env = { TZ: 'Europe/Berlin' };
    const { clock, host, times, ran } = await hostAt('2026-10-25T00:29:45Z', '30 * * * *', onTestFinished, env);
    await ran('2026-10-25T00:30:00Z');
    await host.kill();
    // Half past two once more, by the clocks on the wall.
    clock.set(Date.parse('2026-10-25T01:29:45Z'));
    await host.start();
    await ran('2026-10-25T01:30:00Z');
    for (const again of ['2026-10-25T04:45:00Z', '2026-10-25T04:46:00Z']) {
      await host.kill();
      clock.set(Date.parse(again));
      await host.start();
      await ran('2026-10-25T04:30:00Z');
    }
    const all = times();
    expect(all.map((time) => [at(time), time.trigger, time.status, time.began])).toEqual([
      ['00:30', 'schedule', 'succeeded', 1],
      ['01:30', 'schedule', 'succeeded', 1],
      ['02:30', 'schedule', 'skipped', 0],
      ['03:30', 'schedule', 'skipped', 0],
      ['04:30', 'catch_up', 'succeeded', 1],
    ]);
    const figures = { 'due times': all.length, 'due times run twice': doubledDueTimes(all) };
    await prove('R6', 'Due times while no host runs, and across the change of summer time', figures, 'R6-away');
  });

  it('of which the host died before its run began is made up for, and gives way to a later one', async ({
    onTestFinished,
  }) => {
    const fault = new Fault();
    const { clock, host, id, times, ran } = await hostAt(
      '2026-06-01T10:00:30Z',
      '* * * * *',
      onTestFinished,
      fault.env,
    );
    await ran('2026-06-01T10:00:00Z');
    for (const [due, restarted] of [
      ['2026-06-01T10:01:00Z', '2026-06-01T10:02:20Z'],
      ['2026-06-01T10:03:00Z', '2026-06-01T10:03:20Z'],
    ] as const) {
      fault.set('start:decided');
      clock.set(Date.parse(due) - 5000);
      await until(`the death of the host at ${due}`, () => host.isGone());
      fault.set(null);
      clock.set(Date.parse(restarted));
      await host.start();
      await ran(`${restarted.slice(0, 16)}:00Z`);
    }
    expect(times().map((time) => [at(time), time.trigger, time.status, time.began])).toEqual(
      expect.arrayContaining([
        ['10:01', 'schedule', 'skipped', 0],
        ['10:02', 'catch_up', 'succeeded', 1],
        ['10:03', 'catch_up', 'succeeded', 1],
      ]),
    );
    const skipped = (await runsOf(host, id)).find(({ slot }) => slot === '2026-06-01T10:01:00.000Z');
    expect(skipped?.reason).toMatchObject({
      code: 'NOT_STARTED',
      message: expect.stringContaining('a later due time'),
    });
  });
});
