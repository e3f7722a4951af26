import { expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import type { PublishedSample, Sample } from '../../src/contract/sample-bot.ts';
import { testHost } from '../support/platform.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';

it('samples are listed with what keeps them from running, published for the caller, and deployed on the offline feed', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const { items } = await call<{ items: Sample[] }>(host, 'GET', '/api/v1/samples');
  expect(items[0]).toMatchObject({ name: 'node-sma-crossover', recommended: true, runtime: 'nodejs24', problem: null });
  expect(items.filter((one) => one.recommended)).toHaveLength(1);
  expect(items.map((one) => one.name)).toContain('python-portfolio-tracker');

  const publish = () => call<PublishedSample>(host, 'POST', '/api/v1/samples/node-sma-crossover/publish', {});
  const first = await publish();
  expect(first).toMatchObject({ created: true, custom_bot: { name: 'node-sma-crossover', version: '1.1.0' } });
  expect(first.instance.name).toBe('SMA crossover AAPL (Node)');
  expect(first.instance.config?.base_url).toMatch(new RegExp(`^${host.url}/feed/from/\\d+$`));
  const bot = await call<Bot>(host, 'POST', '/api/v1/bots', first.instance);
  expect(bot).toMatchObject({ type: 'realtime/node-sma-crossover', status: 'running' });

  // Once more: the same version, another name.
  const again = await publish();
  expect(again.created).toBe(false);
  expect(again.instance.name).toBe('SMA crossover AAPL (Node) 2');
});

it('a sample whose name is taken by other content, or that is none, is refused with what to do', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  await deployTiny(host, { name: 'node-price-alerts', bot: 'setInterval(() => {}, 60_000);\n' });
  const refused = async (name: string) => {
    const answer = await host.fetch(`/api/v1/samples/${name}/publish`, { method: 'POST', body: '{}' });
    const { error }: { error: { code: string; hint: string } } = JSON.parse(await answer.text());
    return [answer.status, error.code, error.hint];
  };
  expect(await refused('node-price-alerts')).toEqual([409, 'VERSION_EXISTS', expect.stringContaining('1.0.1')]);
  expect(await refused('node-sma-crosover')).toEqual([
    404,
    'CUSTOM_BOT_NOT_FOUND',
    expect.stringContaining('Did you mean node-sma-crossover?'),
  ]);
  expect(await refused('cpp-sma-crossover')).toEqual([400, 'INVALID_PACKAGE', expect.any(String)]);
});

it('the command line lists and deploys them', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const list = await host.cli('samples', 'list');
  expect(list.stdout).toMatch(/^NAME .*\nnode-sma-crossover +realtime +nodejs24 +runs /);
  expect(list.stdout).toContain('It must be compiled first');
  const bot: Bot = await host.json('samples', 'deploy');
  expect(bot.type).toBe('realtime/node-sma-crossover');
  const wrong = await host.cli('samples', 'deploy', 'nothing-like-it');
  expect([wrong.code === 0, wrong.stderr]).toEqual([false, expect.stringContaining('The samples are')]);
});
