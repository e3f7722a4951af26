import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pidsUnder, procText, type TestHost, testHost } from '../support/platform.ts';
import { call, deployTiny, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const QUERY = `
import { query, state } from '@bot-platform/sdk';
const atStart = state.get('count', 0);
query.handler('/count', () => ({ count: atStart, mark: query.getConfig().mark ?? null }));
query.run();
`;
const BOT = `
import { state } from '@bot-platform/sdk';
state.set('count', state.get('count', 0) + 1);
`;
const SCHEMA = { type: 'object', properties: { mark: { type: 'string' } } };

/** Pids of programs that wait for a question to a bot, launchers included. */
const waitingOf = (host: TestHost, botId: string): number[] =>
  pidsUnder(host.dataDir).filter((pid) => {
    const environment = procText(pid, 'environ');
    return environment.includes(`BOT_ID=${botId}`) && environment.includes('PLATFORM_QUERY_WARM=');
  });

async function ask(host: TestHost, botId: string) {
  const response = await host.fetch(`/bot/${botId}/query`, { method: 'POST', body: '{"path":"/count"}' });
  return { status: response.status, body: await response.json(), warm: response.headers.get('x-query-warm') };
}

interface Pool {
  readonly waiting: number;
  readonly limit: number;
  readonly memory_bytes: number;
  readonly memory_limit_bytes: number;
}

const poolOf = async (host: TestHost): Promise<Pool> =>
  (await call<{ query_pool: Pool }>(host, 'GET', '/api/v1/host')).query_pool;

const waits = (host: TestHost, count = 1) =>
  until('a program that waits', async () => (await poolOf(host)).waiting === count);

const deploy = (host: TestHost, name: string, prewarms = true) =>
  deployTiny(host, { name, type: 'scheduled', bot: BOT, query: QUERY, schema: SCHEMA, prewarms });

describe.concurrent('a query program of a scheduled bot', () => {
  it('waits for the next question, and is shown', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { bot_id } = await deploy(host, 'waits');
    expect(await poolOf(host)).toEqual({
      waiting: 0,
      limit: 8,
      memory_bytes: 0,
      memory_limit_bytes: 512 * 1024 * 1024,
    });
    expect(await ask(host, bot_id)).toEqual({ status: 200, body: { count: 0, mark: null }, warm: null });
    await waits(host);
    const bytes = await until('its measures', async () => (await poolOf(host)).memory_bytes || null);
    expect(bytes).toBeGreaterThan(1024 * 1024);
    const { stdout } = await host.cli('doctor');
    expect(stdout).toContain('1 of 8 query programs wait');
    expect(await ask(host, bot_id)).toEqual({ status: 200, body: { count: 0, mark: null }, warm: 'true' });
  });

  it('is started again when a run has changed the state', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { bot_id } = await deploy(host, 'runs');
    await ask(host, bot_id);
    await waits(host);
    const before = waitingOf(host, bot_id);
    await call(host, 'POST', `/api/v1/bots/${bot_id}/run`);
    await until('the end of the run', async () => (await runsOf(host, bot_id))[0]?.status === 'succeeded');
    await until('another program', () => {
      const now = waitingOf(host, bot_id);
      return now.length > 0 && now.every((pid) => !before.includes(pid));
    });
    await waits(host);
    expect(await ask(host, bot_id)).toEqual({ status: 200, body: { count: 1, mark: null }, warm: 'true' });
  });

  it('is started for each query alone unless its package says that it may wait', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { bot_id } = await deploy(host, 'says-nothing', false);
    const answer = { status: 200, body: { count: 0, mark: null }, warm: null };
    for (const _again of [1, 2]) expect(await ask(host, bot_id)).toEqual(answer);
    const other = await deploy(host, 'says-so');
    await ask(host, other.bot_id);
    await waits(host);
    expect(waitingOf(host, bot_id)).toEqual([]);
  });

  it('ends with an update, a delete and the host', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { bot_id } = await deploy(host, 'ends');
    await ask(host, bot_id);
    await waits(host);
    await call(host, 'PATCH', `/api/v1/bots/${bot_id}`, { config: { mark: 'new' } });
    await until('its end', () => waitingOf(host, bot_id).length === 0);
    expect(await ask(host, bot_id)).toEqual({ status: 200, body: { count: 0, mark: 'new' }, warm: null });
    await waits(host);
    await call(host, 'DELETE', `/api/v1/bots/${bot_id}`);
    expect(waitingOf(host, bot_id)).toEqual([]);
    await call(host, 'POST', '/api/v1/trash/empty', { bot_ids: [bot_id] });
    expect(existsSync(join(host.dataDir, 'bots', bot_id))).toBe(false);

    const other = await deploy(host, 'stays');
    await ask(host, other.bot_id);
    await waits(host);
    await host.stop();
    expect(pidsUnder(host.dataDir)).toEqual([]);
  });

  it('does not outlive a host that is killed', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { bot_id } = await deploy(host, 'killed');
    await ask(host, bot_id);
    await waits(host);
    await host.kill();
    await until('its end', () => waitingOf(host, bot_id).length === 0);
  });
});
