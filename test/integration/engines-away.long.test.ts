import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/contract/errors.ts';
import { hostHere } from '../support/host-here.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const STAY = 'setInterval(() => {}, 1000);';
const UP = `console.log('up ' + process.pid); ${STAY}`;
const DOCKER = { options: { engine: 'docker' } };
const ready = (engine: { ready: boolean }): void => {
  engine.ready = true;
};

describe.concurrent('an engine that is not ready', () => {
  it('keeps its bots starting, tells how far it is, and then starts them', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished);
    const bot = await deployTiny(host, { name: 'first', bot: UP }, DOCKER);
    expect(bot).toMatchObject({ status: 'starting', reason: { code: 'PREPARING' }, run_id: null });
    const second = await deployTiny(host, { name: 'second', bot: UP }, DOCKER);
    expect(second.reason?.code).toBe('PREPARING');
    host.engine.progress('Getting an image: 12 of 45 MB');
    await botUntil(host, bot.bot_id, 'progress', (one) => one.reason?.message === 'Getting an image: 12 of 45 MB');
    host.engine.release();
    await lineUntil(host, bot.bot_id, 'up ');
    await lineUntil(host, second.bot_id, 'up ');
    expect(host.engine.begun).toBe(1);
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', reason: null, restarts: 0 });
    const { items } = await call<{ items: { reason: { code: string } | null }[] }>(
      host,
      'GET',
      `/api/v1/bots/${bot.bot_id}/events`,
    );
    expect(items.filter((event) => event.reason?.code === 'PREPARING')).toHaveLength(1);
    const host_lines = (await logsOf(host, bot.bot_id)).filter((line) => line.source === 'host');
    expect(host_lines.map((line) => line.message)).toEqual([
      'Before it can run: engine docker gets ready for nodejs22',
      'What it needs to run is there now',
    ]);
    expect((await runsOf(host, bot.bot_id)).map((run) => run.trigger)).toEqual(['deploy']);
  });

  it('keeps no bot from being stopped, changed and deleted', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished);
    const deploy = (name: string) => deployTiny(host, { name, bot: UP }, DOCKER);
    const [stopped, moved, deleted] = [await deploy('stopped'), await deploy('moved'), await deploy('deleted')];
    const after = await call(host, 'POST', `/api/v1/bots/${stopped.bot_id}/stop`);
    expect(after).toMatchObject({ status: 'stopped', reason: { code: 'DISABLED' } });
    await call(host, 'PATCH', `/api/v1/bots/${moved.bot_id}`, { options: { engine: 'process' } });
    await lineUntil(host, moved.bot_id, 'up ');
    await call(host, 'DELETE', `/api/v1/bots/${deleted.bot_id}`);
    expect((await host.fetch(`/api/v1/bots/${deleted.bot_id}`)).status).toBe(404);
    host.engine.release();
    const other = await deploy('other');
    await lineUntil(host, other.bot_id, 'up ');
    expect(await getBot(host, stopped.bot_id)).toMatchObject({ status: 'stopped', last_run: null });
    expect(await runsOf(host, moved.bot_id)).toHaveLength(1);
    expect(host.engine.started.map((spec) => spec.botId)).toEqual([other.bot_id]);
  });

  it('lets the old program of a bot go on until the new one can begin', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished);
    const bot = await deployTiny(host, { name: 'moves', bot: UP });
    await lineUntil(host, bot.bot_id, 'up ');
    const { run_id } = await getBot(host, bot.bot_id);
    const moved = await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, DOCKER);
    expect(moved).toMatchObject({ engine: 'docker', status: 'running', run_id });
    host.engine.release();
    const after = await botUntil(host, bot.bot_id, 'a restart', (one) => one.run_id !== run_id && one.run_id !== null);
    expect(after).toMatchObject({ engine: 'docker', status: 'running', restarts: 0 });
    expect((await runsOf(host, bot.bot_id)).map((run) => run.status)).toEqual(['running', 'stopped']);
    expect(host.engine.begun).toBe(1);
  });

  it('that cannot get ready fails the start once, with its reason', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished);
    const bot = await deployTiny(host, { name: 'fails', bot: UP }, DOCKER);
    host.engine.release(
      new PlatformError('ENGINE_UNAVAILABLE', 'There is no such image', { hint: 'Correct its name.' }),
    );
    const failed = await botUntil(host, bot.bot_id, 'failed', (one) => one.status === 'failed');
    expect(failed.reason).toMatchObject({ code: 'ENGINE_UNAVAILABLE', message: 'There is no such image' });
    expect(await runsOf(host, bot.bot_id)).toMatchObject([{ status: 'failed' }]);
    expect(host.engine.begun).toBe(1);
    expect(await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/start`)).toMatchObject({
      reason: { code: 'PREPARING' },
    });
    host.engine.release();
    await lineUntil(host, bot.bot_id, 'up ');
  });

  it('is prepared for scheduled bots before they are due; a run waits for it, a stop and a delete do not', async ({
    onTestFinished,
  }) => {
    const host = await hostHere(onTestFinished);
    const tiny = { type: 'scheduled', bot: `console.log('ran');` } as const;
    const bot = await deployTiny(host, { name: 'due', ...tiny }, DOCKER);
    const gone = await deployTiny(host, { name: 'gone', ...tiny }, DOCKER);
    expect(bot).toMatchObject({ status: 'scheduled', reason: null });
    expect(host.engine.begun).toBe(1);
    expect(await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`)).toMatchObject({ status: 'starting' });
    await call(host, 'POST', `/api/v1/bots/${gone.bot_id}/run`);
    await call(host, 'DELETE', `/api/v1/bots/${gone.bot_id}`);
    expect((await runsOf(host, bot.bot_id)).map((run) => run.status)).toEqual(['starting']);
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    host.engine.release();
    await lineUntil(host, bot.bot_id, 'ran');
    await until('the run', async () => (await runsOf(host, bot.bot_id))[0]?.status === 'succeeded');
    expect(host.engine.started.map((spec) => spec.botId)).toEqual([bot.bot_id]);
  });
});

describe.concurrent('an engine that is back', () => {
  it('ends the waits of its bots at once', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished, 'process', ready);
    const away = (retryAfter?: number) =>
      new PlatformError('ENGINE_UNAVAILABLE', 'Docker does not answer', retryAfter === undefined ? {} : { retryAfter });
    host.engine.broken = away(1);
    const waits = await deployTiny(host, { name: 'waits', bot: UP }, DOCKER);
    expect(waits).toMatchObject({ status: 'backing_off', reason: { code: 'ENGINE_UNAVAILABLE' } });
    const tried = await botUntil(host, waits.bot_id, 'further attempts', ({ reason, next_attempt_at }) => {
      return Date.parse(next_attempt_at ?? '') - Date.parse(reason?.at ?? '') > 3000;
    });
    // None of them is a crash, or a run of its own.
    expect(tried).toMatchObject({ restarts: 0, health: { state: 'recovering', failures: 0 } });
    expect(tried.last_run).toEqual(waits.last_run);
    host.engine.broken = away();
    const failed = await deployTiny(host, { name: 'failed', bot: UP }, DOCKER);
    expect(failed).toMatchObject({ status: 'failed', reason: { code: 'ENGINE_UNAVAILABLE' } });
    const exits = await deployTiny(
      host,
      { name: 'exits', bot: 'process.exit(3);' },
      { options: { engine: 'process' } },
    );
    host.engine.broken = null;
    host.engine.back();
    for (const { bot_id } of [waits, failed]) {
      await lineUntil(host, bot_id, 'up ');
      expect(await getBot(host, bot_id)).toMatchObject({ status: 'running', reason: null, next_attempt_at: null });
    }
    // It goes on failing by itself, and waits ever longer.
    await botUntil(host, exits.bot_id, 'its own failure', (one) => one.reason?.code === 'EXIT_CODE');
  });
});

describe.concurrent('an engine that is lost', () => {
  it('leaves its bots running, with the reason that nobody can tell; others are not touched', async ({
    onTestFinished,
  }) => {
    const host = await hostHere(onTestFinished, 'process', ready);
    const bot = await deployTiny(host, { name: 'inside', bot: UP }, DOCKER);
    const other = await deployTiny(host, { name: 'beside', bot: UP }, { options: { engine: 'process' } });
    for (const { bot_id } of [bot, other]) await lineUntil(host, bot_id, 'up ');
    host.engine.lose();
    const told = await botUntil(host, bot.bot_id, 'the loss', (one) => one.reason?.code === 'ENGINE_LOST');
    expect(told).toMatchObject({ status: 'running', restarts: 0 });
    expect(await getBot(host, other.bot_id)).toMatchObject({ status: 'running', reason: null });
    host.engine.back();
    await botUntil(host, bot.bot_id, 'the return', (one) => one.reason === null);
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', restarts: 0, run_id: told.run_id });
  });
});
