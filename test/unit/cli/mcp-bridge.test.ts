import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type BridgeOptions, runBridge } from '../../../src/cli/mcp-bridge.ts';
import { until } from '../../support/until.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Rig {
  readonly input: PassThrough;
  readonly lines: string[];
  readonly done: Promise<void>;
}

function bridge(url: string, over: Partial<BridgeOptions> = {}): Rig {
  const lines: string[] = [];
  const input = new PassThrough();
  const output = new Writable({
    write(chunk, _, done) {
      lines.push(...String(chunk).trimEnd().split('\n'));
      done();
    },
  });
  const done = runBridge({
    input,
    output,
    path: '/mcp',
    target: async () => ({ url, credential: 'k', local: false }),
    notRunning: () => 'not running',
    userAgent: 'test',
    signal: new AbortController().signal,
    ...over,
  });
  return { input, lines, done };
}

const request = (id: number, method = 'ping'): string => `${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`;
const body = (id: number | null): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });
/** Answers the last request that came with what `text` makes of its id. */
const answering =
  (type: string, text: (id: number) => string, status = 200): RequestListener =>
  (received, response) => {
    let sent = '';
    received.on('data', (chunk) => {
      sent += String(chunk);
    });
    received.on('end', () => {
      response.writeHead(status, { 'content-type': type });
      response.end(text(JSON.parse(sent).id));
    });
  };

describe('answers', () => {
  it('of a stream are copied as they come, one line each, whatever their form', async () => {
    const events = (id: number): string =>
      `: hello\n\ndata: {"method":"notifications/progress"}\n\nevent: message\ndata: {"id":${id},\ndata: "result":{}}\n\n`;
    const { input, lines, done } = bridge(await serve(answering('text/event-stream', events)));
    input.end(request(1));
    await done;
    expect(lines).toEqual(['{"method":"notifications/progress"}', '{"id":1,"result":{}}']);
  });

  it('that end too early are told to whoever waits', async () => {
    const { input, lines, done } = bridge(
      await serve(answering('text/event-stream', () => 'data: {"method":"m"}\n\n')),
    );
    input.end(request(1));
    await done;
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'm' },
      { id: 1, error: { code: 503, message: expect.stringContaining('was lost before it answered') } },
    ]);
  });

  it('of something else than a host are told as such', async () => {
    const url = await serve(answering('text/html', () => '<html>', 404));
    const { input, lines, done } = bridge(url);
    input.end(request(1));
    await done;
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 1, error: { message: expect.stringContaining(url) } });
    expect(lines[0]).toContain('answered 404, but not as a bot host');
  });

  it('without an id get the one of the request', async () => {
    const refusal = (): string => '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}';
    const { input, lines, done } = bridge(await serve(answering('application/json', refusal, 413)));
    input.end(request(7));
    await done;
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: 7, error: { code: -32600 } });
  });
});

describe('what is no answer to the request', () => {
  it.each([
    ['text', '"hello"', 200],
    ['a list', '[1,2]', 200],
    ['an answer to another id', body(2), 200],
    ['a request of the host', '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}', 200],
    ['an object of something else', '{"status":"failed"}', 500],
  ])('is told to whoever waits: %s', async (_, text, status) => {
    const url = await serve(answering('application/json', () => text, status));
    const { input, lines, done } = bridge(url);
    input.end(request(1));
    await done;
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { id: 1, error: { message: expect.stringContaining(`${url} answered ${status}, but not as a bot host`) } },
    ]);
  });

  it('is told in the words of the refusal, where it is one', async () => {
    const refusal = '{"error":{"code":"INTERNAL","message":"Out of order"}}';
    const { input, lines, done } = bridge(await serve(answering('application/json', () => refusal, 500)));
    input.end(request(1));
    await done;
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ id: 1, error: { message: 'Out of order' } }]);
  });

  it('is handed on from a stream, before the answer', async () => {
    const asks = '{"id":1,"method":"sampling/createMessage"}';
    const events = (id: number): string => [asks, body(9), body(id)].map((data) => `data: ${data}\n\n`).join('');
    const { input, lines, done } = bridge(await serve(answering('text/event-stream', events)));
    input.end(request(1));
    await done;
    expect(lines).toEqual([asks, body(1)]);
  });

  it('leaves the answered ones of a batch as they are', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`[${body(2)}]`);
    });
    const { input, lines, done } = bridge(url);
    input.end(`[${request(1).trim()},${request(2).trim()}]\n`);
    await done;
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([[{ id: 2, result: {} }], [{ id: 1, error: {} }]]);
  });
});

it('ends some time after its input when the host hangs, and tells whoever waits', async () => {
  const url = await serve(() => undefined);
  const { input, lines, done } = bridge(url, { finishMs: 20 });
  input.end(request(1) + request(2));
  await done;
  expect(lines.map((line) => JSON.parse(line))).toMatchObject(
    [1, 2].map((id) => ({
      id,
      error: { code: 503, message: expect.stringContaining('did not answer before the end') },
    })),
  );
});

it('ends open subscriptions with its input, and nothing is said about them', async () => {
  let open = 0;
  const url = await serve((_, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"method":"ready"}\n\n');
  });
  const { input, lines, done } = bridge(url);
  input.write(request(1, 'subscriptions/listen'));
  await until('the subscription', () => lines.length === 1);
  input.end();
  await done;
  await until('the end of the connection', () => open === 0);
  expect(lines).toEqual(['{"method":"ready"}']);
});

it('stops reading while the client does not, and loses nothing', async () => {
  const release: (() => void)[] = [];
  const lines: string[] = [];
  let stuck = true;
  const output = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      lines.push(...String(chunk).trimEnd().split('\n'));
      if (stuck) release.push(done);
      else done();
    },
  });
  let received = 0;
  const answer = answering('application/json', body);
  const url = await serve((message, response) => {
    received += 1;
    answer(message, response);
  });
  const { input, done } = bridge(url, { output });
  const all = 2000;
  for (let id = 1; id <= all; id++) input.write(request(id));
  input.end();
  await until('reading to stop', () => input.isPaused());
  expect(received).toBeLessThanOrEqual(256);
  stuck = false;
  for (const next of release.splice(0)) next();
  await done;
  expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(all);
});

it('tries again while a host that was just started does not know its local key yet', async () => {
  let refused = 0;
  const url = await serve((message, response) => {
    const known = message.headers['x-api-key'] === 'new';
    if (!known) refused += 1;
    answering('application/json', body, known ? 200 : 401)(message, response);
  });
  const target = async () => ({ url, credential: refused < 2 ? 'old' : 'new', local: true });
  const { input, lines, done } = bridge(url, { target });
  input.end(request(1));
  await done;
  expect(refused).toBe(2);
  expect(lines).toEqual([body(1)]);
});

describe('a cancelled call', () => {
  const cancel = (requestId: number): string =>
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`;

  it('that waits for its turn is not sent at all', async () => {
    const got: number[] = [];
    const held: (() => void)[] = [];
    const url = await serve((received, response) => {
      let sent = '';
      received.on('data', (chunk) => {
        sent += String(chunk);
      });
      received.on('end', () => {
        const { id } = JSON.parse(sent);
        got.push(id);
        held.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body(id)));
      });
    });
    const { input, lines, done } = bridge(url);
    const ids = Array.from({ length: 300 }, (_, i) => i);
    input.write(`${ids.map((id) => request(id)).join('')}${cancel(280)}`);
    input.end();
    await until('as many as are sent at once', () => held.length === 256);
    for (const answer of held) answer();
    await until('the others', () => held.length === 299);
    for (const answer of held.slice(256)) answer();
    await done;
    expect(got).not.toContain(280);
    expect(lines).toHaveLength(299);
  });

  it('of a batch leaves the answers of its other calls', async () => {
    let answer: () => void = () => undefined;
    const url = await serve((received, response) => {
      received.resume().on('end', () => {
        answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end(`[${body(1)},${body(2)}]`);
      });
    });
    const { input, lines, done } = bridge(url);
    const none = answer;
    input.write(`[${request(1).trim()},${request(2).trim()}]\n`);
    await until('the batch', () => answer !== none);
    input.end(cancel(1));
    await new Promise((resolve) => setImmediate(resolve));
    answer();
    await done;
    expect(lines.map((line) => JSON.parse(line))).toEqual([[JSON.parse(body(2))]]);
  });
});
