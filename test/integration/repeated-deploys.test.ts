import { expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import { Fault } from '../support/fault.ts';
import { makeKey, secondUser, tool } from '../support/mcp.ts';
import { jsonFile, testHost } from '../support/platform.ts';
import { call, deployTiny, getBot, publish } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const TINY = { name: 'tracker', type: 'scheduled', bot: 'console.log(1);' } as const;
const REQUEST = {
  name: 'close of business',
  type: 'scheduled/tracker',
  version: '1.0.0',
  schedule: '30 9 * * 1-5',
  timezone: 'America/New_York',
  config: {},
};

it('deploys once however often the request comes, also across the death of the host before its answer', async ({
  onTestFinished,
}) => {
  const fault = new Fault();
  const host = await testHost(onTestFinished, undefined, null, fault.env);
  await publish(host, TINY);
  const request = { ...REQUEST, idempotency_key: 'k-1' };
  fault.set('deploy:recorded');
  const lost = call<Bot>(host, 'POST', '/api/v1/bots', request).then(
    () => 'answered',
    () => 'no answer',
  );
  await until('the death of the host', () => host.isGone());
  expect(await lost).toBe('no answer');
  fault.set(null);
  await host.start();
  const bot = await call<Bot>(host, 'POST', '/api/v1/bots', request);
  expect(bot).toMatchObject({ name: REQUEST.name, generation: 1, timezone: 'America/New_York' });
  expect((await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items).toHaveLength(1);

  // On the command line, too, where the order of the keys is another.
  const { idempotency_key: _, ...file } = Object.fromEntries(Object.entries(request).reverse());
  const instance = jsonFile(host.dataDir, 'instance.json', file);
  expect(await host.json('bot', 'deploy', instance, '--idempotency-key', 'k-1')).toMatchObject({ bot_id: bot.bot_id });
  const other = await host.fetch('/api/v1/bots', { method: 'POST', body: JSON.stringify({ ...request, name: 'b' }) });
  expect([other.status, await other.json()]).toMatchObject([
    409,
    { error: { code: 'IDEMPOTENCY_CONFLICT', details: { bot_id: bot.bot_id } } },
  ]);

  await call(host, 'DELETE', `/api/v1/bots/${bot.bot_id}`);
  const again = await host.fetch('/api/v1/bots', { method: 'POST', body: JSON.stringify(request) });
  expect([again.status, await again.json()]).toMatchObject([409, { error: { code: 'IDEMPOTENCY_CONFLICT' } }]);
  expect((await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items).toEqual([]);
});

it('refuses a change of a bot that is not as the caller has seen it', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const { bot_id } = await deployTiny(host, TINY, { timezone: 'Europe/Berlin' });
  const path = `/api/v1/bots/${bot_id}`;
  const changed = await call<Bot>(host, 'PATCH', path, { schedule: '0 9 * * *', if_generation: 1 });
  expect(changed).toMatchObject({ generation: 2, timezone: 'Europe/Berlin' });
  // What changes nothing is no new generation.
  expect(await call(host, 'PATCH', path, { schedule: '0 9 * * *' })).toMatchObject({ generation: 2 });
  for (const [method, address, body] of [
    ['PATCH', path, { name: 'x', if_generation: 1 }],
    ['PATCH', path, { enabled: false, if_generation: 1 }],
    ['POST', `${path}/stop`, { if_generation: 1 }],
    ['POST', `${path}/start`, { if_generation: 3 }],
    ['DELETE', `${path}?if_generation=1`, undefined],
  ] as const) {
    const refused = await host.fetch(address, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { error: { code: 'STALE_GENERATION', details: { generation: 2 } } },
    ]);
  }
  const stale = await host.cli('bot', 'update', bot_id, '--name', 'x', '--if-generation', '1');
  expect([stale.code, stale.stderr]).toEqual([5, expect.stringContaining('it is 2 now')]);
  expect(await getBot(host, bot_id)).toMatchObject({ name: 'tracker', enabled: true, generation: 2 });
  expect(await call(host, 'POST', `${path}/stop`, { if_generation: 2 })).toMatchObject({ generation: 3 });
  await call(host, 'DELETE', `${path}?if_generation=3`);
});

it('lets an assistant repeat a deployment, and change only what it has read', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  await publish(host, TINY);
  const key = await makeKey(host);
  const { config: settings, ...request } = REQUEST;
  const args = { config: { ...request, settings }, idempotency_key: 'from-a-chat' };
  const { data: first } = await tool(host, key, 'bot_deploy', args);
  expect((await tool(host, key, 'bot_deploy', args)).data).toMatchObject({
    bot_id: first.bot_id,
    timezone: 'America/New_York',
  });
  const change = { bot_id: first.bot_id, config: { timezone: 'Asia/Tokyo' } };
  expect((await tool(host, key, 'bot_update', { ...change, if_generation: 1 })).data).toMatchObject({ generation: 2 });
  const stale = await tool(host, key, 'bot_update', { ...change, if_generation: 1 });
  expect([stale.isError, stale.texts.join()]).toEqual([true, expect.stringContaining('it is 2 now')]);
  // Another user's key of the same text is another one, and shows nothing of this user.
  const other = await makeKey(host, {}, await secondUser(host));
  const refused = await tool(host, other, 'bot_deploy', args);
  expect([refused.isError, refused.texts.join().includes(first.bot_id)]).toEqual([true, false]);
  expect(refused.texts.join()).toContain('Custom bot not found');
});
