import { createServer } from 'node:net';
import { describe, expect, it, type TestContext } from 'vitest';
import { createClient } from '../../../src/cli/client.ts';
import { json, refuse, type SmallHost, smallHost } from './small-host.ts';

const ID = `bot_${'0'.repeat(26)}`;
type Finished = TestContext['onTestFinished'];

async function echo(onTestFinished: Finished): Promise<SmallHost> {
  return smallHost(onTestFinished, (_, response) => json(response, 200, { items: [] }));
}

const clientOf = (host: SmallHost, credential: string | null = 'plat_k') => createClient({ url: host.url, credential });

describe('call', () => {
  it('puts path parameters in the path and the rest of a GET in the query string', async ({ onTestFinished }) => {
    const host = await echo(onTestFinished);
    await clientOf(host).call('logs.get', { bot_id: 'a/b ?#ü', limit: 5, search: 'x&y=1', level: undefined });
    expect(host.seen[0]).toMatchObject({
      method: 'GET',
      url: '/api/v1/bots/a%2Fb%20%3F%23%C3%BC/logs?limit=5&search=x%26y%3D1',
      body: '',
      headers: { 'x-api-key': 'plat_k' },
    });
    expect(host.seen[0]?.headers['content-type']).toBeUndefined();
  });

  it('sends the rest of other methods as JSON', async ({ onTestFinished }) => {
    const host = await echo(onTestFinished);
    await clientOf(host).call('bots.update', { bot_id: ID, name: 'né', config: { a: null } });
    expect(host.seen[0]).toMatchObject({ method: 'PATCH', url: `/api/v1/bots/${ID}` });
    expect(host.seen[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(host.seen[0]?.body ?? '')).toEqual({ name: 'né', config: { a: null } });
    await clientOf(host).call('custom_bots.delete', { name: 'sma', version: '1.0.0' });
    expect(host.seen[1]).toMatchObject({ method: 'DELETE', url: '/api/v1/custom-bots/sma/versions/1.0.0', body: '' });
  });

  it.each(['', '.', '..'])('never lets %j change which address is meant', async (key) => {
    const client = createClient({ url: 'http://127.0.0.1:9', credential: 'k' });
    await expect(client.call('state.get', { bot_id: ID, key })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('asks for the PIN that a call needs, at most three times, and sends what the host made of it', async ({
    onTestFinished,
  }) => {
    const host = await smallHost(onTestFinished, ({ url, body, headers }, response) => {
      if (url === '/api/v1/pin/confirm') {
        if (JSON.parse(body).pin === 'right') json(response, 200, { confirmed_until: '', confirmation: 'pin_1' });
        else refuse(response, 403, { code: 'WRONG_PIN', message: 'wrong', hint: '' });
      } else if (headers['x-platform-confirmation'] === 'pin_1') json(response, 200, { ok: true });
      else refuse(response, 403, { code: 'PIN_REQUIRED', message: 'needed', hint: '' });
    });
    const asking = (...pins: (string | null)[]) =>
      createClient({ url: host.url, credential: 'local', askPin: async () => pins.shift() ?? null });
    const remove = { bot_id: ID, guard_id: 'guard_1' };
    const client = asking('no', 'right');
    expect(await client.call('guards.remove', remove)).toEqual({ ok: true });
    expect(await client.call('guards.remove', remove)).toEqual({ ok: true });
    await expect(asking('1', '2', '3', 'right').call('guards.remove', remove)).rejects.toMatchObject({
      code: 'WRONG_PIN',
    });
    await expect(asking().call('guards.remove', remove)).rejects.toMatchObject({ code: 'PIN_REQUIRED' });
    await expect(clientOf(host).call('guards.remove', remove)).rejects.toMatchObject({ code: 'PIN_REQUIRED' });
  });

  it('gives a query its result and time', async ({ onTestFinished }) => {
    const host = await smallHost(onTestFinished, (_, response) => {
      response.setHeader('x-query-duration-ms', '12.5');
      json(response, 200, { symbol: 'SPY' });
    });
    const answer = await clientOf(host).call('bots.query', { bot_id: ID, path: '/status', params: { limit: '5' } });
    expect(answer).toMatchObject({ result: { symbol: 'SPY' }, duration_ms: 12.5 });
    expect(host.seen[0]).toMatchObject({ method: 'POST', url: `/bot/${ID}/query` });
    expect(JSON.parse(host.seen[0]?.body ?? '')).toEqual({ path: '/status', params: { limit: '5' } });
  });

  it('sends no credential where there is none, and says how to log in', async ({ onTestFinished }) => {
    const host = await smallHost(onTestFinished, (_, response) =>
      refuse(response, 401, { code: 'AUTHENTICATION_REQUIRED', message: 'Authentication required', hint: 'header' }),
    );
    await expect(clientOf(host, null).call('bots.list', {})).rejects.toMatchObject({
      code: 'AUTHENTICATION_REQUIRED',
      hint: `Log in with \`platform auth login --url ${host.url}\`, or set PLATFORM_API_KEY.`,
    });
    expect(host.seen[0]?.headers['x-api-key']).toBeUndefined();
  });

  it('asks for the credential anew for every request', async ({ onTestFinished }) => {
    const host = await echo(onTestFinished);
    let count = 0;
    const client = createClient({
      url: host.url,
      credential: null,
      renew: async () => ({ url: host.url, credential: `key${++count}` }),
    });
    await client.call('bots.list', {});
    const first = host.seen[0]?.headers['x-api-key'];
    await client.call('bots.list', {});
    expect(host.seen[1]?.headers['x-api-key']).not.toBe(first);
  });

  it('ends with the signal', async ({ onTestFinished }) => {
    const stop = new AbortController();
    const host = await smallHost(onTestFinished, () => stop.abort());
    const client = createClient({ url: host.url, credential: 'k', signal: stop.signal });
    await expect(client.call('bots.list', {})).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('errors', () => {
  it('keep code, message, hint, details and request id of the host', async ({ onTestFinished }) => {
    const details = [{ path: 'config.a', message: 'is missing' }];
    const host = await smallHost(onTestFinished, (_, response) =>
      refuse(response, 400, { code: 'INVALID_CONFIG', message: 'config.a: is missing', hint: 'Add it.', details }),
    );
    await expect(clientOf(host).call('bots.list', {})).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: 'config.a: is missing',
      hint: 'Add it.',
      details,
      requestId: 'req_1',
    });
  });

  it.for([
    [200, '<html>Welcome</html>'],
    [404, '<html>Not found</html>'],
    [502, ''],
    [500, '{"error":"text"}'],
    [418, '{"error":{"code":"TEAPOT","message":"x"}}'],
  ] as const)(
    'an answer %s that is not of a host (%s) is said to be that',
    async ([status, body], { onTestFinished }) => {
      const host = await smallHost(onTestFinished, (_, response) => void response.writeHead(status).end(body));
      await expect(clientOf(host).call('bots.list', {})).rejects.toMatchObject({
        code: 'HOST_UNREACHABLE',
        message: `${host.url} answered ${status}, but not as a Bot Platform host`,
      });
    },
  );

  it('HOST_UNREACHABLE says how to start one', async () => {
    // A port that was free a moment ago.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const client = createClient({ url: `http://127.0.0.1:${port}`, credential: 'k' });
    await expect(client.call('bots.list', {})).rejects.toMatchObject({
      code: 'HOST_UNREACHABLE',
      message: `No host answers at http://127.0.0.1:${port}`,
      hint: expect.stringContaining('Start it with `platform start`'),
    });
  });

  it('a connection that breaks in the answer is unreachable, too', async ({ onTestFinished }) => {
    const host = await smallHost(onTestFinished, (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"items":', () => response.destroy());
    });
    await expect(clientOf(host).call('bots.list', {})).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
  });

  it('follows no redirect: the key would go elsewhere', async ({ onTestFinished }) => {
    const other = await echo(onTestFinished);
    const host = await smallHost(
      onTestFinished,
      (_, response) => void response.writeHead(307, { location: `${other.url}/api/v1/bots` }).end(),
    );
    await expect(clientOf(host).call('bots.list', {})).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    expect(other.seen).toEqual([]);
  });

  it('a key with characters that cannot be sent is named as the fault', async () => {
    const client = createClient({ url: 'http://127.0.0.1:9', credential: 'plat_a\nb' });
    await expect(client.call('bots.list', {})).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  });
});

describe('botId', () => {
  const BOTS = [
    { bot_id: `bot_a${'0'.repeat(25)}`, name: 'sma live' },
    { bot_id: `bot_b${'0'.repeat(25)}`, name: 'sma' },
    { bot_id: `bot_c${'0'.repeat(25)}`, name: 'portfolio' },
  ];
  const withBots = (finished: Finished) => smallHost(finished, (_, response) => json(response, 200, { items: BOTS }));

  it('takes an exact id as it is, without asking', async ({ onTestFinished }) => {
    const host = await withBots(onTestFinished);
    expect(await clientOf(host).botId(ID)).toBe(ID);
    expect(host.seen).toEqual([]);
  });

  it('finds by name, by prefix of the name and of the id', async ({ onTestFinished }) => {
    const client = clientOf(await withBots(onTestFinished));
    expect(await client.botId('sma')).toBe(BOTS[1]?.bot_id);
    expect(await client.botId('sma l')).toBe(BOTS[0]?.bot_id);
    expect(await client.botId('Port')).toBe(BOTS[2]?.bot_id);
    expect(await client.botId('bot_c')).toBe(BOTS[2]?.bot_id);
  });

  it('refuses what is none or several', async ({ onTestFinished }) => {
    const client = clientOf(await withBots(onTestFinished));
    await expect(client.botId('nope')).rejects.toMatchObject({ code: 'BOT_NOT_FOUND', message: 'Bot not found' });
    await expect(client.botId('')).rejects.toMatchObject({ code: 'BOT_NOT_FOUND' });
    await expect(client.botId('s')).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/sma live \(bot_a0+\), sma \(bot_b0+\)/),
    });
  });
});
