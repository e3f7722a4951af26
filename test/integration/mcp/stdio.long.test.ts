import { join } from 'node:path';
import { Client, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, makeKey, SEED_TOOLS } from '../../support/mcp.ts';
import { rawBridge } from '../../support/mcp-lines.ts';
import { ROOT, TestHost, testHost } from '../../support/platform.ts';
import { deployTalking, type TalkingBot } from '../../support/talking-bot.ts';
import { deployTiny, lineUntil, publish } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const IDLE = 'setInterval(() => {}, 60_000);\n';
const SLOW_QUERY = `
import { log, query } from '@bot-platform/sdk';
query.handler('/ready', () => ({}));
query.handler('/slow', () => {
  log('asked for something slow');
  return new Promise(() => setInterval(() => {}, 1000));
});
query.run();
`;
const MODERN = '2026-07-28';

/** A bot that never answers /slow, ready to be asked. */
async function deploySlow(on: TestHost, name: string): Promise<string> {
  const { bot_id } = await deployTiny(on, { name, bot: IDLE, query: SLOW_QUERY });
  await until('the query program', async () => {
    const answer = await on.fetch(`/bot/${bot_id}/query`, { method: 'POST', body: '{"path": "/ready"}' });
    return answer.ok;
  });
  return bot_id;
}

const host = new TestHost();
let talking: TalkingBot;
let key = '';

beforeAll(async () => {
  await host.start();
  talking = await deployTalking(host);
  await publish(host, { name: 'tiny-stdio', bot: IDLE });
  key = await makeKey(host, { scope: 'deploy' });
});
afterAll(() => host.stop());

function transport(apiKey: string, ...args: string[]): StdioClientTransport {
  const env = {
    PATH: process.env.PATH ?? '',
    PLATFORM_DATA_DIR: host.dataDir,
    PLATFORM_CONFIG_DIR: host.configDir,
    PLATFORM_API_KEY: apiKey,
  };
  const command = [join(ROOT, 'out/main/platform.js'), 'mcp', ...args];
  return new StdioClientTransport({ command: process.execPath, args: command, env, stderr: 'ignore' });
}

const ERAS: readonly (readonly [string, NonNullable<VersionNegotiationOptions['mode']>, 'modern' | 'legacy'])[] = [
  ['auto', 'auto', 'modern'],
  ['legacy', 'legacy', 'legacy'],
  ['pinned', { pin: MODERN }, 'modern'],
];

describe.each(ERAS)('an SDK client over platform mcp, %s', (name, mode, era) => {
  it('works as over HTTP', async ({ onTestFinished }) => {
    const client = new Client(
      { name: `stdio-${name}`, version: '1' },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    onTestFinished(() => client.close());
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', async (request) => {
      asked.push(request.params.message);
      return { action: 'accept', content: { confirm: true } };
    });
    await client.connect(transport(key));
    expect(client.getProtocolEra()).toBe(era);

    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(SEED_TOOLS);

    const status = await client.callTool({ name: 'auth_status', arguments: {} });
    expect(dataOf(status)).toMatchObject({ authenticated: true, scope: 'deploy' });
    const missing = await client.callTool({ name: 'bot_get', arguments: { bot_id: 'nope' } });
    expect(missing).toMatchObject({ isError: true });
    expect(missing.content[0]).toMatchObject({ type: 'text', text: 'Bot not found' });
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({ code: -32602 });

    const seen: number[] = [];
    const config = { name: `made-${name}`, type: 'realtime/tiny-stdio', version: '1.0.0', config: {} };
    const made = await client.callTool(
      { name: 'bot_deploy', arguments: { config } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    expect(made.isError).not.toBe(true);
    expect(seen.length).toBeGreaterThanOrEqual(1);

    const { bot_id } = dataOf(made);
    const gone = await client.callTool({ name: 'bot_delete', arguments: { bot_id } });
    expect(dataOf(gone)).toMatchObject({ bot_id, deleted: true });
    // Without a session the host cannot ask 2025 clients in between; they ask by themselves.
    expect(asked).toEqual(era === 'modern' ? [expect.stringContaining(`made-${name}`)] : []);
  });
});

it.each(ERAS.filter(([, , era]) => era === 'modern'))('is told of new log lines, %s', async (name, mode) => {
  const client = new Client({ name: `listening-${name}`, version: '1' }, { versionNegotiation: { mode } });
  const told: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    told.push(params.uri);
  });
  await client.connect(transport(key));
  const uri = `platform://bots/${talking.bot.bot_id}/logs`;
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  talking.say(`news for ${name}`);
  await until('the notification', () => told.includes(uri));
  await subscription.close();
  // The stream is given back and the bridge goes on.
  expect((await client.listTools()).tools).toHaveLength(14);
  await client.close();
});

it('a wrong key is told in the words of the contract, in either era', async () => {
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client({ name: 'wrong', version: '1' }, { versionNegotiation: { mode } });
    await expect(client.connect(transport('plat_wrong_key'))).rejects.toThrow('API key is invalid');
  }
});

it('shows the further tools to a key that was made for them, and refuses others', async ({ onTestFinished }) => {
  const further = await makeKey(host, { scope: 'deploy', extended: true });
  const client = new Client({ name: 'extended', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport(further, '--extended'));
  expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('custom_bot_publish');
  const other = new Client({ name: 'plain', version: '1' });
  await expect(other.connect(transport(key, '--extended'))).rejects.toThrow('not for the further tools');
});

describe('lines', () => {
  it('of garbage, of many sizes and of notifications are each treated as what they are', async () => {
    const bridge = rawBridge(host);
    bridge.send('this is no JSON');
    expect(await bridge.answer(null)).toMatchObject({ error: { code: -32700 } });
    bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    bridge.send('');
    const wide = 'ü'.repeat(100_000);
    expect(await bridge.ask('wide', 'tools/call', { name: wide })).toMatchObject({ error: { code: -32602 } });
    // More than the host takes, and still told by its id.
    const large = await bridge.ask('large', 'tools/call', { name: 'x'.repeat(5 * 1024 * 1024) });
    expect(large).toMatchObject({ error: { code: -32600, message: expect.stringContaining('4 MiB') } });
    const before = bridge.messages.length;
    bridge.send({ jsonrpc: '2.0', id: 'huge', method: 'tools/call', params: { name: 'x'.repeat(17 * 1024 * 1024) } });
    expect(await bridge.ask('after', 'ping')).toEqual({ jsonrpc: '2.0', id: 'after', result: {} });
    const since = bridge.messages.slice(before).filter((one) => one.id === null);
    expect(since).toMatchObject([{ error: { message: expect.stringContaining('4 MiB') } }]);
    // 2025-03 clients may send several at once.
    bridge.send(['a', 'b'].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    const both = await until('the batch', () => bridge.messages.find((one) => Array.isArray(one)));
    expect(both.map((one: { id: string }) => one.id)).toEqual(['a', 'b']);
    bridge.child.stdin?.end();
    expect(await bridge.exited).toBe(0);
    expect(bridge.stderr().trim().split('\n')).toEqual([`Connected to ${host.url}/mcp`]);
  });

  it('that wait are answered before the end of stdin ends the command', async () => {
    const bridge = rawBridge(host);
    for (let id = 1; id <= 600; id++) bridge.send({ jsonrpc: '2.0', id, method: 'ping' });
    bridge.child.stdin?.end();
    expect(await bridge.exited).toBe(0);
    expect(bridge.messages.map((one) => one.id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 600 }, (_, index) => index + 1),
    );
  });

  it('of a cancelled call have no answer, and the next ones have', async () => {
    const bot_id = await deploySlow(host, 'slow-answer');
    const bridge = rawBridge(host);
    const call = { name: 'bot_query', arguments: { bot_id, query_path: '/slow', timeout_sec: 60 } };
    bridge.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: call });
    await lineUntil(host, bot_id, 'asked for something slow');
    await bridge.ask('first', 'ping');
    bridge.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    await bridge.ask('second', 'ping');
    // Nothing is under way any more, or the command would wait for the minute of the call.
    bridge.child.stdin?.end();
    expect(await bridge.exited).toBe(0);
    expect(bridge.messages).toMatchObject([{ id: 'first' }, { id: 'second' }]);
  });
});

it('says what to do while no host runs, and works again once one does', async ({ onTestFinished }) => {
  const own = await testHost(onTestFinished);
  const bot_id = await deploySlow(own, 'lost-answer');
  const bridge = rawBridge(own);
  expect((await bridge.ask(1, 'tools/list')).result.tools).toHaveLength(14);
  const call = { name: 'bot_query', arguments: { bot_id, query_path: '/slow', timeout_sec: 60 } };
  bridge.send({ jsonrpc: '2.0', id: 'lost', method: 'tools/call', params: call });
  await lineUntil(own, bot_id, 'asked for something slow');
  await own.kill();
  expect((await bridge.answer('lost')).error).toMatchObject({
    code: 503,
    message: expect.stringContaining('was lost'),
  });
  const down = (await bridge.ask(3, 'tools/list')).error;
  expect(down.message).toBe('The bot host is not running. Start it with `platform start`, then try again.');
  // Another start has another local key; the bridge finds it.
  await own.start();
  expect((await bridge.ask(4, 'tools/list')).result.tools).toHaveLength(14);
  bridge.child.kill('SIGTERM');
  expect(await bridge.exited).toBe(0);
});

it('starts without a host and says so once', async () => {
  const none = new TestHost();
  const bridge = rawBridge(none);
  const { error } = await bridge.ask(1, 'initialize');
  expect(error.message).toBe('The bot host is not running. Start it with `platform start`, then try again.');
  bridge.child.stdin?.end();
  expect(await bridge.exited).toBe(0);
  expect(bridge.stderr()).toBe('No host runs yet. Start it with `platform start`, then try again.\n');
});

it('names the client of a 2025 handshake in the audit trail', async () => {
  const bridge = rawBridge(host);
  const clientInfo = { name: 'old-timer', version: '0.9' };
  await bridge.ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  await bridge.ask(2, 'tools/call', { name: 'bot_list', arguments: {} });
  bridge.child.stdin?.end();
  await bridge.exited;
  const entry = await until('the audit entry', async () => {
    const { items } = await host.json('audit');
    return items.find((one: { client: string }) => one.client?.startsWith('old-timer/0.9'));
  });
  expect(entry).toMatchObject({ operation: 'mcp bot_list', client: 'old-timer/0.9 (platform mcp)', outcome: 'ok' });
});
