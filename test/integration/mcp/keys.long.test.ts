import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import { EXTENDED_SURFACE, MAIN_SURFACE } from '../../../src/main/host/mcp/surface.ts';
import {
  bare,
  dataOf,
  fastAsking,
  JSON_HEADERS,
  makeKey,
  message,
  modern,
  post,
  SEED_TOOLS,
  tool,
} from '../../support/mcp.ts';
import { listen } from '../../support/mcp-listen.ts';
import { TestHost } from '../../support/platform.ts';
import { deployTalking } from '../../support/talking-bot.ts';
import { call, getBot } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

/** What a key allows at the MCP endpoints. */
const host = new TestHost();
let mine = '';
let other = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  mine = (await deployTalking(host, 'talking-mine')).bot.bot_id;
  other = (await deployTalking(host, 'talking-other', 'mark-of-the-other')).bot.bot_id;
}, 60_000);
afterAll(() => host.stop());

const WRITING = ['bot_deploy', 'bot_update', 'bot_delete'];
const extended = (key: string, body: unknown, headers: Record<string, string> = JSON_HEADERS) =>
  post(`${host.url}/mcp/extended`, JSON.stringify(body), { ...headers, 'x-api-key': key });

type Answer = { json(): { result: { tools: { name: string }[] } } };
const namesIn = (answer: Answer): string[] => answer.json().result.tools.map(({ name }) => name);
const askModern = (key: string, one: ReturnType<typeof modern>) => bare(host, key, one.body, one.headers);

describe('a key that may only read', () => {
  const key = () => makeKey(host, { scope: 'read' });

  it('lists no tool that changes something, in either era', async () => {
    const one = await key();
    const expected = SEED_TOOLS.filter((name) => !WRITING.includes(name));
    expect(namesIn(await bare(host, one, message('tools/list')))).toEqual(expected);
    expect(namesIn(await askModern(one, modern('tools/list')))).toEqual(expected);
  });

  it.each(WRITING)('cannot call %s, in either era', async (name) => {
    const one = await key();
    const args = name === 'bot_deploy' ? { config: {} } : { bot_id: mine, config: { enabled: false } };
    const params = { name, arguments: args };
    for (const answer of [
      await bare(host, one, message('tools/call', params)),
      await askModern(one, modern('tools/call', params)),
    ]) {
      expect(answer.json().error).toMatchObject({ code: -32602, message: `This API key may not use ${name}` });
    }
    expect(await getBot(host, mine)).toMatchObject({ status: 'running', enabled: true });
  });

  it('reads all that its user has', async () => {
    const { data } = await tool(host, await key(), 'bot_list');
    expect(data.bots.map((bot: { bot_id: string }) => bot.bot_id).sort()).toEqual([mine, other].sort());
  });

  it('lists and calls no writing tool of the further ones either', async () => {
    const one = await makeKey(host, { scope: 'read', extended: true });
    const reading = EXTENDED_SURFACE.tools.filter(({ hints }) => hints.readOnlyHint).map(({ name }) => name);
    expect(namesIn(await extended(one, message('tools/list')))).toEqual(reading);
    const stop = message('tools/call', { name: 'bot_stop', arguments: { bot_id: mine } });
    expect((await extended(one, stop)).json().error.message).toBe('This API key may not use bot_stop');
    expect((await getBot(host, mine)).status).toBe('running');
  });
});

describe('a key that may deploy', () => {
  it('has all 14 tools', async () => {
    const one = await makeKey(host, { scope: 'deploy' });
    expect(namesIn(await bare(host, one, message('tools/list')))).toEqual(SEED_TOOLS);
    const { data } = await tool(host, one, 'auth_status');
    expect(data).toMatchObject({ scope: 'deploy', only_bots: null });
  });
});

describe('a key for named bots', () => {
  const key = () => makeKey(host, { bots: [mine] });
  const AT_BOT = MAIN_SURFACE.tools.filter(({ needs }) => OPERATIONS[needs].path.includes('{bot_id}'));

  it('may do all to its bots, and deploy no other', async () => {
    const names = namesIn(await bare(host, await key(), message('tools/list')));
    expect(names).toEqual(SEED_TOOLS.filter((name) => name !== 'bot_deploy'));
  });

  it('sees its bots alone, whatever it asks', async () => {
    const one = await key();
    const list = await tool(host, one, 'bot_list');
    expect(list.data.bots.map((bot: { bot_id: string }) => bot.bot_id)).toEqual([mine]);
    expect((await tool(host, one, 'auth_status')).data).toMatchObject({ bots: 1, only_bots: [mine] });
    const resources = (await bare(host, one, message('resources/list'))).text;
    const argument = { name: 'bot_id', value: '' };
    const ref = { type: 'ref/prompt', name: 'diagnose_bot' };
    const completed = (await bare(host, one, message('completion/complete', { ref, argument }))).json().result;
    expect(completed.completion.values).toEqual([mine]);
    expect(resources).toContain(mine);
    expect(resources + list.texts.join()).not.toContain(other);
    expect(resources + list.texts.join()).not.toContain('talking-other');
  });

  it('is told of no bot that it cannot see by a number either', async () => {
    const bots = async (key: string): Promise<Record<string, number>> => {
      const { data } = await tool(host, key, 'custom_bot_list');
      return Object.fromEntries(data.custom_bots.map((one: { name: string; bots: number }) => [one.name, one.bots]));
    };
    expect(await bots(await makeKey(host))).toEqual({ 'talking-mine': 1, 'talking-other': 1 });
    // Its own custom bot alone: that of the other bot is not even listed.
    expect(await bots(await key())).toEqual({ 'talking-mine': 1 });
  });

  it.each(AT_BOT.map(({ name }) => name))('gets "Bot not found" from %s about any other bot', async (name) => {
    const one = await key();
    const rest = {
      bot_update: { config: { name: 'x' } },
      bot_state_get: { key: 'bot_state' },
      bot_query: { query_path: '/status' },
    };
    const more = Object.entries(rest).find(([of]) => of === name)?.[1] ?? {};
    const theirs = await tool(host, one, name, { bot_id: other, ...more });
    const nothing = await tool(host, one, name, { bot_id: 'bot_00000000000000000000000000', ...more });
    expect(theirs).toEqual(nothing);
    expect([theirs.isError, theirs.texts[0]]).toEqual([true, 'Bot not found']);
  });

  it('reads and follows no resource of any other bot', async () => {
    const one = await key();
    for (const part of ['', '/logs', '/metrics', '/state']) {
      const uri = `platform://bots/${other}${part}`;
      const read = await bare(host, one, message('resources/read', { uri }));
      expect(read.json().error).toEqual({ code: -32602, message: 'Resource not found', data: { uri } });
      const follow = modern('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } });
      expect((await askModern(one, follow)).json().error).toMatchObject({ message: 'Resource not found' });
    }
  });

  it('left the other bot as it was', async () => {
    expect(await getBot(host, other)).toMatchObject({ name: 'talking-other', status: 'running' });
  });
});

describe('the further tools', () => {
  it('are refused to a key that was not made for them, in either era', async () => {
    const one = await makeKey(host);
    const list = modern('tools/list');
    const refused = [await extended(one, message('tools/list')), await extended(one, list.body, list.headers)];
    for (const answer of refused) {
      expect(answer.status).toBe(403);
      expect(answer.json()).toMatchObject({
        jsonrpc: '2.0',
        error: { code: 403, message: 'This API key is not for the further tools', data: { code: 'FORBIDDEN' } },
      });
    }
  });

  it('are there for a key that was, at an address of their own', async () => {
    const one = await makeKey(host, { extended: true });
    const names = EXTENDED_SURFACE.tools.map(({ name }) => name);
    expect(namesIn(await extended(one, message('tools/list')))).toEqual(names);
    expect(namesIn(await bare(host, one, message('tools/list')))).toEqual(SEED_TOOLS);
    const params = { name: 'metrics_get', arguments: { bot_id: mine } };
    expect((await bare(host, one, message('tools/call', params))).json().error.message).toBe(
      'Unknown tool: metrics_get',
    );
    const { result } = (await extended(one, message('tools/call', params))).json();
    expect(dataOf(result).metrics[0]).toMatchObject({ type: 'price', data: { value: 7 } });
  });

  it('want a key as the others do', async () => {
    const answer = await post(`${host.url}/mcp/extended`, JSON.stringify(message('tools/list')), JSON_HEADERS);
    expect([answer.status, answer.json().error.message]).toEqual([401, 'Authentication required']);
  });
});

it('a subscription ends with its key, and no other does', async () => {
  const name = 'to be revoked';
  const wanted = { resourceSubscriptions: [`platform://bots/${mine}/logs`] };
  const [ending, lasting] = [
    await listen(host, await makeKey(host, { name }), wanted),
    await listen(host, await makeKey(host), wanted),
  ];
  const { items } = await call<{ items: { key_id: string; name: string }[] }>(host, 'GET', '/api/v1/keys');
  const before = performance.now();
  await call(host, 'DELETE', `/api/v1/keys/${items.find((one) => one.name === name)?.key_id}`);
  await until('the end of the subscription', () => ending.ended());
  // Earlier than the next check of credentials, every 15 s.
  expect(performance.now() - before).toBeLessThan(12_000);
  expect(lasting.ended()).toBe(false);
  lasting.close();
});

describe('what a key did', () => {
  it('is recorded: key, client, tool, target, outcome, duration', async () => {
    const one = await makeKey(host, { name: 'audited' });
    await tool(host, one, 'bot_get', { bot_id: mine });
    await tool(host, one, 'bot_delete', { bot_id: 'bot_nowhere' });
    await askModern(one, modern('resources/read', { uri: `platform://bots/${mine}/logs` }));
    const { items: keys } = await call<{ items: { key_id: string; name: string }[] }>(host, 'GET', '/api/v1/keys');
    const keyId = keys.find(({ name }) => name === 'audited')?.key_id;
    const { items } = await call<{ items: Record<string, unknown>[] }>(host, 'GET', '/api/v1/audit?limit=200');
    const entries = items.filter((entry) => entry.key_id === keyId).map(({ audit_id: _, at: __, ...rest }) => rest);
    const entry = (operation: string, target: string, outcome: string, client: unknown = null) =>
      expect.objectContaining({ operation, target, outcome, client, duration_ms: expect.any(Number), key_id: keyId });
    expect(entries).toHaveLength(3);
    expect(entries).toEqual(
      expect.arrayContaining([
        entry('mcp bot_get', mine, 'ok'),
        entry('mcp bot_delete', 'bot_nowhere', 'BOT_NOT_FOUND'),
        entry('mcp resources/read', `platform://bots/${mine}/logs`, 'ok', 'transport-test/1'),
      ]),
    );
  });
});
