import { expect, it, onTestFinished } from 'vitest';
import type { BotType, RunTrigger } from '../../../../../src/contract/bot.ts';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { newRun } from '../../../../../src/main/host/bots/new-run-row.ts';
import { Supervisor } from '../../../../../src/main/host/bots/supervisor.ts';
import { createEventStore } from '../../../../../src/main/host/control/event-store.ts';
import { alarmsHere } from '../../../../support/alarms-here.ts';
import { until } from '../../../../support/until.ts';

type Deps = ConstructorParameters<typeof Supervisor>[0];

/** Something of which a test gives as much as is used. */
const partly = <T>(given: Partial<T>): T => given as T;

/** A bot that is to run on a host with alarms; `error` keeps its programs from starting. */
function hostWith(type: BotType = 'realtime') {
  const here = alarmsHere();
  const { bots, runs, journal, clock } = here;
  here.removeRules();
  if (type === 'scheduled') bots.update('bot_1', { type, schedule: '0 0 1 1 *', status: 'scheduled' });
  here.rule({ on: ['failed', 'crash_loop'] });
  const lines: string[] = [];
  const faults: unknown[] = [];
  const host = { error: new Error() };
  let ids = 0;
  let tries = 0;
  const unitSpecs = partly<Deps['unitSpecs']>({
    tryAgain: async () => {
      tries += 1;
    },
    engineOf: () => {
      throw host.error;
    },
    prepare: () => {
      throw host.error;
    },
  });
  const supervisor = new Supervisor({
    ...{ bots, runs, events: createEventStore(here.db), journal, unitSpecs, now: () => clock.ms, random: () => 0.5 },
    telemetry: partly<Deps['telemetry']>({ hostLine: (_, level, text) => void lines.push(`${level}: ${text}`) }),
    folders: partly<Deps['folders']>({ run: () => '/none' }),
    removeTree: async () => undefined,
    newRunId: () => {
      ids += 1;
      return `run_${ids}`;
    },
    onError: (where: string, error: unknown) => void faults.push([where, error]),
  } as Deps);
  onTestFinished(() => supervisor.close({ leave: true }));
  return {
    ...{ here, host, lines, faults, runs: () => runs.list('bot_1', 100), bot: () => bots.get('bot_1') },
    events: () => createEventStore(here.db).list('bot_1', 100).length,
    /** Starts the run of a due time, as the scheduler does. */
    async due(trigger: RunTrigger = 'schedule'): Promise<string> {
      ids += 1;
      const bot = bots.get('bot_1');
      if (bot === null) throw new Error('no bot');
      const run = newRun(bot, `run_${ids}`, trigger, clock.ms);
      runs.insert(run);
      await supervisor.startRun(run);
      return run.runId;
    },
    tries: () => tries,
    look: () => supervisor.reconcileAll(),
    alarms: () => here.log().map(({ event, title }) => `${event}: ${title}`),
    /** Tries to start the bot so often, each time when its turn has come. */
    async tryTimes(times: number): Promise<void> {
      for (let n = 0; n < times; n += 1) {
        clock.ms = Math.max(clock.ms, bots.get('bot_1')?.nextAttemptAt ?? 0);
        await supervisor.reconcile('bot_1', 'recovery');
      }
    },
  };
}

const LACKING = new PlatformError('ISOLATION_REQUIRED', 'lacking', { retryAfter: 10 });

it('tells once that a bot waits for its engine: one run, one line, one alarm, however often it is tried', async () => {
  const host = hostWith();
  host.host.error = LACKING;
  await host.tryTimes(12);
  expect(host.runs().map(({ status, reason }) => [status, reason?.code])).toEqual([['failed', 'ISOLATION_REQUIRED']]);
  expect(host.lines).toEqual(['error: lacking']);
  expect(host.alarms()).toEqual(['failed: sma live cannot start']);
  // Deployed, started, and waiting.
  expect(host.events()).toBe(3);
  expect(host.bot()).toMatchObject({
    status: 'backing_off',
    restarts: 0,
    health: { state: 'recovering', failures: 0 },
  });
  expect(host.faults).toEqual([]);
});

it('records the start that fails for another reason after the wait', async () => {
  const host = hostWith();
  host.host.error = LACKING;
  await host.tryTimes(3);
  host.host.error = new PlatformError('INVALID_CONFIG', 'bad');
  await host.tryTimes(1);
  expect(host.runs().map(({ reason }) => reason?.code)).toEqual(['INVALID_CONFIG', 'ISOLATION_REQUIRED']);
  expect(host.lines).toEqual(['error: lacking', 'error: bad']);
  expect(host.bot()).toMatchObject({ status: 'failed', reason: { code: 'INVALID_CONFIG' } });
  expect(host.faults).toEqual([]);
});

it('tries a due run again that its engine cannot start yet, and tells of that once', async () => {
  const host = hostWith('scheduled');
  host.host.error = new PlatformError('ISOLATION_REQUIRED', 'lacking', { retryAfter: 1 });
  const runId = await host.due();
  const run = () => host.runs().find((one) => one.runId === runId);
  // Neither the first failure nor a look at all bots meanwhile ends it.
  await host.look();
  expect(run()).toMatchObject({ status: 'starting', reason: null });
  const tries = host.tries();
  await until('more attempts', () => host.tries() >= tries + 2);
  expect(host.lines).toEqual(['error: lacking']);
  expect(run()).toMatchObject({ status: 'starting', reason: null });
  // What keeps it then is no lack of its engine.
  host.host.error = new PlatformError('INVALID_CONFIG', 'bad');
  await until('the end of the run', () => run()?.status === 'failed');
  expect(run()).toMatchObject({ reason: { code: 'INVALID_CONFIG' } });
  expect(host.lines).toEqual(['error: lacking', 'error: bad']);
  expect(host.faults).toEqual([]);
});

it('gives a due run up a minute after it was decided, and a run by hand at once', async () => {
  const host = hostWith('scheduled');
  host.host.error = new PlatformError('ISOLATION_REQUIRED', 'lacking', { retryAfter: 1 });
  await host.due('manual');
  expect(host.runs()).toMatchObject([{ status: 'failed', reason: { code: 'ISOLATION_REQUIRED' } }]);
  await host.due();
  host.here.clock.ms += 60_000;
  await until('the end of the run', () => host.runs().every(({ status }) => status === 'failed'));
  expect(host.runs()).toMatchObject([{ reason: { code: 'ISOLATION_REQUIRED' } }, {}]);
  expect(host.faults).toEqual([]);
});
