import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import { bare, fastAsking, JSON_HEADERS, makeKey, message, post, tool } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { call, deployTiny } from '../support/tiny-bot.ts';

/**
 * Failures 1 and 8 of peers: a bot with any name is listed everywhere, and a call of an assistant whose arguments are renamed,
 * nested, given twice or not to be read does nothing. Failure 11, the size and order of the list of tools, is in
 * test/unit/main/host/mcp/surface.test.ts; 13 is S5; 6 is S7, S8 and S10; 14 is keys-unseen.long.test.ts.
 */
const host = new TestHost();
let key = '';
let reading = '';
let bot: Bot;
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host);
  reading = await makeKey(host, { scope: 'read' });
  bot = await deployTiny(host, { name: 'kept', bot: 'setInterval(() => {}, 60_000);' });
});
afterAll(() => host.stop());

it('a call that is not quite one does nothing, whoever makes it', async () => {
  const { bot_id } = bot;
  const wrong: readonly object[] = [
    { name: 'bot_delete', arguments: { id: bot_id } },
    { name: 'bot_delete', arguments: { botId: bot_id } },
    { name: 'bot_delete', arguments: { bot: { bot_id } } },
    { name: 'bot_delete', arguments: { bot_id: [bot_id] } },
    { name: 'bot_delete', arguments: { bot_id: { $eq: bot_id } } },
    { name: 'bot_delete', arguments: { bot_id, force: true } },
    { name: 'bot_delete', arguments: JSON.stringify({ bot_id }) },
    { name: 'bot_delete', arguments: [bot_id] },
    { name: 'bot_delete', params: { bot_id } },
    { name: 'bot_delete', args: { bot_id } },
    { name: 'BOT_DELETE', arguments: { bot_id } },
    { name: 'bot_delete ', arguments: { bot_id } },
    { name: 'mcp__platform__bot_delete', arguments: { bot_id } },
    { name: ['bot_delete'], arguments: { bot_id } },
    { name: 'bot_list', tool: 'bot_delete', arguments: { bot_id } },
    { name: 'bot_update', arguments: { bot_id, config: { name: 'taken' }, settings: { name: 'x' } } },
    { name: 'bot_update', arguments: { bot_id, config: JSON.stringify({ name: 'taken' }) } },
    { name: 'bot_update', arguments: { bot_id, config: { config: {}, settings: {} } } },
    {
      name: 'bot_deploy',
      arguments: { config: { name: 'x', type: 'realtime/kept', version: '1.0.0', config: {}, settings: {} } },
    },
    { name: 'constructor', arguments: {} },
    { name: '__proto__', arguments: {} },
  ];
  for (const params of wrong) {
    const answer = (await bare(host, key, message('tools/call', params))).json();
    expect([params, answer.error !== undefined || answer.result.isError === true]).toEqual([params, true]);
  }
  // Two readers of the same bytes see the same call: the last of two keys, for the gate and for the tool alike.
  const bytes = [
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bot_list","name":"bot_delete","arguments":{"bot_id":"${bot_id}"}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"bot_delete","arguments":{"bot_id":"${bot_id}"}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bot_get"},"params":{"name":"bot_\\u0064elete","arguments":{"bot_id":"${bot_id}"}}}`,
  ];
  for (const body of bytes) {
    const answer = await post(`${host.url}/mcp`, body, { 'x-api-key': reading, ...JSON_HEADERS });
    expect([body, answer.json().error !== undefined || answer.json().result.isError === true]).toEqual([body, true]);
  }
  expect(await call<Bot>(host, 'GET', `/api/v1/bots/${bot_id}`)).toMatchObject({ name: 'kept', config: {} });
  const tried = wrong.length + bytes.length;
  await prove('P8', 'calls of assistants with arguments that are not quite right', { tried, 'did something': 0 });
});

const NAMES = [
  'with a space',
  '  ',
  '🚀 rocket 🤖',
  '"quotes" \'and\' `ticks`',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '$(reboot); `reboot` && %PATH%',
  'نص عربي',
  `${'é'.repeat(99)}!`,
  '🦄'.repeat(50),
  '-rf',
  '--help',
  'null',
] as const;

it('a bot with any name is listed by every surface as it was named', async () => {
  const made: string[] = [];
  for (const name of NAMES) {
    const request = { name, type: 'realtime/kept', version: '1.0.0', config: {}, enabled: false };
    const answer = await host.fetch('/api/v1/bots', { method: 'POST', body: JSON.stringify(request) });
    if (answer.status === 201) made.push(name);
    else expect([name, answer.status]).toEqual([name, 400]);
  }
  expect(made.length).toBeGreaterThanOrEqual(NAMES.length - 2);
  const names = (items: { name: string }[]): string[] => items.map((one) => one.name);
  const api = names((await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items);
  const command = names((await host.json('bot', 'list')).items);
  const assistant = names((await tool(host, key, 'bot_list')).data.bots);
  for (const name of made) {
    for (const [surface, list] of Object.entries({ api, command, assistant }))
      expect([surface, list]).toEqual([surface, expect.arrayContaining([name])]);
  }
  await host.stop();
  await host.start();
  expect(names((await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items).sort()).toEqual([...api].sort());
  await prove('P1', 'names of bots', {
    tried: NAMES.length,
    taken: made.length,
    'listed by every surface': made.length,
  });
});
