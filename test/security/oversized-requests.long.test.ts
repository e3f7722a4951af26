import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { hostHere } from '../support/host-here.ts';
import { fastAsking } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { type RawAnswer, rawExchange, rawRequest } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

/**
 * S12: bodies, headers, frames and connections that mean harm are refused with the status for it, and the memory of the host
 * stays flat, whether a sender has a key or not. Single bodies are in test/integration/http.test.ts and
 * test/integration/mcp/guards.long.test.ts.
 */
const host = new TestHost();
let port = 0;
/** Open files of the host before anybody is connected. */
let quiet = 0;
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  port = Number(new URL(host.url).port);
  quiet = handles();
});
afterAll(() => host.stop());

const opened: { destroy(): unknown }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.destroy();
});

const MIB = 2 ** 20;
const memory = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, 'utf8'))?.[1]) / 1024;
const handles = (): number => readdirSync(`/proc/${host.pid}/fd`).length;
const own = (): string => `Host: 127.0.0.1:${port}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const auth = () => ({ authorization: `Bearer ${host.token}` });
const isUp = async (): Promise<void> => expect((await rawRequest(`${host.url}/healthz`)).status).toBe(200);

/** A connection that keeps its side open whatever the host does. */
async function open(text = ''): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  opened.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

/** Sends until the host accepts no more, or `bytes` were sent; resolves with their number. */
async function push(socket: Socket, chunk: Buffer, bytes: number, enough = (): boolean => false): Promise<number> {
  let sent = 0;
  let stuck = 0;
  while (sent < bytes && !socket.destroyed && stuck < 20 && !enough()) {
    sent += chunk.length;
    if (socket.write(chunk)) continue;
    const taken = await Promise.race([happens(socket, 'drain'), later(50)]);
    stuck = taken ? 0 : stuck + 1;
  }
  return sent;
}
const later = (ms: number): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), ms));
/** As once(), for a connection that may be reset meanwhile. */
const happens = (socket: Socket, what: 'drain' | 'close'): Promise<true> =>
  new Promise((resolve) => socket.once(what, () => resolve(true)));

describe('what two readers could read in two ways', () => {
  const body = 'POST /api/v1/auth/login HTTP/1.1\r\n';
  const hidden = (): string => `GET /healthz HTTP/1.1\r\n${own()}\r\n`;
  const SHAPES: Readonly<Record<string, () => string>> = {
    'a length and chunks': () =>
      `${body}${own()}${JSON_TYPE}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden()}`,
    'two lengths': () => `${body}${own()}${JSON_TYPE}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${hidden()}`,
    'a length twice in one line': () => `${body}${own()}${JSON_TYPE}Content-Length: 2, 2\r\n\r\n{}${hidden()}`,
    'a length with a sign': () => `${body}${own()}${JSON_TYPE}Content-Length: +2\r\n\r\n{}${hidden()}`,
    'a length beyond all numbers': () => `${body}${own()}${JSON_TYPE}Content-Length: 99999999999999999999\r\n\r\n{}`,
    'chunks that are not': () => `${body}${own()}${JSON_TYPE}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden()}`,
    'chunks, then something else': () =>
      `${body}${own()}${JSON_TYPE}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden()}`,
    'chunks in a folded line': () =>
      `${body}${own()}${JSON_TYPE}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${hidden()}`,
    'chunks with a space before the colon': () =>
      `${body}${own()}${JSON_TYPE}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden()}`,
    'a chunk with another size': () =>
      `${body}${own()}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n${hidden()}`,
    'a chunk that ends with a line feed': () =>
      `${body}${own()}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${hidden()}`,
    'lines that end with a line feed': () => `GET /healthz HTTP/1.1\nHost: 127.0.0.1:${port}\n\n${hidden()}`,
    'a carriage return in a header': () => `GET /healthz HTTP/1.1\r\n${own()}X: a\rY: b\r\n\r\n${hidden()}`,
    'a NUL in a header': () => `GET /healthz HTTP/1.1\r\n${own()}X: a\0b\r\n\r\n${hidden()}`,
    'the greeting of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  };

  it('is refused as a whole, and the connection ends', async () => {
    for (const [what, make] of Object.entries(SHAPES)) {
      const heard = await rawExchange(host.url, make());
      expect([what, heard.slice(0, 12), heard.match(/HTTP\/1\.1 \d/g)?.length]).toEqual([what, 'HTTP/1.1 400', 1]);
      expect(heard.toLowerCase()).toContain('connection: close');
    }
    const tried = Object.keys(SHAPES).length;
    await prove('S12', 'requests that two readers could read in two ways', { tried, refused: tried }, 'S12-shapes');
  });
});

describe('a body', () => {
  const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;
  const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<RawAnswer> =>
    rawRequest(`${host.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...auth(), ...headers },
      body,
    });

  it('that is nested a hundred thousand deep is refused by every surface', async () => {
    for (const path of ['/mcp', '/api/v1/bots', '/bot/x/query', '/api/v1/custom-bots/validate', '/api/v1/auth/login']) {
      const body = path === '/api/v1/auth/login' ? deep.slice(1e5 - 5000, 1e5 + 5000) : deep;
      const answer = await post(path, `{"jsonrpc":"2.0","id":1,"method":"ping","params":${body}}`);
      expect([path, answer.status]).toEqual([path, path === '/bot/x/query' ? 413 : 400]);
    }
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/socket`, { headers: auth() });
    await once(socket, 'open');
    socket.send(`{"id":1,"call":"state.set","input":{"bot_id":"x","key":"k","value":${deep}}}`);
    const [data] = await once(socket, 'message');
    expect(JSON.parse(String(data)).error).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('nested'),
    });
    socket.close();
  });

  it('that is packed is not unpacked, and one key given twice means one thing to all', async () => {
    const packed = gzipSync(Buffer.alloc(64 * MIB, 32));
    for (const path of ['/mcp', '/api/v1/bots', '/api/v1/auth/login']) {
      const answer = await post(path, packed, { 'content-encoding': 'gzip' });
      expect([path, answer.status]).toEqual([path, path === '/api/v1/auth/login' ? 413 : 400]);
    }
    const twice = '{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list"}';
    expect((await post('/mcp', twice)).json().result.tools.length).toBe(14);
  });

  it('of 100 MB is refused with 413 while it comes, with a key and without, and memory stays flat', async () => {
    const before = memory();
    for (const path of ['/mcp', '/api/v1/bots', '/api/v1/auth/login']) {
      for (const key of [`Authorization: Bearer ${host.token}\r\n`, '']) {
        const socket = await open(
          `POST ${path} HTTP/1.1\r\n${own()}${key}${JSON_TYPE}Content-Length: 100000000\r\n\r\n`,
        );
        let heard = '';
        socket.setEncoding('latin1').on('data', (text) => {
          heard += text;
        });
        await push(socket, Buffer.alloc(MIB, 97), 100_000_000, () => heard !== '');
        await until('an answer', () => heard !== '');
        const status = key === '' && path !== '/api/v1/auth/login' ? 401 : 413;
        expect([path, key === '', heard.slice(0, 12)]).toEqual([path, key === '', `HTTP/1.1 ${status}`]);
        socket.destroy();
      }
    }
    const grown = memory() - before;
    expect(grown).toBeLessThan(100);
    await prove('S12', 'bodies of 100 MB', { sent: 6, 'memory, MiB more': Math.round(grown) }, 'S12-bodies');
  });

  it('of a stranger is not kept: 150 of them with megabytes that never end', async () => {
    const before = memory();
    const megabytes = 'a'.repeat(3.5 * MIB);
    for (let n = 0; n < 150; n++)
      await open(`POST /mcp HTTP/1.1\r\n${own()}${JSON_TYPE}Content-Length: 4000000\r\n\r\n"${megabytes}`);
    await isUp();
    expect(memory() - before).toBeLessThan(150);
  });

  it('and headers that do not come in time end their connection, with 408', async ({ onTestFinished }) => {
    const slow = await hostHere(onTestFinished, 'process', undefined, { requestMs: 300 });
    const { host: name } = new URL(slow.url);
    const begun = [
      `POST /api/v1/auth/login HTTP/1.1\r\nHost: ${name}\r\n${JSON_TYPE}Content-Length: 100\r\n\r\n{`,
      `POST /mcp HTTP/1.1\r\nHost: ${name}\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
      `GET / HTTP/1.1\r\nHost: ${name}\r\nX-Slow: `,
      'G',
    ];
    for (const text of begun) expect(await rawExchange(slow.url, text)).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe('connections', () => {
  it('a thousand that say nothing, or half of something, cost little and keep nobody out', async () => {
    const before = memory();
    for (let n = 0; n < 1000; n++) await open(n % 2 === 0 ? '' : `GET / HTTP/1.1\r\n${own()}X: ${'a'.repeat(8000)}`);
    await isUp();
    const grown = memory() - before;
    expect(grown).toBeLessThan(80);
    await prove(
      'S12',
      'connections that say nothing',
      { open: 1000, 'memory, MiB more': Math.round(grown) },
      'S12-idle',
    );
  });

  it('that were refused are closed, also by a peer that does not close', async () => {
    await until('those from before to be gone', () => handles() <= quiet + 5, 30_000);
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    const answers: Promise<unknown>[] = [];
    for (let n = 0; n < 60; n++) {
      const socket = await open(
        n % 2 === 0 ? `GET /api/v1/socket HTTP/1.1\r\nHost: evil.example\r\n${upgrade}\r\n` : 'garbage\r\n\r\n',
      );
      answers.push(once(socket, 'data'));
    }
    await Promise.all(answers);
    await until('the host to let go of them', () => handles() <= quiet + 5, 30_000);
  });

  it('that ask without reading get no more than they read: requests in a row', async () => {
    const before = memory();
    const socket = await open();
    socket.pause();
    // 90 of them are few enough to wait, and their answers would be tens of megabytes.
    for (let n = 0; n < 90; n++) socket.write(`GET /api/v1/openapi.json HTTP/1.1\r\n${own()}\r\n`);
    await isUp();
    const many = await open();
    many.pause();
    const flood = Buffer.from(`GET /api/v1/openapi.json HTTP/1.1\r\n${own()}\r\n`.repeat(1000));
    const ended = happens(many, 'close');
    many.resume();
    await push(many, flood, 20 * MIB);
    await ended;
    expect(memory() - before).toBeLessThan(100);
    // Those that wait are answered in their order once they are read.
    let answers = 0;
    socket.setEncoding('latin1').on('data', (text) => {
      answers += String(text).split('HTTP/1.1 200 OK').length - 1;
    });
    socket.resume();
    await until('all answers', () => answers >= 89);
  });

  it('that ask without reading get no more than they read: frames and pings', async () => {
    for (const [what, send] of [
      ['refused calls', (socket: WebSocket) => socket.send('{"id":1,"call":"nothing","input":{}}')],
      ['pings', (socket: WebSocket) => socket.ping(Buffer.alloc(125))],
    ] as const) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/socket`, { headers: auth() });
      opened.push({ destroy: () => socket.terminate() });
      await once(socket, 'open');
      socket.on('error', () => undefined);
      socket.pause();
      const before = memory();
      for (let n = 0; n < 300 && socket.readyState === socket.OPEN; n++) {
        for (let m = 0; m < 1000; m++) send(socket);
        await new Promise(setImmediate);
        for (let waited = 0; socket.bufferedAmount > 8 * MIB && waited < 100; waited++) await later(10);
      }
      await isUp();
      expect([what, memory() - before < 60]).toEqual([what, true]);
      if (what === 'refused calls') {
        socket.resume();
        await until('the end of who reads no refusal', () => socket.readyState === socket.CLOSED, 60_000);
      }
      socket.terminate();
    }
  });

  it('a frame over the limit ends its connection', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/socket`, { headers: auth() });
    await once(socket, 'open');
    socket.on('error', () => undefined);
    socket.send('x'.repeat(2 * MIB));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1009);
    await isUp();
  });

  it('a key holds 128 streams open and no more', async () => {
    const streams: Promise<number>[] = [];
    for (let n = 0; n < 130; n++) {
      const text = `GET /api/v1/events HTTP/1.1\r\n${own()}Authorization: Bearer ${host.token}\r\n\r\n`;
      const socket = await open(text);
      streams.push(once(socket, 'data').then(([data]) => Number(String(data).slice(9, 12))));
    }
    const statuses = await Promise.all(streams);
    expect(statuses.filter((status) => status === 200).length).toBe(128);
    expect(statuses.filter((status) => status === 429).length).toBe(2);
    for (const one of opened.splice(0)) one.destroy();
    await until('room for one again', async () => {
      const socket = await open(`GET /api/v1/events HTTP/1.1\r\n${own()}Authorization: Bearer ${host.token}\r\n\r\n`);
      const [data] = await once(socket, 'data');
      return String(data).startsWith('HTTP/1.1 200');
    });
  });
});
