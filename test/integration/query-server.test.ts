import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectTo, servesNone } from '../../src/main/host/engine/query-connection.ts';
import { createQueryService, type QueryTarget } from '../../src/main/host/query/query-service.ts';
import { plainStream } from '../support/plain-stream.ts';

const NO_MASK = (text: string): string => text;

/** A server whose callback gets the whole request text and the socket; counts connections. */
async function rawServer(answer: (request: string, socket: Socket) => void) {
  const seen = { connections: 0, requests: [] as string[] };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    seen.connections += 1;
    sockets.add(socket);
    let text = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const head = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (head < 0 || Buffer.byteLength(text.slice(head + 4)) < length) return;
      seen.requests.push(text);
      answer(text, socket);
      text = '';
    });
  });
  const port = await new Promise<number>((done) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      done(typeof address === 'object' && address !== null ? address.port : 0);
    }),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const target: QueryTarget = {
    connect: () => connectTo({ host: '127.0.0.1', port }),
    refreshState: async () => undefined,
    token: null,
    program: {},
    listening: async () => null,
    hasQueryEntry: true,
    mask: NO_MASK,
  };
  return { seen, sockets, target, port, close: () => new Promise((done) => server.close(done)) };
}

function service() {
  const made = createQueryService();
  onTestFinished(() => made.close());
  return made;
}

const query = (path: string, params: Record<string, unknown> = {}, timeoutMs = 5000) => ({ path, params, timeoutMs });
const OK = '{"status":"ok","data":{"price":1.5}}';

describe('what is sent', () => {
  it('is a POST with the parameters in the query string and again as JSON body', async () => {
    const { target, seen } = await rawServer((_text, socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${OK}`));
    await service().realtime(target, query('status list', { limit: 5, name: 'a b&c', deep: { x: [1] }, on: true }));
    const [head = '', body] = (seen.requests[0] ?? '').split('\r\n\r\n');
    const search = 'limit=5&name=a%20b%26c&deep=%7B%22x%22%3A%5B1%5D%7D&on=true';
    expect(head.split('\r\n')[0]).toBe(`POST /status%20list?${search} HTTP/1.1`);
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(JSON.parse(body ?? '')).toEqual({ limit: '5', name: 'a b&c', deep: '{"x":[1]}', on: 'true' });
  });

  it('never leaves for a path that is not one', async () => {
    const { target, seen } = await rawServer((_text, socket) => socket.end());
    for (const path of ['//evil.example/x', '/a/../b', '/a\r\nX: y', 'http://evil.example/', '/%2e%2e/x', '/a?b=c']) {
      await expect(service().realtime(target, query(path))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    }
    expect(seen.connections).toBe(0);
  });
});

describe('servers of all kinds', () => {
  const good: Record<string, (socket: Socket) => void> = {
    'HTTP/1.0 without Content-Length': (socket) =>
      socket.end(`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${OK}`),
    'LF-only header lines': (socket) => socket.end(`HTTP/1.1 200 OK\nContent-Length: ${OK.length}\n\n${OK}`),
    'LF-only and no length': (socket) => socket.end(`HTTP/1.1 200 OK\nContent-Type: application/json\n\n${OK}`),
    'a reset after the complete body': (socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${OK.length}\r\n\r\n${OK}`, () => socket.resetAndDestroy()),
    'a reset after a complete body of unknown length': (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n\r\n${OK}`);
      socket.write('\n', () => setImmediate(() => socket.resetAndDestroy()));
    },
    'an answer in single bytes': (socket) => {
      for (const byte of Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${OK.length}\r\n\r\n${OK}`)) {
        socket.write(Buffer.from([byte]));
      }
    },
    'chunks of any size': (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n`);
      for (const part of OK) socket.write(`1\r\n${part}\r\n`);
      socket.end('0\r\n\r\n');
    },
    'interim responses before the answer': (socket) =>
      socket.end(`HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: ${OK.length}\r\n\r\n${OK}`),
    'a wrong HTTP status': (socket) => socket.end(`HTTP/1.1 500 Oops\r\n\r\n${OK}`),
  };
  it.each(Object.entries(good))('accepts %s', async (_name, answer) => {
    const { target } = await rawServer((_text, socket) => answer(socket));
    expect(await service().realtime(target, query('/status'))).toMatchObject({
      result: { price: 1.5 },
      mode: 'server',
    });
  });

  it('passes on plain JSON of a bot without our SDK', async () => {
    const { target } = await rawServer((_text, socket) =>
      socket.end('HTTP/1.1 200 OK\r\n\r\n{"status":"running","n":1}'),
    );
    expect((await service().realtime(target, query('/'))).result).toEqual({ status: 'running', n: 1 });
  });

  it('names the paths there are when the asked one is not', async () => {
    const body = '{"status":"error","error":"No handler for path: /x","available":["/status","/signals"]}';
    const { target } = await rawServer((_text, socket) => socket.end(`HTTP/1.1 404 Not Found\r\n\r\n${body}`));
    await expect(service().realtime(target, query('/x'))).rejects.toMatchObject({
      code: 'QUERY_PATH_NOT_FOUND',
      hint: 'The bot offers: /status, /signals.',
      details: { path: '/x', available: ['/status', '/signals'] },
    });
  });

  it('passes on the text of a handler that failed, masked', async () => {
    const body = '{"status":"error","error":"key hunter2 is wrong"}';
    const { target } = await rawServer((_text, socket) => socket.end(`HTTP/1.1 500 Error\r\n\r\n${body}`));
    const masked = { ...target, mask: (text: string) => text.replaceAll('hunter2', '********') };
    await expect(service().realtime(masked, query('/x'))).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: 'key ******** is wrong',
    });
  });

  it('does not follow a redirect', async () => {
    const other = await rawServer((_text, socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${OK}`));
    const location = `http://127.0.0.1:${other.port}/`;
    const { target } = await rawServer((_text, socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\n\r\n`),
    );
    await expect(service().realtime(target, query('/x'))).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      details: { status: 302 },
    });
    expect(other.seen.connections).toBe(0);
  });

  it('cuts off an answer without end', async () => {
    const { target } = await rawServer((_text, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n"');
      const more = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    await expect(service().realtime(target, query('/x'))).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: expect.stringContaining('larger than 10485760 bytes'),
    });
  });

  it.each([
    ['half an answer', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"status":"ok",')],
    ['no HTTP at all', (socket: Socket) => socket.end('hello\r\n\r\n')],
    [
      'half a number, which alone is JSON',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n12'),
    ],
    ['nothing', (socket: Socket) => socket.end()],
    ['text that is not JSON', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello')],
  ])('gives QUERY_FAILED for %s', async (_name, answer) => {
    const { target } = await rawServer((_text, socket) => void answer(socket));
    await expect(service().realtime(target, query('/x'))).rejects.toMatchObject({ code: 'QUERY_FAILED' });
  });

  it('gives up after the time-out, also when bytes keep dripping', async () => {
    const { target } = await rawServer((_text, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write(' ')), 20);
    });
    await expect(service().realtime(target, query('/x', {}, 150))).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  });

  it('says who should have answered when nobody listens', async () => {
    const { target, close } = await rawServer(() => undefined);
    await close();
    const ask = (hasQueryEntry: boolean) => service().realtime({ ...target, hasQueryEntry }, query('/x'));
    await expect(ask(true)).rejects.toMatchObject({
      code: 'BOT_NOT_RUNNING',
      message: expect.stringContaining('not listening'),
    });
    await expect(ask(false)).rejects.toMatchObject({
      code: 'BOT_NOT_RUNNING',
      hint: expect.stringContaining('entrypoints.query'),
    });
  });
});

describe('connections', () => {
  it('are kept only where the server offers it', async () => {
    const keep = await rawServer((_text, socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: ${OK.length}\r\n\r\n${OK}`),
    );
    const silent = await rawServer((_text, socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${OK.length}\r\n\r\n${OK}`),
    );
    const queries = service();
    for (const { target } of [keep, silent]) {
      for (let n = 0; n < 3; n++) await queries.realtime(target, query('/status'));
    }
    expect(keep.seen.connections).toBe(1);
    expect(silent.seen.connections).toBe(3);
  });

  it('that went stale are replaced without the client noticing', async () => {
    const { target, seen } = await rawServer((_text, socket) => {
      if (seen.requests.length === 2) socket.resetAndDestroy();
      else socket.write(`HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: ${OK.length}\r\n\r\n${OK}`);
    });
    const queries = service();
    await queries.realtime(target, query('/status'));
    expect((await queries.realtime(target, query('/status'))).result).toEqual({ price: 1.5 });
    expect(seen.requests.length).toBe(3);
  });

  it('work with the server of Node', async () => {
    const server = createHttpServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ status: 'ok', data: request.url }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const target = {
      connect: () => connectTo({ host: '127.0.0.1', port }),
      refreshState: async () => undefined,
      token: null,
      program: {},
      listening: async () => null,
      hasQueryEntry: true,
      mask: NO_MASK,
    };
    const queries = service();
    const all = await Promise.all(Array.from({ length: 40 }, (_, n) => queries.realtime(target, query('/n', { n }))));
    expect(all.map((answer) => answer.result)).toEqual(all.map((_, n) => `/n?n=${n}`));
  });
});

describe('connections', () => {
  const kept = (socket: Socket): void =>
    void socket.write(`HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: ${OK.length}\r\n\r\n${OK}`);

  it('are kept for the program that they were opened to, and for no other at the same place', async () => {
    const { target, seen } = await rawServer((_text, socket) => kept(socket));
    const queries = service();
    for (let n = 0; n < 3; n++) await queries.realtime(target, query('/x'));
    expect(seen.connections).toBe(1);
    await queries.realtime({ ...target, program: {} }, query('/x'));
    expect(seen.connections).toBe(2);
  });

  it('are 16 to one program at most, also while they are being opened', async () => {
    const { target, port } = await rawServer((_text, socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${OK}`));
    const [now, most] = [{ opening: 0 }, { opening: 0 }];
    const connect = async () => {
      now.opening += 1;
      most.opening = Math.max(most.opening, now.opening);
      await setTimeout(20);
      now.opening -= 1;
      return connectTo({ host: '127.0.0.1', port });
    };
    const queries = service();
    await Promise.all(Array.from({ length: 40 }, () => queries.realtime({ ...target, connect }, query('/x'))));
    expect(most.opening).toBe(16);
  });

  it('are kept as many as there are callers', async () => {
    const { target, seen } = await rawServer((_text, socket) => setImmediate(kept, socket));
    const queries = service();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 16 }, () => queries.realtime(target, query('/x'))));
    }
    expect(seen.requests.length).toBe(80);
    expect(seen.connections).toBe(16);
  });

  it('that all went stale cost no query more than one further try', async () => {
    const { target, seen, sockets } = await rawServer((_text, socket) => setImmediate(kept, socket));
    const queries = service();
    const all = () => Promise.all(Array.from({ length: 8 }, () => queries.realtime(target, query('/x'))));
    await all();
    // As when a server ends idle connections in the moment of the next question.
    for (const socket of sockets) socket.once('data', () => socket.resetAndDestroy());
    expect((await all()).map(({ result }) => result)).toEqual(Array.from({ length: 8 }, () => ({ price: 1.5 })));
    expect(seen.connections).toBe(16);
  });

  it.each([20, 300])('leave no caller out where a server serves only four at a time, in %s ms', async (ms) => {
    const waiting: Socket[] = [];
    let working = 0;
    const serve = (socket: Socket): void => {
      working += 1;
      socket.on('data', () => void setTimeout(ms).then(() => kept(socket)));
      socket.once('close', () => {
        working -= 1;
        const next = waiting.shift();
        if (next !== undefined) serve(next);
      });
    };
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      if (working < 4) serve(socket);
      else waiting.push(socket);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { target } = await rawServer(() => undefined);
    const queries = service();
    const asked = { ...target, connect: () => connectTo({ host: '127.0.0.1', port }) };
    for (let round = 0; round < 2; round += 1) {
      const all = await Promise.all(Array.from({ length: 12 }, () => queries.realtime(asked, query('/x'))));
      expect(all.map(({ result }) => result)).toEqual(Array.from({ length: 12 }, () => ({ price: 1.5 })));
    }
  });

  it('that bring an answer that is too large ask for it once', async () => {
    const { target, seen } = await rawServer((_text, socket) => {
      if (seen.requests.length === 1) kept(socket);
      else socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 99999999\r\n\r\n');
    });
    const queries = service();
    await queries.realtime(target, query('/x'));
    await expect(queries.realtime(target, query('/x'))).rejects.toMatchObject({
      message: expect.stringContaining('larger than'),
    });
    expect(seen.requests.length).toBe(2);
  });

  it('end with bytes that nobody has asked for', async () => {
    const { target, seen, sockets } = await rawServer((_text, socket) => kept(socket));
    const queries = service();
    await queries.realtime(target, query('/x'));
    const [socket] = sockets;
    const closed = new Promise((done) => socket?.once('close', done));
    socket?.write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"wrong"');
    await closed;
    expect((await queries.realtime(target, query('/x'))).result).toEqual({ price: 1.5 });
    expect(seen.connections).toBe(2);
  });

  it('that do not come about do not keep a caller beyond his time', async () => {
    const { target } = await rawServer(() => undefined);
    const connect = (): Promise<Duplex> => new Promise(() => undefined);
    const asked = performance.now();
    await expect(service().realtime({ ...target, connect }, query('/x', {}, 100))).rejects.toMatchObject({
      code: 'QUERY_TIMEOUT',
    });
    expect(performance.now() - asked).toBeLessThan(2000);
  });

  it('may be any stream of bytes, which is opened for each query', async () => {
    const { target, port, seen } = await rawServer((_text, socket) => kept(socket));
    const connect = async (): Promise<Duplex> => {
      return plainStream(await connectTo({ host: '127.0.0.1', port }));
    };
    const queries = service();
    for (let n = 0; n < 2; n++)
      expect((await queries.realtime({ ...target, connect }, query('/x'))).result).toEqual({ price: 1.5 });
    expect(seen.connections).toBe(2);
  });

  it('tell why an engine opens none', async () => {
    const { target } = await rawServer(() => undefined);
    const connect = () => Promise.reject(servesNone());
    await expect(service().realtime({ ...target, connect }, query('/x'))).rejects.toMatchObject({
      code: 'BOT_NOT_RUNNING',
    });
  });
});
