import type { ContainerInspectInfo } from 'dockerode';
import { describe, expect, it } from 'vitest';
import { dockerAt } from '../../../scripts/test-images.ts';
import type { Bot } from '../../../src/contract/bot.ts';
import { containersOf } from '../../support/docker/containers.ts';
import { dockerForTests } from '../../support/docker.ts';
import { pidsOfBot, sharedHost, type TestHost } from '../../support/platform.ts';
import {
  botUntil,
  call,
  deployTiny,
  getBot,
  lineUntil,
  publish,
  runsOf,
  type TinyBot,
} from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const found = await dockerForTests();
const address = 'host' in found ? found.host : null;
const docker = dockerAt(address ?? 'unix:///none');
const RUNTIME = 'nodejs24';

/** Counts its starts and says where it runs. */
const BOT = `
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { log, state } from '@bot-platform/sdk';
const starts = (state.get('starts') ?? 0) + 1;
state.set('starts', starts);
const port = process.env.QUERY_PORT ?? 'no port';
log('interfaces ' + Object.keys(networkInterfaces()) + ', ' + port);
log('start ' + starts + ' in ' + process.cwd());
connect(53, '192.0.2.1').on('error', ({ code }) => log('reaches out: ' + code)).on('connect', () => log('reaches out: yes'));
setInterval(() => {}, 1000);
`;
const QUERY = `
import { networkInterfaces } from 'node:os';
import { query, state } from '@bot-platform/sdk';
query.handler('/starts', () => ({ starts: state.get('starts'), interfaces: Object.keys(networkInterfaces()) }));
query.run();
`;
const SERVES = `import { createServer } from 'node:http';
createServer((request, response) => response.end('{"status":"ok","data":"served"}')).listen(9476, '0.0.0.0');
`;
const TINY: TinyBot = { name: 'optional', runtime: RUNTIME, bot: BOT, query: QUERY };

async function ask(host: TestHost, bot: Bot, path: string) {
  const response = await host.fetch(`/bot/${bot.bot_id}/query`, { method: 'POST', body: JSON.stringify({ path }) });
  // biome-ignore lint/suspicious/noExplicitAny: what a handler of the test says, or an error
  return { status: response.status, body: (await response.json()) as any };
}

/** The engine's data about a bot's containers, by role. */
async function containers(host: TestHost, bot: Bot): Promise<Record<string, ContainerInspectInfo>> {
  const all = await containersOf(address ?? '', host.dataDir);
  const own = all.filter(({ Labels }) => Labels['bot-platform.bot'] === bot.bot_id);
  const infos = own.map(async ({ Id, Labels }) => [
    Labels['bot-platform.role'],
    await docker.getContainer(Id).inspect(),
  ]);
  return Object.fromEntries(await Promise.all(infos));
}

/** Bots may choose their engine here: a host with engine `docker` runs none as a local process. */
const shared = sharedHost(undefined, address, { PLATFORM_ENGINE: 'auto' });

describe.skipIf(address === null).concurrent('a realtime bot without a network', () => {
  it('runs, reaches nothing, and is asked by runs of its query program', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, TINY, { options: { network: 'none' } });
    await lineUntil(host, bot.bot_id, 'start 1 in /bot');
    expect((await lineUntil(host, bot.bot_id, 'interfaces')).message).toBe('interfaces lo, no port');
    await lineUntil(host, bot.bot_id, 'reaches out: ENETUNREACH');
    const { bot: info, ...others } = await containers(host, bot);
    expect(others).toEqual({});
    expect(info?.HostConfig.NetworkMode).toBe('none');
    expect(await ask(host, bot, '/starts')).toEqual({ status: 200, body: { starts: 1, interfaces: ['lo'] } });
    expect(await ask(host, bot, '/nope')).toMatchObject({
      status: 404,
      body: { error: { code: 'QUERY_PATH_NOT_FOUND' } },
    });
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', restarts: 0, reason: null });

    // With a network again it is asked on its port, after one restart.
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { options: { network: 'bridge' } });
    await lineUntil(host, bot.bot_id, 'start 2 in /bot');
    const answer = await until('the query program', async () => {
      const now = await ask(host, bot, '/starts');
      return now.status === 200 ? now.body : null;
    });
    expect(answer).toEqual({ starts: 2, interfaces: ['lo', 'eth0'] });
    expect(Object.keys(await containers(host, bot)).sort()).toEqual(['bot', 'query']);
  });

  it('says why it cannot be asked when it serves the port itself', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const alone = { name: 'serves', runtime: RUNTIME, bot: SERVES + BOT };
    const bot = await deployTiny(host, alone, { options: { network: 'none' } });
    await lineUntil(host, bot.bot_id, 'start 1');
    expect(await ask(host, bot, '/starts')).toMatchObject({
      status: 404,
      body: {
        error: {
          code: 'QUERY_PATH_NOT_FOUND',
          message: 'serves 1.0.0 has no query program',
          hint: expect.stringMatching(/has no network \(options\.network\).*entrypoints\.query/),
        },
      },
    });
    // The same bot with a network is asked there.
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { options: {} });
    await lineUntil(host, bot.bot_id, 'start 2');
    const served = await until('the bot to listen', async () => {
      const answer = await ask(host, bot, '/any');
      return answer.status === 200 ? answer : null;
    });
    expect(served.body).toBe('served');
  });
});

describe.skipIf(address === null).concurrent('the options of a bot', () => {
  it('reach its containers, and those of an update the next ones', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const options = { memory_mb: 200, cpus: 0.75, max_processes: 77, tmp_mb: 9, max_open_files: 333 };
    const bot = await deployTiny(host, TINY, { name: 'limited', options });
    await lineUntil(host, bot.bot_id, 'start 1');
    const both = await until('both programs', async () => {
      const infos = await containers(host, bot);
      return infos.bot !== undefined && infos.query !== undefined ? infos : null;
    });
    for (const { HostConfig } of Object.values(both)) {
      expect(HostConfig).toMatchObject({
        Memory: 200 * 1024 * 1024,
        MemorySwap: 200 * 1024 * 1024,
        NanoCpus: 750_000_000,
        PidsLimit: 77,
        Tmpfs: { '/tmp': expect.stringContaining('size=9m') },
        Ulimits: expect.arrayContaining([{ Name: 'nofile', Soft: 333, Hard: 333 }]),
      });
    }
    expect(both.bot?.Args.join(' ')).toContain('--max-old-space-size=150');
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { options: { memory_mb: 300 } });
    await lineUntil(host, bot.bot_id, 'start 2');
    // The options of an update take the place of all.
    expect((await containers(host, bot)).bot?.HostConfig).toMatchObject({
      Memory: 300 * 1024 * 1024,
      NanoCpus: 1_000_000_000,
      PidsLimit: 512,
    });
  });

  it('choose the engine: it is changed by an update, with one restart, and the state goes along', async ({
    onTestFinished,
  }) => {
    const host = shared(onTestFinished);
    expect((await publish(host, TINY)).status).toBe(201);
    const request = { name: 'moving', type: 'realtime/optional', version: '1.0.0', config: {} };
    const bot = await call<Bot>(host, 'POST', '/api/v1/bots', { ...request, options: { engine: 'process' } });
    expect(bot.engine).toBe('process');
    const folder = await lineUntil(host, bot.bot_id, 'start 1 in ');
    expect(folder.message).not.toContain(' in /bot');

    for (const [starts, engine] of [
      [2, 'docker'],
      [3, 'process'],
      [4, 'docker'],
    ] as const) {
      await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { options: { engine } });
      const line = await lineUntil(host, bot.bot_id, `start ${starts} in `);
      expect(line.message.endsWith(' in /bot')).toBe(engine === 'docker');
      const now = await botUntil(host, bot.bot_id, 'the start', ({ status }) => status === 'running');
      expect(now).toMatchObject({ engine, restarts: 0, reason: null });
      expect((await runsOf(host, bot.bot_id)).map(({ status }) => status)).toEqual([
        'running',
        ...Array.from({ length: starts - 1 }, () => 'stopped'),
      ]);
      // The API reads it, and so does the query program beside the bot.
      const path = `/api/v1/bots/${bot.bot_id}/state/starts`;
      expect((await call<{ value: unknown }>(host, 'GET', path)).value).toBe(starts);
      await until('the query program', async () => (await ask(host, bot, '/starts')).status === 200);
      expect((await ask(host, bot, '/starts')).body.starts).toBe(starts);
      expect(Object.keys(await containers(host, bot))).toHaveLength(engine === 'docker' ? 2 : 0);
    }

    // Stopped, and after the host was away, it is where it was.
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    await botUntil(host, bot.bot_id, 'the stop', ({ status }) => status === 'stopped');
    expect((await ask(host, bot, '/starts')).body.starts).toBe(4);
    await call(host, 'DELETE', `/api/v1/bots/${bot.bot_id}`);
    const left = (await containersOf(address ?? '', host.dataDir)).filter(
      ({ Labels, State }) => Labels['bot-platform.bot'] === bot.bot_id && State === 'running',
    );
    expect([pidsOfBot(host, bot.bot_id), left]).toEqual([[], []]);
  });

  it('that only containers are held to are refused for a process', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    expect((await publish(host, TINY)).status).toBe(201);
    const request = { name: 'held', type: 'realtime/optional', version: '1.0.0', config: {} };
    const options = { engine: 'process', cpus: 1, network: 'none' };
    const response = await host.fetch('/api/v1/bots', {
      method: 'POST',
      body: JSON.stringify({ ...request, options }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        code: 'INVALID_REQUEST',
        details: [{ path: 'options.cpus' }, { path: 'options.network' }],
      },
    });
  });
});
