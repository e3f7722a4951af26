import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort, startProgram } from '../../support/child-program.ts';
import { compile } from '../../support/compile.ts';
import { ROOT } from '../../support/platform.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { tempDir } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { startWarm } from '../../support/warm-program.ts';

const PATHS = [
  '/broken',
  '/config',
  '/echo',
  '/environment',
  '/numbers',
  '/odd',
  '/release',
  '/wait',
  '/waiting',
  '/write',
];
const program = join(tempDir('sdk-server-'), 'server');

beforeAll(async () => {
  const flags = ['-std=c++20', '-O0', '-Wall', '-Wextra', '-Werror', '-pthread'];
  const source = join(ROOT, 'test/fixtures/sdk/server.cpp');
  await compile(source, program, flags);
});

function prepare(env: Record<string, string>) {
  const dir = tempDir('sdk-server-run-');
  const state = join(dir, 'state');
  mkdirSync(state);
  const given = {
    BOT_ID: 'bot_1',
    BOT_CONFIG: '{"symbol":"SPY"}',
    STATE_DIR: state,
    RESULT_FILE: join(dir, 'result.json'),
    ...env,
  };
  return { dir, state, answer: join(dir, 'query.json'), options: { cwd: dir, env: given } };
}

function start(env: Record<string, string>, args: readonly string[] = []) {
  const { options, ...rest } = prepare(env);
  if ('QUERY_PATH' in env) Object.assign(options.env, { QUERY_RESULT_FILE: rest.answer });
  return { ...startProgram(program, args, options), ...rest };
}

function wait(args: readonly string[] = []) {
  const { options, ...rest } = prepare({});
  Object.assign(options.env, { QUERY_RESULT_FILE: rest.answer });
  return { ...startWarm(program, args, options), ...rest };
}

/** A running query server with ways to talk to it. */
async function serve() {
  const port = await freePort();
  const run = start({ QUERY_PORT: String(port) });
  const ask = (path: string, body?: string) =>
    rawRequest(`http://127.0.0.1:${port}${path}`, body === undefined ? {} : { method: 'POST', body });
  await until('the server to answer', () => ask('/health').catch(() => null));
  const open = (): Socket => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => socket.destroy());
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  /** Everything the server says to these bytes until it ends the connection. */
  const say = (bytes: string | Buffer) => heard(open(), bytes);
  return { ...run, ask, open, say };
}

async function heard(socket: Socket, bytes: string | Buffer = ''): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  socket.write(bytes);
  socket.once('end', () => socket.end());
  await once(socket, 'close');
  return text;
}

describe('answers', () => {
  it('are the envelopes of the contract', async () => {
    const { ask } = await serve();
    const seen = async (path: string) => {
      const { status, text, headers } = await ask(path);
      return [status, text, headers.connection, headers['content-type']];
    };
    const rest = ['close', 'application/json'];
    const paths = JSON.stringify(PATHS);
    expect(await seen('/config')).toEqual([200, '{"status":"ok","data":{"symbol":"SPY"}}', ...rest]);
    expect(await seen('/health')).toEqual([200, '{"status":"ok","data":{"status":"healthy"}}', ...rest]);
    expect(await seen('/info')).toEqual([200, `{"status":"ok","data":{"available_queries":${paths}}}`, ...rest]);
    const missing = `{"status":"error","error":"No handler for path: /x","available":${paths}}`;
    expect(await seen('/x')).toEqual([404, missing, ...rest]);
    expect(await seen('/broken')).toEqual([500, '{"status":"error","error":"no \\"data\\" yet"}', ...rest]);
    expect(await seen('/odd')).toEqual([500, '{"status":"error","error":"the handler failed"}', ...rest]);
  });

  it('write numbers as JavaScript does', async () => {
    const { ask } = await serve();
    const numbers = [100, -0, 0.1, 1e-6, 1.5e-7, 1e16, 1e21, 123456789012345680000, 5e-324, -2.5, 1.5e300, 1048576, -3];
    const { text } = await ask('/numbers');
    expect(text).toBe(JSON.stringify({ status: 'ok', data: [...numbers, 1e-10, Number.NaN, 1234.5678] }));
  });

  it('read parameters from the address and the body, which wins', async () => {
    const { ask } = await serve();
    const body = '{"limit":5,"deep":{"x":[1.0,null]},"on":true,"name":"é"}';
    expect((await ask('/echo?limit=1&a=b%26c+d%20e&empty', body)).json().data).toEqual({
      path: '/echo',
      params: { limit: '5', deep: '{"x":[1,null]}', on: 'true', name: 'é', a: 'b&c d e', empty: '' },
      limit: '5',
    });
    expect((await ask('/%65cho')).json().data).toEqual({ path: '/echo', params: {}, limit: '10' });
  });

  it('never change state', async () => {
    const { ask, state } = await serve();
    const { status, text } = await ask('/write');
    expect([status, text]).toEqual([500, expect.stringContaining('A query must not change state')]);
    expect(readdirSync(state)).toEqual([]);
  });
});

describe('many clients', () => {
  it('are answered at once: one that waits for another gets its answer', async () => {
    const { ask } = await serve();
    const slow = Array.from({ length: 8 }, () => ask('/wait'));
    await until('eight handlers at once', async () => (await ask('/waiting')).json().data === 8);
    expect((await ask('/release')).json().data).toEqual({ released: 8 });
    for (const answer of await Promise.all(slow)) expect(answer.json().data).toEqual({ waited: true });
  });

  it('past 64 are told to come back, and are served once there is room', async () => {
    const { ask, open } = await serve();
    const refused: string[] = [];
    const idle = Array.from({ length: 80 }, open);
    for (const socket of idle) void heard(socket).then((text) => text !== '' && refused.push(text));
    await until('16 refusals', () => refused.length >= 16, 9000);
    // The connection that asked whether the server is up may still have had a place.
    expect(refused.length).toBeLessThanOrEqual(17);
    for (const text of refused)
      expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n.*"Too many queries at once"\}$/s);
    for (const socket of idle) socket.destroy();
    await until('room', async () => (await ask('/health').catch(() => undefined))?.status === 200);
  });

  it('that send nothing, half a request or a trickle hold up nobody, and are cut off after 10 s', async () => {
    const { ask, open } = await serve();
    const started = Date.now();
    const lives = ['', 'GET /echo HT', 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"a"'].map(
      async (bytes) => {
        const socket = open();
        const trickle = setInterval(() => socket.writable && bytes !== '' && socket.write('x'), 500);
        onTestFinished(() => clearInterval(trickle));
        const text = await heard(socket, bytes);
        return { text, seconds: (Date.now() - started) / 1000 };
      },
    );
    for (let round = 0; round < 20; round += 1) expect((await ask('/echo')).status).toBe(200);
    expect(Date.now() - started).toBeLessThan(9000);
    for (const { text, seconds } of await Promise.all(lives)) {
      expect(text).toBe('');
      expect(seconds).toBeGreaterThan(9.5);
      expect(seconds).toBeLessThan(40);
    }
  });
});

const HOSTILE: Record<string, [string | Buffer, string]> = {
  'no HTTP': ['hello\r\n\r\n', 'the request line is broken'],
  'an empty request': ['\r\n\r\n', 'the request line is broken'],
  'bytes that are no text': [Buffer.from([0, 255, 254, 32, 128, 32, 13, 10, 13, 10]), 'the request line is broken'],
  'another method': ['DELETE /echo HTTP/1.1\r\nHost: localhost\r\n\r\n', 'send GET or POST with a path'],
  'a whole address': ['GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n', 'send GET or POST with a path'],
  'a broken escape': ['GET /echo?a=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n', 'a % is not followed by two digits'],
  'an escape cut short': ['GET /echo%4 HTTP/1.1\r\nHost: localhost\r\n\r\n', 'a % is not followed by two digits'],
  'a header without end': [
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(400_000)}`,
    'the header is larger than 16384 bytes',
  ],
  'a long header': [
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(16_400)}\r\n\r\n`,
    'the header is larger than 16384 bytes',
  ],
  chunks: [
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'send the body with a Content-Length',
  ],
  'a negative length': [
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
    'Content-Length is no usable number',
  ],
  'a huge length': [
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n',
    'Content-Length is no usable number',
  ],
  'a large body': [
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n',
    'the body is larger than 65536 bytes',
  ],
  'two lengths': [
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} ',
    'there are two Content-Lengths',
  ],
  'a body that is no JSON': [
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n{a}',
    'the body is no JSON object',
  ],
  'a body that is a list': [
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n[]',
    'the body is no JSON object',
  ],
  'a deep body': [
    `POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{"a":${'['.repeat(59_995)}`,
    'the body is nested too deeply',
  ],
};

describe('hostile requests', () => {
  it('are refused with a reason, and the server lives on', async () => {
    const { ask, say } = await serve();
    const answers = Object.entries(HOSTILE).map(async ([name, [bytes]]) => [name, await say(bytes)] as const);
    const bad = (why: string) => JSON.stringify({ status: 'error', error: `Bad request: ${why}` });
    for (const [name, text] of await Promise.all(answers)) {
      const [head = '', body] = text.split('\r\n\r\n');
      expect([name, head.split('\r\n')[0], body]).toEqual([
        name,
        'HTTP/1.1 400 Bad Request',
        bad(HOSTILE[name]?.[1] ?? ''),
      ]);
    }
    expect((await ask('/health')).status).toBe(200);
  });

  it('with unusual but sound forms are answered', async () => {
    const { say } = await serve();
    for (const bytes of [
      'GET /echo HTTP/1.0\nHost: [::1]\n\n',
      'POST /echo HTTP/1.1\nHOST:127.0.0.1\ncontent-length:2\r\n\n{}',
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\n\r\n{}',
    ]) {
      expect(await say(bytes)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"path":"\/echo"/s);
    }
    expect(await say('GET /%ff%00 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toContain(
      '"No handler for path: /\uFFFD\\u0000"',
    );
  });

  it('that go away before their answer do no harm', async () => {
    const { ask, open } = await serve();
    const gone = Array.from({ length: 20 }, async () => {
      const socket = open();
      await once(socket, 'connect');
      socket.write('GET /numbers HTTP/1.1\r\nHost: localhost\r\n\r\n', () => socket.resetAndDestroy());
      await once(socket, 'close');
    });
    await Promise.all(gone);
    expect((await ask('/health')).status).toBe(200);
  });
});

describe('the process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends with exit code 0 on %s, whatever is still open', async (signal) => {
    const { child, ask, open, ended } = await serve();
    const stuck = ask('/wait').catch((error: unknown) => error);
    await until('a stuck handler', async () => (await ask('/waiting')).json().data === 1);
    await once(open(), 'connect');
    const asked = Date.now();
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(Date.now() - asked).toBeLessThan(20_000);
    expect(await stuck).toBeInstanceOf(Error);
  });

  it.each(['abc', '-1', '65536', '80x'])('says what is wrong with the port %s', async (port) => {
    const { ended } = start({ QUERY_PORT: port });
    expect(await ended).toMatchObject({
      code: 1,
      stderr: `ERROR QUERY_PORT is "${port}": it must be a port from 0 to 65535\n`,
    });
  });

  it('says that its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { ended } = start({ PLATFORM_QUERY_PORT: String(port) });
    expect(await ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `ERROR the query server cannot listen on 127.0.0.1:${port}: Address already in use\n`,
    });
  });

  it('stores state although an earlier process with its id left a temporary file', async () => {
    const { state, ended } = start({}, ['store']);
    expect(await ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(readFileSync(join(state, 'k.json'), 'utf8')).toBe('{"n":1}');
    expect(readdirSync(state).filter((name) => name.startsWith('.tmp-'))).toHaveLength(1);
  });

  it('fails with exit code 1 even where its result cannot be written', async () => {
    const { ended } = start({ RESULT_FILE: '/nonexistent/result.json' }, ['fail']);
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^ERROR no price\nERROR the result was not written: .+\n$/),
    ]);
  });
});

describe('a query run', () => {
  const ran = async (env: Record<string, string>) => {
    const { dir, state, ended } = start(env);
    const { code } = await ended;
    const file = join(dir, 'query.json');
    expect(readdirSync(state)).toEqual([]);
    return [code, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null];
  };

  it('writes one envelope and ends', async () => {
    const params = { limit: '7', deep: '{"x":1}' };
    expect(await ran({ QUERY_PATH: '/echo', QUERY_PARAMS: JSON.stringify(params), QUERY_PARAM_other: 'é' })).toEqual([
      0,
      { status: 'ok', data: { path: '/echo', params: { ...params, other: 'é' }, limit: '7' } },
    ]);
  });

  it('writes an envelope for every failure and ends with exit code 1', async () => {
    expect(await ran({ QUERY_PATH: '/x' })).toEqual([
      1,
      { status: 'error', error: 'No handler for path: /x', available: PATHS },
    ]);
    expect(await ran({ QUERY_PATH: '/broken' })).toEqual([1, { status: 'error', error: 'no "data" yet' }]);
    expect(await ran({ QUERY_PATH: '/write' })).toMatchObject([1, { status: 'error' }]);
    expect(await ran({ QUERY_PATH: '/echo', QUERY_PARAMS: '[1]' })).toMatchObject([
      1,
      { status: 'error', error: expect.stringMatching(/^QUERY_PARAMS: /) },
    ]);
  });

  it.each([
    ['{"BOT_CONFIG":""}', /^BOT_CONFIG is not set: /],
    ['{"BOT_CONFIG":"{"}', /^BOT_CONFIG is not JSON: /],
    ['{"BOT_CONFIG":"[1]"}', /^BOT_CONFIG is no JSON object$/],
    ['{"BOT_ID":""}', /^BOT_ID is not set: /],
  ])('says what is wrong with the environment %s', async (env, error) => {
    expect(await ran({ QUERY_PATH: '/config', ...JSON.parse(env) })).toEqual([
      1,
      { status: 'error', error: expect.stringMatching(error) },
    ]);
  });
});

describe('a query run that waits for its question', () => {
  it.each([
    ['/x', 1, { status: 'error', error: 'No handler for path: /x', available: PATHS }],
    ['/broken', 1, { status: 'error', error: 'no "data" yet' }],
    ['/odd', 1, { status: 'error', error: 'the handler failed' }],
    ['/config', 0, { status: 'ok', data: { symbol: 'SPY' } }],
    ['/health', 0, { status: 'ok', data: { status: 'healthy' } }],
    [
      '/write',
      1,
      { status: 'error', error: 'A query must not change state: write it in the bot, read it in the handler' },
    ],
  ])('answers %s as one that knows it from the start', async (path, exit, body) => {
    const { ended, answer, state, warm } = wait();
    expect(await warm.ready).toBe(true);
    expect(existsSync(answer)).toBe(false);
    expect(await warm.ask(JSON.stringify({ path, params: {} }))).toBe(true);
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(body);
    expect(await ended).toEqual({ code: exit, signal: null, stdout: '', stderr: '' });
    expect(readdirSync(state)).toEqual([]);
  });

  it('finds path and parameters where every query run has them', async () => {
    const { answer, warm } = wait();
    await warm.ready;
    const params = { 'not-a-name': 'x', limit: 'ü\u0001 "1"', nul: 'a\u0000b', large: 'x'.repeat(60_000) };
    expect(await warm.ask(JSON.stringify({ path: '/environment', params }))).toBe(true);
    const environment = ['/environment', JSON.stringify(params), params.limit, null];
    const data = { environment, params };
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual({ status: 'ok', data });
  });

  it.each(['{"path":"/echo","params":{"a":"\\ud800"}}', '[]', 'x'])(
    'tells that it cannot read %s',
    async (question) => {
      const { ended, answer, warm } = wait();
      await warm.ready;
      expect(await warm.ask(question)).toBe(true);
      const error = expect.stringMatching(/^QUERY_PARAMS: /);
      expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual({ status: 'error', error });
      expect(await ended).toMatchObject({ code: 1 });
    },
  );

  it('ends quietly when no question comes', async () => {
    const { child, ended, answer, warm } = wait();
    await warm.ready;
    child.stdin?.end('{"path":');
    expect(await ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(existsSync(answer)).toBe(false);
  });

  it('may not write state, neither before it waits', async () => {
    const { ended, state, warm } = wait(['store']);
    expect(await warm.ready).toBe(false);
    expect(await ended).not.toMatchObject({ code: 0 });
    expect(existsSync(join(state, 'k.json'))).toBe(false);
  });
});
