import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { BotStats } from '../../src/contract/bot-stats.ts';
import { hostHere } from '../support/host-here.ts';
import { exists } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const STAY = 'setInterval(() => {}, 1000);';
const UP = `console.log('up ' + process.pid); ${STAY}`;
const QUERY = `import { query } from '@bot-platform/sdk'; query.handler('/q', () => ({ pid: process.pid })); query.run();`;
const DOCKER = { options: { engine: 'docker' } };
const ready = (engine: { ready: boolean }): void => {
  engine.ready = true;
};

async function refusal(
  answer: Promise<Response>,
): Promise<{ code: string; message: string; hint: string; details: unknown }> {
  const response = await answer;
  expect(response.ok).toBe(false);
  const { error } = (await response.json()) as { error: Awaited<ReturnType<typeof refusal>> };
  return error;
}

describe.concurrent('the engine of a bot', () => {
  it('is chosen at deploy, kept across hosts, and changed by an update alone', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished, 'auto', ready);
    const bot = await deployTiny(host, { name: 'kept', bot: UP });
    expect(bot).toMatchObject({ engine: 'docker', status: 'running' });
    expect(host.engine.started).toHaveLength(1);
    const { run_id } = await getBot(host, bot.bot_id);
    await host.stop(true);
    await host.start('process', ready);
    expect(await getBot(host, bot.bot_id)).toMatchObject({ engine: 'docker', status: 'running', run_id, restarts: 0 });
    const path = `/api/v1/bots/${bot.bot_id}`;
    await call(host, 'PATCH', path, { options: { memory_mb: 512 } });
    const same = await botUntil(host, bot.bot_id, 'a restart', (one) => one.run_id !== null && one.run_id !== run_id);
    expect(same).toMatchObject({ engine: 'docker' });
    expect(host.engine.started).toHaveLength(1);
    await call(host, 'PATCH', path, { options: { engine: 'process' } });
    const moved = await botUntil(
      host,
      bot.bot_id,
      'another restart',
      (one) => one.run_id !== null && one.run_id !== same.run_id,
    );
    expect(moved).toMatchObject({ engine: 'process', status: 'running', restarts: 0 });
    expect(host.engine.started).toHaveLength(1);
    expect((await runsOf(host, bot.bot_id)).map((run) => run.trigger)).toEqual(['update', 'update', 'deploy']);
  });

  it('is what an old run is looked after by, when the bot has another one since', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished, 'process', ready);
    const flag = join(tempDir(), 'go');
    const slow = `import { existsSync } from 'node:fs';
      process.on('SIGTERM', () => setInterval(() => existsSync(${JSON.stringify(flag)}) && process.exit(0), 20)); ${UP}`;
    const bot = await deployTiny(host, { name: 'old', bot: slow }, DOCKER);
    const line = await lineUntil(host, bot.bot_id, 'up ');
    const pid = Number(line.message.split(' ')[1]);
    const { run_id } = await getBot(host, bot.bot_id);
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { options: { engine: 'process' } });
    await host.stop(true);
    await host.start('process', ready);
    writeFileSync(flag, '');
    const moved = await botUntil(
      host,
      bot.bot_id,
      'the new engine',
      (one) => one.run_id !== run_id && one.run_id !== null,
    );
    expect(moved.engine).toBe('process');
    expect(exists(pid)).toBe(false);
    expect(host.engine.started).toEqual([]);
    expect((await runsOf(host, bot.bot_id)).length).toBe(2);
  });

  it('is asked alone about its programs: one that this host does not know may still run them', async ({
    onTestFinished,
  }) => {
    const host = await hostHere(onTestFinished, 'process', ready);
    const bot = await deployTiny(host, { name: 'unknown', bot: UP });
    const line = await lineUntil(host, bot.bot_id, 'up ');
    const { run_id } = await getBot(host, bot.bot_id);
    await host.stop(true);
    const db = new Database(join(host.dataDir, 'control.db'));
    const engineIs = (name: string): void => void db.prepare('update unit set engine = ?').run(name);
    engineIs('elsewhere');
    await host.start('process', ready);
    const path = `/api/v1/bots/${bot.bot_id}`;
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'failed', reason: { code: 'NOT_ADOPTED' } });
    expect(exists(Number(line.message.split(' ')[1]))).toBe(true);
    engineIs('process');
    db.close();
    expect(await call(host, 'POST', `${path}/start`)).toMatchObject({ status: 'running', run_id });
  });

  it('that cannot be used is refused, and nothing less isolated takes its place', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished, 'docker', (engine) => {
      engine.reason = 'Docker does not answer';
    });
    await expect(deployTiny(host, { name: 'none', bot: UP })).rejects.toThrow(/Docker does not answer/);
    const post = { name: 'x', type: 'realtime/none', version: '1.0.0', config: {} };
    const send = (method: string, path: string, body: unknown) =>
      host.fetch(path, { method, body: JSON.stringify(body) });
    expect(await refusal(send('POST', '/api/v1/bots', { ...post, ...DOCKER }))).toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      hint: expect.stringContaining('leave options.engine out'),
    });
    expect(await refusal(send('POST', '/api/v1/bots', { ...post, options: { engine: 'process' } }))).toMatchObject({
      code: 'ISOLATION_REQUIRED',
      hint: expect.stringContaining('"docker"'),
      details: { least: 'container' },
    });
    await host.stop();
    // Here it may be chosen.
    await host.start('auto', (engine) => {
      engine.reason = 'Docker does not answer';
    });
    const bot = await call<{ bot_id: string }>(host, 'POST', '/api/v1/bots', {
      ...post,
      options: { engine: 'process' },
    });
    const path = `/api/v1/bots/${bot.bot_id}`;
    expect(await refusal(send('PATCH', path, DOCKER))).toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(await refusal(send('PATCH', path, { options: { cpus: 1 } }))).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [{ path: 'options.cpus' }],
    });
    expect(await getBot(host, bot.bot_id)).toMatchObject({ engine: 'process', options: { engine: 'process' } });
  });

  it('that holds it to less sees its options; a change to one that cannot is refused', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished, 'process', ready);
    const options = { engine: 'docker', cpus: 0.5, tmp_mb: 64, network: 'none' };
    const bot = await deployTiny(host, { name: 'held', bot: UP, query: QUERY }, { options });
    await lineUntil(host, bot.bot_id, 'up ');
    expect(host.engine.started).toMatchObject([
      { role: 'bot', network: 'none', limits: { cpus: 0.5, temporaryMb: 64 } },
    ]);
    const error = await refusal(
      host.fetch(`/api/v1/bots/${bot.bot_id}`, {
        method: 'PATCH',
        body: JSON.stringify({ options: { ...options, engine: 'process' } }),
      }),
    );
    expect(error.details).toMatchObject([
      { path: 'options.cpus' },
      { path: 'options.tmp_mb' },
      { path: 'options.network' },
    ]);
    // Its port is unreachable, so a run of its query program answers, without a network like the bot.
    const answer = await host.fetch(`/bot/${bot.bot_id}/query`, { method: 'POST', body: '{"path":"/q"}' });
    expect(await answer.json()).toEqual({ pid: expect.any(Number) });
    expect(host.engine.started.at(-1)).toMatchObject({ role: 'query', queryRun: true, network: 'none' });
    const mute = await deployTiny(host, { name: 'mute', bot: UP }, { options });
    expect(
      await refusal(host.fetch(`/bot/${mute.bot_id}/query`, { method: 'POST', body: '{"path":"/q"}' })),
    ).toMatchObject({ code: 'QUERY_PATH_NOT_FOUND', hint: expect.stringContaining('has no network') });
  });
});

describe.concurrent('what a bot uses', () => {
  it('is told for each of its programs', async ({ onTestFinished }) => {
    const host = await hostHere(onTestFinished, 'process', ready);
    const bot = await deployTiny(host, { name: 'both', bot: UP, query: QUERY });
    const stats = (): Promise<BotStats> => call(host, 'GET', `/api/v1/bots/${bot.bot_id}/stats`);
    // A program that has only just begun uses no memory yet.
    const found = await until('both programs', async () => {
      const now = await stats();
      return now.programs.filter((one) => one.memory_bytes > 1_000_000).length === 2 ? now : null;
    });
    expect(found).toMatchObject({ bot_id: bot.bot_id, engine: 'process', restarts: 0 });
    expect(found.programs.map((one) => one.role)).toEqual(['bot', 'query']);
    for (const program of found.programs) {
      expect(program).toMatchObject({ run_id: expect.any(String), started_at: expect.any(String), network: null });
      expect(program.processes).toBeGreaterThan(0);
    }
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
    expect((await stats()).programs).toEqual([]);
  });
});
