import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bare,
  dataOf,
  events,
  fastAsking,
  JSON_HEADERS,
  META,
  makeKey,
  message,
  modern,
  post,
  SEED_TOOLS,
  STREAMS,
} from '../../support/mcp.ts';
import { TestHost } from '../../support/platform.ts';
import { rawExchange } from '../../support/raw-http.ts';
import { publish } from '../../support/tiny-bot.ts';

/**
 * The transport of POST /mcp as clients of every kind see it: one host, one key, raw requests. Refusals before that are
 * in check-origin.test.ts.
 */
const host = new TestHost();
let key = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host);
  const idle = { name: 'tiny-idle', bot: 'setInterval(() => {}, 60_000);\n' };
  expect((await publish(host, idle)).status).toBe(201);
});
afterAll(() => host.stop());

const url = (): string => `${host.url}/mcp`;
const send = (body: string | Uint8Array, headers: Record<string, string> = JSON_HEADERS) =>
  post(url(), body, { 'x-api-key': key, ...headers });
const ask = (body: unknown, headers: Record<string, string> = {}) => bare(host, key, body, headers);
const list = () => message('tools/list');
const callOf = (name: string, args: unknown = {}) => message('tools/call', { name, arguments: args });
const names = (answer: { tools: { name: string }[] }): string[] => answer.tools.map(({ name }) => name);
const askModern = (
  { body, headers }: { body: unknown; headers: Record<string, string> },
  change: Record<string, string | undefined> = {},
) => {
  const all = Object.entries({ 'x-api-key': key, ...headers, ...change });
  return post(
    url(),
    JSON.stringify(body),
    Object.fromEntries(all.flatMap(([k, v]) => (v === undefined ? [] : [[k, v]]))),
  );
};
const deployment = (name: string) => ({
  config: { name, type: 'realtime/tiny-idle', version: '1.0.0', enabled: false },
});

describe('a curl with two headers', () => {
  it('lists the 14 tools in order, as it stands', async () => {
    const { stdout } = await promisify(execFile)('curl', [
      ...['-s', '-X', 'POST', url()],
      ...['-H', `x-api-key: ${key}`, '-H', 'Content-Type: application/json'],
      ...['-d', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
    ]);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ jsonrpc: '2.0', id: 1 });
    expect(names(answer.result)).toEqual(SEED_TOOLS);
    expect(Buffer.byteLength(stdout)).toBeLessThan(16_384);
  });

  it('works byte by byte over a plain socket, with no other header', async () => {
    const body = JSON.stringify(list());
    const { host: name } = new URL(host.url);
    const lines = [`Host: ${name}`, `x-api-key: ${key}`, 'Content-Type: application/json', 'Connection: close'];
    const heard = await rawExchange(
      host.url,
      `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const [head = '', answer = ''] = heard.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(names(JSON.parse(answer).result)).toEqual(SEED_TOOLS);
  });
});

describe('a client without a handshake', () => {
  it.each([
    ['no Accept', {}],
    ['*/*', { accept: '*/*' }],
    ['JSON only', { accept: 'application/json' }],
    ['JSON and event streams', STREAMS],
    ['event streams only', { accept: 'text/event-stream' }],
  ])('is answered with JSON whatever it accepts: %s', async (_, headers) => {
    const answer = await ask(list(), headers);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['mcp-session-id']).toBeUndefined();
    expect(names(answer.json().result)).toEqual(SEED_TOOLS);
  });

  it('calls a tool at once', async () => {
    const answer = await ask(callOf('auth_status'));
    expect(answer.status).toBe(200);
    expect(dataOf(answer.json().result)).toMatchObject({ authenticated: true });
  });

  it('takes a body whose type says its character set', async () => {
    expect((await ask(list(), { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  it.each(['a text', 7, 0, -1, 1.5])('gets its own id back: %s', async (id) => {
    expect((await ask({ jsonrpc: '2.0', id, method: 'ping' })).json()).toEqual({ jsonrpc: '2.0', id, result: {} });
  });
});

describe('a 2025 client', () => {
  const hello = (protocolVersion: string) =>
    message('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } });

  it.each([
    ['2025-11-25', {}],
    ['2025-06-18', STREAMS],
    ['2025-03-26', { accept: '*/*' }],
    ['2024-11-05', STREAMS],
  ])('of revision %s is greeted in it, with any Accept', async (version, headers) => {
    const answer = await ask(hello(version), headers);
    expect(answer.status).toBe(200);
    expect(answer.headers['mcp-session-id']).toBeUndefined();
    expect(answer.json().result).toMatchObject({
      protocolVersion: version,
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      serverInfo: { name: 'bot-platform', title: 'Bot Platform' },
      instructions: expect.stringContaining('bot_list'),
    });
  });

  it('of an unknown revision is offered the newest', async () => {
    expect((await ask(hello('1999-01-01'))).json().result.protocolVersion).toBe('2025-11-25');
  });

  it('goes on with the revision in a header', async () => {
    expect((await ask(list(), { ...STREAMS, 'mcp-protocol-version': '2025-11-25' })).status).toBe(200);
  });

  it('is refused with a revision in the header that nobody knows', async () => {
    const answer = await ask(list(), { ...STREAMS, 'mcp-protocol-version': '2025-01-01' });
    expect(answer.status).toBe(400);
    expect(answer.json().error).toMatchObject({
      code: -32600,
      message: 'Unsupported MCP-Protocol-Version: 2025-01-01',
      data: { supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] },
    });
  });

  it('with the session id of a host that is gone is answered all the same', async () => {
    const answer = await ask(list(), { ...STREAMS, 'mcp-session-id': '0b5c1e7e-dead-4000-8000-000000000000' });
    expect(answer.status).toBe(200);
    expect(names(answer.json().result)).toEqual(SEED_TOOLS);
  });

  it.each([
    ['without Accept', {}],
    ['with Accept', STREAMS],
  ])('gets nothing back for a notification, %s', async (_, headers) => {
    const answer = await ask({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  it('that asks for progress and takes streams is told of it, then answered', async () => {
    const body = message('tools/call', {
      name: 'bot_deploy',
      arguments: deployment('watched'),
      _meta: { progressToken: 'p1' },
    });
    const answer = await ask(body, STREAMS);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    const seen = events(answer.text);
    const steps = seen.filter((one) => one.method === 'notifications/progress').map((one) => one.params);
    expect(steps).toEqual([
      { progressToken: 'p1', progress: 1, total: 3, message: 'Checking the settings' },
      { progressToken: 'p1', progress: 2, total: 3, message: 'Starting' },
      { progressToken: 'p1', progress: 3, total: 3, message: expect.stringContaining('The bot is') },
    ]);
    const { id, result } = seen.at(-1) as { id: unknown; result: object };
    expect(id).toBe(body.id);
    expect(dataOf(result)).toMatchObject({ name: 'watched' });
  });

  it('that asks for progress and takes no streams is answered with JSON', async () => {
    const body = message('tools/call', { name: 'bot_list', arguments: {}, _meta: { progressToken: 1 } });
    const answer = await ask(body, { accept: 'application/json' });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(dataOf(answer.json().result).bots).toBeInstanceOf(Array);
  });
});

describe('a batch', () => {
  it('of requests is answered one by one, in order', async () => {
    const answer = await ask([message('ping'), callOf('bot_list'), message('nothing/here')]);
    expect(answer.status).toBe(200);
    const [ping, bots, unknown] = answer.json();
    expect(ping.result).toEqual({});
    expect(dataOf(bots.result).count).toBeTypeOf('number');
    expect(unknown.error.code).toBe(-32601);
  });

  it('of notifications only is answered with nothing', async () => {
    const answer = await ask([{ jsonrpc: '2.0', method: 'notifications/cancelled' }]);
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  it('answers its requests and not its notifications', async () => {
    const answer = await ask([{ jsonrpc: '2.0', method: 'notifications/x' }, message('ping'), 5]);
    expect(answer.json()).toEqual([
      { jsonrpc: '2.0', id: expect.anything(), result: {} },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request' } },
    ]);
  });

  it.each([
    ['empty', 0],
    ['of 51', 51],
  ])('is refused as a whole: %s', async (_, count) => {
    const answer = await ask(Array.from({ length: count }, () => message('ping')));
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ id: null, error: { code: -32600 } });
  });
});

describe('a message that is none', () => {
  it.each([
    ['id null', { jsonrpc: '2.0', id: null, method: 'tools/list' }],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'tools/list' }],
    ['no jsonrpc', { id: 1, method: 'tools/list' }],
    ['jsonrpc 1.0', { jsonrpc: '1.0', id: 1, method: 'tools/list' }],
    ['no method', { jsonrpc: '2.0', id: 1 }],
    ['a text', 'tools/list'],
    ['null', null],
  ])('is refused with 400 and -32600: %s', async (_, body) => {
    const answer = await ask(body);
    expect(answer.status).toBe(400);
    expect(answer.json().error.code).toBe(-32600);
  });

  it.each([
    ['no JSON', '{"jsonrpc": "2.0", "id": 1,'],
    ['an empty body', ''],
    ['bytes that are no UTF-8', Buffer.from('"\xff"', 'latin1')],
  ])('is refused with 400 and -32700: %s', async (_, body) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } });
  });

  it('nested without end is refused', async () => {
    const answer = await send(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(answer.status).toBe(400);
    expect(answer.json().error.code).toBe(-32600);
  });
});

describe('what a request may get wrong', () => {
  it('an unknown method is -32601', async () => {
    const answer = await ask(message('tools/destroy'));
    expect(answer.status).toBe(200);
    expect(answer.json().error).toEqual({
      code: -32601,
      message: 'Method not found',
      data: { method: 'tools/destroy' },
    });
  });

  it.each(['constructor', '__proto__', 'toString'])('the method %s is none', async (method) => {
    expect((await ask(message(method))).json().error.code).toBe(-32601);
  });

  it('an unknown tool is -32602, with those there are', async () => {
    const { error } = (await ask(callOf('bot_explode'))).json();
    expect(error).toEqual({ code: -32602, message: 'Unknown tool: bot_explode', data: { known: SEED_TOOLS } });
  });

  it.each([[[1]], ['x'], [null], [7]])('arguments that are no object are -32602: %j', async (args) => {
    expect((await ask(callOf('bot_list', args))).json().error.code).toBe(-32602);
  });

  it.each([
    ['a wrong type', { bot_id: 7 }, 'bot_id'],
    ['out of range', { bot_id: 'x', limit: 501 }, 'limit'],
    ['missing', {}, 'bot_id'],
    ['unknown', { bot_id: 'x', lines: 5 }, 'Allowed: bot_id, date, date_range, limit'],
  ])('an argument that is wrong is an answer that the model can act on: %s', async (_, args, says) => {
    const answer = await ask(callOf('logs_get', args));
    expect(answer.status).toBe(200);
    const { result } = answer.json();
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toBe('Invalid arguments for logs_get');
    expect(result.content[1].text).toContain(says);
  });

  it('a bot that is not there: the promised words, then how to go on', async () => {
    const { result } = (await ask(callOf('bot_get', { bot_id: 'bot_nowhere' }))).json();
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toBe('Bot not found');
    expect(result.content[1].text).toContain('bot_list');
  });

  it('a custom bot that is not there: the promised words, then what there is', async () => {
    const { result } = (await ask(callOf('custom_bot_get', { name: 'nothing' }))).json();
    expect(result.content[0].text).toBe('Custom bot not found');
    expect(result.content[1].text).toContain('tiny-idle (1.0.0)');
  });

  it('a resource or prompt that is not there is -32602', async () => {
    const resource = (await ask(message('resources/read', { uri: 'platform://bots/nowhere' }))).json();
    expect(resource.error).toMatchObject({ code: -32602, data: { uri: 'platform://bots/nowhere' } });
    expect((await ask(message('prompts/get', { name: 'nothing' }))).json().error.code).toBe(-32602);
  });
});

describe('a 2026-07-28 client', () => {
  it('discovers the endpoint without a handshake', async () => {
    const answer = await askModern(modern('server/discover'));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const { result } = answer.json();
    expect(result.supportedVersions).toContain('2026-07-28');
    expect(result.capabilities).toMatchObject({ tools: {}, resources: { subscribe: true }, prompts: {} });
    expect(result.instructions).toContain('bot_list');
  });

  it('lists the 14 tools in order, and may keep them for itself', async () => {
    const { result } = (await askModern(modern('tools/list'))).json();
    expect(names(result)).toEqual(SEED_TOOLS);
    expect(result).toMatchObject({ cacheScope: 'private', ttlMs: 300_000 });
  });

  it('calls a tool', async () => {
    const answer = await askModern(modern('tools/call', { name: 'bot_list', arguments: {} }));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json().result).toMatchObject({ resultType: 'complete' });
    expect(dataOf(answer.json().result)).toMatchObject({ truncated: false });
  });

  it.each([undefined, '*/*', 'application/json'])('is answered with any Accept: %s', async (accept) => {
    const answer = await askModern(modern('tools/list'), { accept });
    expect(answer.status).toBe(200);
    expect(names(answer.json().result)).toEqual(SEED_TOOLS);
  });

  it('is told of progress on a stream', async () => {
    const params = { name: 'bot_deploy', arguments: deployment('watched modern') };
    const one = modern('tools/call', params, { progressToken: 5 });
    const answer = await askModern(one);
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    const seen = events(answer.text);
    expect(seen.filter(({ method }) => method === 'notifications/progress')).toHaveLength(3);
    const { id, result } = seen.at(-1) as { id: unknown; result: object };
    expect(id).toBe(one.body.id);
    expect(dataOf(result)).toMatchObject({ name: 'watched modern' });
  });

  it.each([
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no method', { 'mcp-method': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['no name', { 'mcp-name': undefined }],
    ['another name', { 'mcp-name': 'bot_get' }],
  ])('is refused with -32020 when its headers do not say what its body says: %s', async (_, change) => {
    const answer = await askModern(modern('tools/call', { name: 'bot_list', arguments: {} }), change);
    expect(answer.status).toBe(400);
    expect(answer.json().error.code).toBe(-32020);
  });

  it('is refused with -32602 without its envelope', async () => {
    const { headers } = modern('tools/list');
    const answer = await askModern({ body: list(), headers });
    expect(answer.status).toBe(400);
    expect(answer.json().error.code).toBe(-32602);
  });

  it('of a revision to come is told which there are', async () => {
    const one = modern('tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' });
    const answer = await askModern(one, { 'mcp-protocol-version': '2027-01-01' });
    expect(answer.status).toBe(400);
    expect(answer.json().error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } });
  });

  it.each(['ping', 'logging/setLevel', 'resources/subscribe', 'nothing/here'])(
    'is told with 404 that there is no %s',
    async (method) => {
      const answer = await askModern(modern(method));
      expect(answer.status).toBe(404);
      expect(answer.json().error.code).toBe(-32601);
    },
  );

  it('sends notifications that are taken and not answered', async () => {
    const { headers } = modern('notifications/cancelled');
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: META } };
    const answer = await askModern({ body, headers });
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  it('gets -32602 for an unknown tool', async () => {
    const answer = await askModern(modern('tools/call', { name: 'bot_explode', arguments: {} }));
    expect(answer.json().error).toMatchObject({ code: -32602, message: 'Unknown tool: bot_explode' });
  });
});
