import { expect, it } from 'vitest';
import { exampleCopy, jsonFile, pidsUnder, testHost } from '../support/platform.ts';
import { until } from '../support/until.ts';

it('scheduled bot: publish, deploy, run at its time and by hand, query, state, history, delete', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const project = exampleCopy('python-portfolio-tracker');
  expect((await host.cliWith({ cwd: project }, 'custom-bot', 'deploy')).code).toBe(0);
  const config = { ...JSON.parse(await instanceConfig(project)), base_url: `${host.url}/feed` };
  const request = {
    name: 'portfolio',
    type: 'scheduled/python-portfolio-tracker',
    version: '1.0.0',
    schedule: '* * * * *',
    config,
  };
  const bot = await host.json('bot', 'deploy', jsonFile(host.dataDir, 'instance.json', request));
  expect(bot).toMatchObject({ status: 'scheduled', next_run_at: expect.stringMatching(/:00\.000Z$/) });

  const run = await host.json('bot', 'run', bot.bot_id);
  const done = await until('the run by hand', async () => {
    const { items } = await host.json('bot', 'runs', bot.bot_id);
    return items.find(
      (one: { run_id: string; ended_at: string | null }) => one.run_id === run.run_id && one.ended_at !== null,
    );
  });
  expect(done).toMatchObject({ trigger: 'manual', status: 'succeeded', exit_code: 0, result: { status: 'success' } });

  const summary = await host.cli('bot', 'query', bot.bot_id, '/summary', '--raw');
  expect(summary.code, summary.stderr).toBe(0);
  expect(JSON.parse(summary.stdout)).toBeTypeOf('object');
  expect((await host.json('bot', 'state', bot.bot_id)).keys.length).toBeGreaterThan(0);
  const unknown = await host.cli('bot', 'query', bot.bot_id, '/nope');
  expect(unknown.code).toBe(4);
  expect(unknown.stderr).toContain('/summary');

  const due = await until(
    'the run at its time',
    async () => {
      const { items } = await host.json('bot', 'runs', bot.bot_id);
      return items.find(
        // A due time that met the run by hand is skipped, as it should be.
        (one: { trigger: string; status: string; ended_at: string | null }) =>
          one.trigger === 'schedule' && one.status !== 'skipped' && one.ended_at !== null,
      );
    },
    140_000,
  );
  expect(due).toMatchObject({ status: 'succeeded', slot: expect.stringMatching(/:00\.000Z$/) });
  const late = Date.parse(due.started_at) - Date.parse(due.slot);
  expect(late).toBeGreaterThanOrEqual(0);

  expect((await host.cli('bot', 'delete', bot.bot_id, '-y')).code).toBe(0);
  expect((await host.json('bot', 'list')).items).toEqual([]);
  expect(pidsUnder(host.dataDir)).toEqual([]);
});

async function instanceConfig(project: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return JSON.stringify(JSON.parse(await readFile(`${project}/instance.json`, 'utf8')).config);
}
