import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bot, Run } from '../../../src/contract/bot.ts';
import { dockerForTests } from '../../support/docker.ts';
import { sharedHost, type TestHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { botUntil, call, lineUntil, logsOf, publishFolder, runsOf } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const found = await dockerForTests();
const address = 'host' in found ? found.host : null;
const MAKERS = resolve(import.meta.dirname, '../../fixtures/other-makers');
/** Where a bot of each language brings its SDK along. */
const VENDORED = { python: 'vendor', node: 'node_modules/makers' } as const;
const LANGUAGES = ['python', 'node'] as const;
type Language = (typeof LANGUAGES)[number];

interface Metric {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** Publishes a bot as its maker has it. */
async function published(host: TestHost, language: Language, type: Bot['type']): Promise<void> {
  const dir = join(tempDir('makers-'), 'project');
  cpSync(join(MAKERS, `${language}-${type}`), dir, { recursive: true });
  cpSync(join(MAKERS, `${language}-sdk`), join(dir, VENDORED[language]), { recursive: true });
  const response = await publishFolder(host, dir);
  expect(await response.text()).toContain(`makers-${language}-${type}`);
  expect(response.status).toBe(201);
}

const host24 = (dataDir: string): void =>
  // A later Node than the bot asks for: the tests have no other.
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ images: { nodejs20: 'node:24-bookworm-slim' } }));

async function asked(host: TestHost, bot: Bot, path: string, params: object = {}) {
  const body = JSON.stringify({ query_path: path, params });
  const response = await host.fetch(`/bot/${bot.bot_id}/query`, { method: 'POST', body });
  // biome-ignore lint/suspicious/noExplicitAny: what a handler of the test says
  return { status: response.status, body: (await response.json()) as any };
}

/** Whether a state file was read while it was written, or its program was ended then: their SDK writes it in place. */
const isCut = (error: Error): boolean => error.message.includes('does not hold JSON');

async function stateOf(host: TestHost, bot: Bot, key: string): Promise<unknown> {
  const answer = await call<{ value: unknown }>(host, 'GET', `/api/v1/bots/${bot.bot_id}/state/${key}`);
  return answer.value;
}

async function metricsOf(host: TestHost, bot: Bot): Promise<Metric[]> {
  return (await call<{ events: Metric[] }>(host, 'GET', `/api/v1/bots/${bot.bot_id}/metrics/events?limit=1000`)).events;
}

async function runByHand(host: TestHost, bot: Bot): Promise<Run> {
  const { run_id } = await call<{ run_id: string }>(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`);
  return until('the run', async () =>
    (await runsOf(host, bot.bot_id)).find((run) => run.run_id === run_id && run.ended_at !== null),
  );
}

const shared = sharedHost(host24, address);

describe.skipIf(address === null).concurrent('bots of other makers, as they are', () => {
  it.for(LANGUAGES)('a realtime one in %s: metrics, logs, state, queries', async (language, { onTestFinished }) => {
    const host = shared(onTestFinished);
    await published(host, language, 'realtime');
    // The flat form of their instance files.
    const request = {
      name: `theirs-${language}`,
      type: `realtime/makers-${language}-realtime`,
      version: '1.0.0',
      symbol: 'SPY',
    };
    const bot = await call<Bot>(host, 'POST', '/api/v1/bots', request);
    expect(bot).toMatchObject({ engine: 'docker', effective_config: { symbol: 'SPY', threshold: 0.5 } });

    const metrics = await until('metrics', async () => {
      const all = await metricsOf(host, bot);
      return all.length >= 3 ? all : null;
    });
    expect(metrics[0]).toMatchObject({ type: 'price', data: { symbol: 'SPY', value: expect.any(Number) } });
    expect(await lineUntil(host, bot.bot_id, 'bot started')).toMatchObject({
      level: 'info',
      fields: { symbol: 'SPY' },
    });
    expect(await lineUntil(host, bot.bot_id, 'no history yet')).toMatchObject({ level: 'error' });
    // Their wrapper sets the module `logging` up.
    if (language === 'python') {
      const line = await lineUntil(host, bot.bot_id, 'INFO:strategy:threshold is 0.5');
      expect(line).toMatchObject({ level: 'info' });
    }
    expect(await lineUntil(host, bot.bot_id, 'Query server started on port 9476')).toMatchObject({ level: 'info' });
    expect((await logsOf(host, bot.bot_id)).map(({ message }) => message).join('\n')).not.toContain('_metric');
    await until('the ticks', async () => {
      const ticks = await stateOf(host, bot, 'ticks').catch((error: Error) => {
        if (!isCut(error)) throw error;
      });
      return typeof ticks === 'number' && ticks > 1;
    });
    const status = await until('the status', async () => {
      const answer = await asked(host, bot, '/status', { limit: 5 });
      // The query program may read the file while the bot writes it, which it does in place.
      const isCut = answer.status === 502 && /JSON/.test(answer.body.error.message);
      return isCut || answer.body.ticks === null ? null : answer;
    });
    expect(status).toEqual({ status: 200, body: { symbol: 'SPY', ticks: expect.any(Number), limit: '5' } });
    expect((await asked(host, bot, '/health')).body).toEqual({ status: 'ok' });
    expect((await asked(host, bot, '/info')).body.available_queries).toContain('/status');
    const failed = await asked(host, bot, '/failing', { symbol: 'ü &?=%' });
    expect(failed).toMatchObject({
      status: 502,
      body: { error: { code: 'QUERY_FAILED', message: 'no data for ü &?=%' } },
    });
    expect(await asked(host, bot, '/nope')).toMatchObject({
      status: 404,
      body: { error: { code: 'QUERY_PATH_NOT_FOUND' } },
    });

    // Stopped, it answers by a run of its query program.
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    await botUntil(host, bot.bot_id, 'the stop', (one) => one.status === 'stopped');
    const ticks = await stateOf(host, bot, 'ticks').catch(async (error: Error) => {
      if (!isCut(error)) throw error;
      // It was ended in the middle of writing its file; a person does what the error says.
      await call(host, 'PUT', `/api/v1/bots/${bot.bot_id}/state/ticks`, { value: 2 });
      return 2;
    });
    expect((await asked(host, bot, '/status')).body).toEqual({ symbol: 'SPY', ticks, limit: 'none' });
  });

  it.for(LANGUAGES)('a scheduled one in %s: results, state, queries by a run', async (language, { onTestFinished }) => {
    const host = shared(onTestFinished);
    await published(host, language, 'scheduled');
    const request = { type: `scheduled/makers-${language}-scheduled`, version: '1.0.0', schedule: '0 0 1 1 *' };
    const bot = await call<Bot>(host, 'POST', '/api/v1/bots', {
      ...request,
      name: `good-${language}`,
      config: { symbol: 'SPY' },
    });
    expect(await runByHand(host, bot)).toMatchObject({
      status: 'succeeded',
      exit_code: 0,
      result: { status: 'success', message: 'run 1 is done', data: { runs: 1 } },
    });
    expect((await runByHand(host, bot)).result).toMatchObject({ message: 'run 2 is done' });
    expect(await stateOf(host, bot, 'runs')).toBe(2);
    await until('metrics of both', async () => (await metricsOf(host, bot)).length === 2);
    expect((await logsOf(host, bot.bot_id)).map(({ message }) => message).join('\n')).not.toContain('RESULT_ERROR');

    const runs = await asked(host, bot, '/runs', { limit: 5, deep: { a: [1] }, text: 'ü\n"' });
    const params = { limit: '5', deep: '{"a":[1]}', text: 'ü\n"' };
    expect(runs).toEqual({ status: 200, body: { runs: 2, keys: ['runs'], params, once: true } });
    expect(await asked(host, bot, '/nope')).toMatchObject({
      status: 404,
      body: {
        error: {
          code: 'QUERY_PATH_NOT_FOUND',
          details: {
            path: '/nope',
            available: expect.arrayContaining(['/runs', '/write', '/force']),
          },
        },
      },
    });
    expect(await asked(host, bot, '/write')).toMatchObject({
      status: 502,
      body: { error: { code: 'QUERY_FAILED', message: 'state is read-only in a query' } },
    });
    expect(await asked(host, bot, '/force')).toEqual({ status: 200, body: 'Read-only file system' });
    expect(await stateOf(host, bot, 'runs')).toBe(2);

    const bad = await call<Bot>(host, 'POST', '/api/v1/bots', {
      ...request,
      name: `bad-${language}`,
      config: { symbol: 'NONE' },
    });
    expect(await runByHand(host, bad)).toMatchObject({
      status: 'failed',
      exit_code: 1,
      result: { status: 'error', message: 'no such symbol', data: { symbol: 'NONE' } },
      reason: { code: 'BOT_ERROR', message: 'no such symbol' },
    });
  });
});
