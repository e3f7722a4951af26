import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bare, makeKey, message } from '../support/mcp.ts';
import { filesBelow } from '../support/planted.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { storedConfig } from '../support/stored-config.ts';
import { botUntil, call, deployTiny, lineUntil, publish } from '../support/tiny-bot.ts';

const textOf = async (host: TestHost, path: string): Promise<string> => (await host.fetch(path)).text();

it('lines of a bot that does not run are masked with the secrets of today', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const bot = `
    const { account, region } = JSON.parse(process.env.BOT_CONFIG);
    console.error('ERROR no answer to ' + account + ' in ' + region);
    setInterval(() => {}, 1000);`;
  const settings = (account: object): object => ({
    type: 'object',
    properties: { account: { type: 'string', ...account }, region: { type: 'string' } },
  });
  const value = 'wxyzzy4417plugh';
  const config = { account: value, region: 'northern-parts' };
  const made = await deployTiny(host, { name: 'marks-later', bot, schema: settings({}) }, { config });
  await lineUntil(host, made.bot_id, value);
  await call(host, 'POST', `/api/v1/bots/${made.bot_id}/stop`);
  await botUntil(host, made.bot_id, 'stopped', (one) => one.status === 'stopped');

  await publish(host, { name: 'marks-later', version: '1.0.1', bot, schema: settings({ 'x-secret': true }) });
  await call(host, 'PATCH', `/api/v1/bots/${made.bot_id}`, { version: '1.0.1' });
  const check = async (): Promise<void> => {
    for (const path of ['logs', 'logs/summary', 'diagnosis']) {
      expect(await textOf(host, `/api/v1/bots/${made.bot_id}/${path}`), path).not.toContain(value);
    }
    const logs = await textOf(host, `/api/v1/bots/${made.bot_id}/logs`);
    expect(logs).toContain('ERROR no answer to *** in northern-parts');
    expect(await textOf(host, `/api/v1/bots/${made.bot_id}/logs?search=${value}`)).toContain('"entries":[]');
  };
  await check();
  await host.kill();
  await host.start();
  await check();
});

it('nested secrets stay by a change that leaves out what is around them', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const schema = {
    type: 'object',
    properties: {
      mode: { type: 'string' },
      api_key: { type: 'string' },
      nested: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string' } } },
    },
  };
  const [api_key, password] = ['exchange-key-0123456789', 'nested-pass-0123456789'];
  const config = { mode: 'a', api_key, nested: { user: 'u', password } };
  const { bot_id } = await deployTiny(host, { name: 'nested', bot: '', schema }, { config, enabled: false });
  const stored = (): unknown => storedConfig(host, bot_id);

  await call(host, 'PATCH', `/api/v1/bots/${bot_id}`, { config: { mode: 'b' } });
  expect(stored(), 'the API').toEqual({ mode: 'b', api_key, nested: { password } });

  const change = { input: JSON.stringify({ config: { mode: 'c', nested: { user: 'v' } } }) };
  expect(await host.cliWith(change, 'bot', 'update', bot_id, '-')).toMatchObject({ code: 0 });
  expect(stored(), 'the command line').toEqual({ mode: 'c', api_key, nested: { user: 'v', password } });

  const key = await makeKey(host);
  const update = { name: 'bot_update', arguments: { bot_id, config: { settings: { mode: 'd' } } } };
  expect((await bare(host, key, message('tools/call', update))).status).toBe(200);
  expect(stored(), 'MCP').toEqual({ mode: 'd', api_key, nested: { user: 'v', password } });

  await call(host, 'PATCH', `/api/v1/bots/${bot_id}`, { config: { mode: 'e', nested: null } });
  expect(stored()).toEqual({ mode: 'e', api_key });
});

it('secrets that a bot keeps in its state are shown nowhere, and stay by a change of what is around them', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const api_key = 'exchange-key-0123456789';
  const bot = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    const { api_key } = JSON.parse(process.env.BOT_CONFIG);
    mkdirSync(process.env.STATE_DIR, { recursive: true });
    const session = { api_key, url: 'https://x.test/?key=' + api_key, orders: 3 };
    writeFileSync(process.env.STATE_DIR + '/session.json', JSON.stringify(session));
    console.log('kept');
    setInterval(() => {}, 1000);`;
  const schema = { type: 'object', properties: { api_key: { type: 'string', 'x-secret': true } } };
  const { bot_id } = await deployTiny(host, { name: 'keeper', bot, schema }, { config: { api_key } });
  await lineUntil(host, bot_id, 'kept');
  await call(host, 'POST', `/api/v1/bots/${bot_id}/stop`);
  await botUntil(host, bot_id, 'stopped', (one) => one.status === 'stopped');
  const path = `/api/v1/bots/${bot_id}/state/session`;
  const shown = { api_key: '***', url: 'https://x.test/?key=***', orders: 3 };
  const stored = (): unknown =>
    JSON.parse(
      readFileSync(
        filesBelow(host.dataDir)
          .map((name) => join(host.dataDir, name))
          .find((name) => name.endsWith('session.json')) ?? '',
        'utf8',
      ),
    );

  expect(await call(host, 'GET', path)).toMatchObject({ value: shown });
  expect((await host.cli('bot', 'state', bot_id, 'session')).stdout).not.toContain(api_key);
  const key = await makeKey(host);
  const read = message('resources/read', { uri: `platform://bots/${bot_id}/state` });
  const resource = (await bare(host, key, read)).text;
  expect(resource).toContain('orders');
  expect(resource).not.toContain(api_key);

  expect(await call(host, 'PUT', path, { value: { ...shown, orders: 4 } })).toMatchObject({
    value: { ...shown, orders: 4 },
  });
  expect(stored()).toEqual({ api_key, url: `https://x.test/?key=${api_key}`, orders: 4 });
  // A masked value cannot be moved elsewhere: its secret is not known there.
  const moved = await host.fetch(path, { method: 'PUT', body: JSON.stringify({ value: { elsewhere: '***' } }) });
  expect(moved.status).toBe(400);
  expect(stored()).toMatchObject({ api_key, orders: 4 });
});
