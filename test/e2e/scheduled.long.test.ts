import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/contract/bot.ts';
import { dockerForTests } from '../support/docker.ts';
import { exampleCopy, jsonFile, programsOf, type TestHost, testHost } from '../support/platform.ts';
import { runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const found = await dockerForTests();
const ENGINES = [
  { engine: 'process', address: null },
  ...('host' in found ? [{ engine: 'docker', address: found.host }] : []),
];

/** A run of the bot that has ended and passes a check. */
async function ended(
  host: TestHost,
  bot: string,
  what: string,
  check: (run: Run) => boolean,
  ms?: number,
): Promise<Run> {
  return until(
    what,
    async () => {
      const items = await runsOf(host, bot);
      return items.find((run) => run.ended_at !== null && check(run));
    },
    ms,
  );
}

/** The answer of a query, and whether a waiting program gave it. */
async function asked(host: TestHost, bot: string, path: string): Promise<{ warm: boolean; answer: unknown }> {
  const response = await host.fetch(`/bot/${bot}/query`, { method: 'POST', body: JSON.stringify({ path }) });
  expect(response.status).toBe(200);
  return { warm: response.headers.get('x-query-warm') === 'true', answer: await response.json() };
}

async function waiting(host: TestHost): Promise<number> {
  const info = (await (await host.fetch('/api/v1/host')).json()) as { query_pool: { waiting: number } };
  return info.query_pool.waiting;
}

/** Makes a stopped host believe that it was away for so long. */
function missed(host: TestHost, bot: string, minutes: number): void {
  const db = new Database(join(host.dataDir, 'control.db'));
  db.prepare('update bot set scheduled_from = ? where bot_id = ?').run(Date.now() - minutes * 60_000, bot);
  db.close();
}

describe.concurrent('a scheduled bot, with the command line only', () => {
  it.for(ENGINES)(
    'on $engine: publish, deploy, run at its time, by hand and caught up, query, history, delete',
    async ({ engine, address }, { onTestFinished }) => {
      const host = await testHost(onTestFinished, undefined, address);
      const project = exampleCopy('python-portfolio-tracker');
      expect((await host.cliWith({ cwd: project }, 'custom-bot', 'deploy')).code).toBe(0);
      const { config } = JSON.parse(readFileSync(join(project, 'instance.json'), 'utf8'));
      const request = {
        name: 'portfolio',
        type: 'scheduled/python-portfolio-tracker',
        version: '1.1.0',
        // Not due while it is run by hand: a bot has one run at a time.
        schedule: '0 0 1 1 *',
        config: { ...config, base_url: `${host.url}/feed` },
      };
      const bot = await host.json('bot', 'deploy', jsonFile(host.dataDir, 'instance.json', request));
      expect(bot).toMatchObject({ engine, status: 'scheduled', next_run_at: expect.stringMatching(/:00\.000Z$/) });

      const run = await host.json('bot', 'run', bot.bot_id);
      const done = await ended(host, bot.bot_id, 'the run by hand', ({ run_id }) => run_id === run.run_id);
      expect(done).toMatchObject({
        trigger: 'manual',
        status: 'succeeded',
        exit_code: 0,
        result: { status: 'success' },
      });

      const summary = await host.cli('bot', 'query', bot.bot_id, '/summary', '--raw');
      expect(summary.code, summary.stderr).toBe(0);
      expect(JSON.parse(summary.stdout).valuations).toBe(1);
      expect((await host.json('bot', 'state', bot.bot_id)).keys.length).toBeGreaterThan(0);
      const unknown = await host.cli('bot', 'query', bot.bot_id, '/nope');
      expect(unknown.code).toBe(4);
      expect(unknown.stderr).toContain('/summary');

      const often = jsonFile(host.dataDir, 'often.json', { schedule: '* * * * *' });
      await host.json('bot', 'update', bot.bot_id, often);
      const isDue = ({ trigger }: Run): boolean => trigger === 'schedule';
      const due = await ended(host, bot.bot_id, 'the run at its time', isDue, 140_000);
      expect(due).toMatchObject({ status: 'succeeded', slot: expect.stringMatching(/:00\.000Z$/) });
      expect(Date.parse(due.started_at ?? '') - Date.parse(due.slot ?? '')).toBeGreaterThanOrEqual(0);

      // Half an hour, twenty and ten minutes ago: none of them due again within the test.
      const minutes = [30, 20, 10].map((ago) => new Date(Date.now() - ago * 60_000).getUTCMinutes());
      const rare = jsonFile(host.dataDir, 'rare.json', { schedule: `${minutes.join(',')} * * * *` });
      await host.json('bot', 'update', bot.bot_id, rare);

      // The host was away for those times: the last one is made up for.
      await host.stop();
      missed(host, bot.bot_id, 35);
      await host.start();
      const late = await ended(host, bot.bot_id, 'the run made up', ({ trigger }) => trigger === 'catch_up');
      expect(late).toMatchObject({ status: 'succeeded', result: { status: 'success' } });

      // A query starts a program for it, and another one that waits for the next query.
      const cold = await asked(host, bot.bot_id, '/summary');
      expect(cold).toMatchObject({ warm: false, answer: { valuations: expect.any(Number) } });
      await until('a program that waits', async () => (await waiting(host)) === 1);
      expect(await asked(host, bot.bot_id, '/summary')).toEqual({ warm: true, answer: cold.answer });

      expect((await host.cli('bot', 'delete', bot.bot_id, '-y')).code).toBe(0);
      expect((await host.json('bot', 'list')).items).toEqual([]);
      expect(await programsOf(host)).toEqual([]);
    },
  );
});
