import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GCC13_IMAGE } from '../../scripts/test-images.ts';
import { dockerForTests } from '../support/docker.ts';
import {
  builtCopy,
  exampleCopy,
  exists,
  jsonFile,
  killAll,
  procText,
  programsOf,
  type TestHost,
  testHost,
} from '../support/platform.ts';
import { everyVariant } from '../support/proof.ts';
import { isUp, programsOfRun } from '../support/run-programs.ts';
import { getBot, logsOf, storyOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const REALTIME = [
  { example: 'node-sma-crossover', build: false },
  { example: 'python-sma-crossover', build: false },
  { example: 'cpp-sma-crossover', build: true },
] as const;

interface Metric {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

async function metricsOf(host: TestHost, bot: string): Promise<Metric[]> {
  const response = await host.fetch(`/api/v1/bots/${bot}/metrics/events?limit=1000`);
  const body = (await response.json()) as { events: Metric[] };
  return body.events;
}

/** Pids of the bot's own program. */
async function botPids(host: TestHost, match: RegExp): Promise<number[]> {
  const pids = await programsOf(host);
  return pids.filter((pid) => match.test(procText(pid, 'cmdline')));
}

const found = await dockerForTests();
const docker = 'host' in found ? found.host : null;

/** The C++ sample links libcurl, which the default image of its runtime lacks. */
function nameImages(dataDir: string): void {
  jsonFile(dataDir, 'settings.json', { images: { gcc13: GCC13_IMAGE } });
}

const ALL = REALTIME.flatMap((job) => [
  { ...job, engine: 'process', address: null },
  ...(docker === null ? [] : [{ ...job, engine: 'docker', address: docker }]),
]);
/** Further tests see all three languages in both engines, but for a program of its own libraries in a container. */
const JOBS = everyVariant
  ? ALL
  : ALL.filter(({ engine, example, build }) => (engine === 'process' ? example.startsWith('node') : build));

describe.concurrent('the main job, with the command line only', () => {
  it.for(JOBS)(
    '$example on $engine: publish, deploy, watch, query, crash, adopt, update, delete',
    async ({ example, build, engine, address }, { onTestFinished }) => {
      const host = await testHost(onTestFinished, nameImages, address);
      const project = build ? await builtCopy(example) : exampleCopy(example);

      const published = await host.cliWith({ cwd: project }, 'custom-bot', 'deploy');
      expect(published.stderr + published.stdout).toContain('1.1.0');
      expect(published.code).toBe(0);

      // A deployment file: name, type, version, config.
      const request = {
        name: 'sma live',
        type: `realtime/${example}`,
        version: '1.1.0',
        config: {
          symbol: 'SPY',
          short_period: 5,
          long_period: 20,
          update_interval_ms: 30_000,
          base_url: `${host.url}/feed`,
        },
      };
      const file = jsonFile(host.dataDir, 'instance.json', request);
      const bot = await host.json('bot', 'deploy', file);
      expect(bot).toMatchObject({ bot_id: expect.stringMatching(/^bot_/), engine });
      expect((await host.json('bot', 'list')).items.map((one: { name: string }) => one.name)).toEqual(['sma live']);

      const first = await until('price and sma', async () => {
        const found = await metricsOf(host, bot.bot_id);
        return found.some((one) => one.type === 'sma') ? found : null;
      });
      expect(first.find((one) => one.type === 'price')?.data).toMatchObject({
        symbol: 'SPY',
        value: expect.any(Number),
        change_pct: expect.any(Number),
      });

      // Streamed lines arrive while the bot runs, not at the end.
      const watch = host.spawnCli({}, 'bot', 'logs', bot.bot_id, '-w');
      let streamed = '';
      watch.stdout?.on('data', (chunk) => {
        streamed += String(chunk);
      });

      const signal = await until(
        'a BUY or SELL',
        async () => (await metricsOf(host, bot.bot_id)).find((one) => one.type === 'signal'),
        60_000,
      );
      expect(signal.data).toMatchObject({
        type: expect.stringMatching(/^(BUY|SELL)$/),
        symbol: 'SPY',
        price: expect.any(Number),
        reason: expect.any(String),
      });
      expect(Number(signal.data.confidence)).toBeLessThanOrEqual(0.95);
      await until(
        'streamed lines',
        () => streamed.includes('signal') || streamed.includes('BUY') || streamed.includes('SELL'),
      );
      watch.kill('SIGTERM');

      // Query by command line and by HTTP with a Bearer token.
      const status = await host.cli('bot', 'query', bot.bot_id, '/status', '--raw');
      expect(status.code, status.stderr).toBe(0);
      expect(JSON.parse(status.stdout)).toMatchObject({ symbol: 'SPY' });
      const direct = await host.fetch(`/bot/${bot.bot_id}/query`, {
        method: 'POST',
        body: JSON.stringify({ path: '/status', params: {} }),
      });
      expect(direct.status).toBe(200);
      expect(direct.headers.get('x-query-duration-ms')).toMatch(/^\d/);
      expect(await direct.json()).toMatchObject({ symbol: 'SPY' });

      // State.
      const state = await host.json('bot', 'state', bot.bot_id);
      expect(state.keys.map((one: { key: string }) => one.key)).toContain('bot_state');
      const value = await host.json('bot', 'state', bot.bot_id, 'bot_state');
      expect(value.value).toBeTypeOf('object');

      // The bot is killed: seen, and started again.
      const runBefore = (await host.json('bot', 'get', bot.bot_id)).run_id;
      const program = /sma-crossover|bot\.mjs|main\.py|bot\.py|runner/;
      killAll((await botPids(host, program)).filter((pid) => !/query/.test(procText(pid, 'cmdline'))));
      const again = await until('the restart', async () => {
        const now = await getBot(host, bot.bot_id);
        return now.status === 'running' && now.run_id !== runBefore ? now : null;
      });
      expect(again.restarts).toBe(1);

      // The host is killed: the same process is adopted, and no line that was shown is lost.
      await until(
        'a line of the new run',
        async () =>
          (await logsOf(host, bot.bot_id)).some(({ run_id, source }) => run_id === again.run_id && source !== 'host'),
        undefined,
        async () => `${await storyOf(host, bot.bot_id)}\n${host.log}`,
      );
      const shown = (await host.json('bot', 'logs', bot.bot_id, '--limit', '1000')).entries;
      const adoptable = again.run_id ?? '';
      // The query program beside the bot starts after it, and is one of those that the next host finds.
      const before = await until('the bot and its query program', async () => {
        const programs = await programsOfRun(host, adoptable);
        return isUp(programs.bot) && isUp(programs.query) ? programs : null;
      });
      await host.kill();
      const pids = [...before.bot, ...before.query];
      expect(pids.filter(exists)).toEqual(pids);
      await host.start();
      const adopted = await host.json('bot', 'get', bot.bot_id);
      expect(adopted).toMatchObject({ status: 'running', run_id: again.run_id, restarts: 1 });
      expect(await programsOfRun(host, adoptable)).toEqual(before);
      expect((await programsOf(host)).sort()).toEqual(pids.sort());
      const after = (await host.json('bot', 'logs', bot.bot_id, '--limit', '1000')).entries;
      expect(after.slice(0, shown.length)).toEqual(shown);

      // Update: the config is applied with one restart.
      const changed = jsonFile(host.dataDir, 'update.json', {
        config: { ...request.config, symbol: 'QQQ', base_url: `${host.url}/feed` },
      });
      await host.json('bot', 'update', bot.bot_id, changed);
      await until('a metric of the new symbol', async () =>
        (await metricsOf(host, bot.bot_id)).some((one) => one.data.symbol === 'QQQ'),
      );

      // Delete: it stands still in the trash, and nothing is left once that is emptied.
      expect((await host.cli('bot', 'delete', bot.bot_id, '-y')).code).toBe(0);
      expect((await host.json('bot', 'list')).items).toEqual([]);
      expect(await programsOf(host)).toEqual([]);
      expect((await host.cli('trash', 'empty', bot.bot_id, '-y')).code).toBe(0);
      expect(exists2(join(host.dataDir, 'bots', bot.bot_id))).toBe(false);
      const gone = await host.cli('bot', 'get', bot.bot_id);
      expect(gone.code).toBe(4);
      expect(gone.stderr).toContain('Bot not found');
    },
  );
});

function exists2(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EISDIR';
  }
}
