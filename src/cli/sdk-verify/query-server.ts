import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Adapter, end, freePort, makePlace, type Place, type Running, startAdapter, within } from './adapter.ts';
import { ANSWERS, failed, LATER_MS, ok, short } from './expected-query-answers.ts';
import { ask, heardWords, jsonOf, request, statusOf } from './http-client.ts';

/** A part of the contract, and what an adapter does instead; null where it keeps it. */
export type Finding = readonly [part: string, wrong: string | null];

interface Server extends Running {
  readonly port: number;
  /** Its configuration, which no other start has. */
  readonly config: object;
  readonly place: Place;
}

const START_MS = 20_000;
const END_MS = 8000;
const PARALLEL = 24;
const BODY_LIMIT = 64 * 1024;

/** Starts a query server and waits until it answers; else what it did instead, in words. */
async function serve(
  adapter: Adapter,
  dir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Server | string> {
  const place = makePlace(dir);
  const port = await freePort();
  const config = { symbol: 'SPY', n: 5, start: randomUUID() };
  const running = startAdapter(adapter, place, {
    args: ['query'],
    env: { QUERY_PORT: String(port), BOT_CONFIG: JSON.stringify(config), ...env },
  });
  running.child.stdin?.end();
  const token = env.QUERY_TOKEN === undefined ? [] : [`X-Query-Token: ${env.QUERY_TOKEN}`];
  const probe = request('/config', { headers: ['Host: 127.0.0.1', ...token] });
  for (const until = Date.now() + START_MS; Date.now() < until; ) {
    const heard = await ask(port, [probe], { mostMs: 1000 });
    if (typeof heard !== 'string') {
      if (!isOfAnother(jsonOf(heard), config)) return { ...running, port, place, config };
      await end(running);
      return 'the query server of another start answers on its QUERY_PORT';
    }
    const ended = await within(20, running.ended);
    if (ended === null) continue;
    const said = ended.stderr.trim().split('\n').at(-1) ?? '';
    return `its query server ends with ${ended.signal ?? ended.code}${said === '' ? '' : `: ${said.slice(0, 200)}`}`;
  }
  await end(running);
  return `its query server does not answer on QUERY_PORT within ${START_MS / 1000} s`;
}

/** True for the configuration of another start: no other server may be taken for the one that is looked at. */
function isOfAnother(answer: unknown, config: { readonly start: string }): boolean {
  const start = (answer as { readonly data?: { readonly start?: unknown } } | null)?.data?.start;
  return start !== undefined && start !== config.start;
}

/** Asks and compares; the difference in words, or null. */
async function expectAnswer(
  port: number,
  parts: readonly (string | Uint8Array)[],
  status: number,
  body: unknown,
  pauseMs = 0,
): Promise<string | null> {
  const answer = await ask(port, parts, { pauseMs });
  if (typeof answer === 'string') return heardWords(answer);
  const found = jsonOf(answer);
  if (answer.status !== status) return `gets ${answer.status} ${short(found)}, wanted ${status}`;
  return isDeepStrictEqual(found, body) ? null : `gets ${short(found)}, wanted ${short(body)}`;
}

async function firstOf(all: readonly (readonly [string, () => Promise<string | null>])[]): Promise<string | null> {
  for (const [what, look] of all) {
    const wrong = await look();
    if (wrong !== null) return `${what} ${wrong}`;
  }
  return null;
}

async function answers({ port, place, config }: Server): Promise<string | null> {
  const wrong = await firstOf(
    ANSWERS.map(([path, status, body]) => [
      path,
      () => expectAnswer(port, [request(path)], status, path === '/config' ? ok(config) : body),
    ]),
  );
  const left = readdirSync(place.state);
  return wrong ?? (left.length === 0 ? null : `queries have left ${left.join(', ')} in the state folder`);
}

async function parameters({ port }: Server): Promise<string | null> {
  const echo = (params: object, n = '10') => ok({ path: '/echo', params, n });
  const text = JSON.stringify({ n: 7, o: { x: null }, list: [1, 'ü'], yes: true, none: null, t: '€ 1' });
  const params = { a: 'ü 1', n: '7', o: '{"x":null}', list: '[1,"ü"]', yes: 'true', none: 'null', t: '€ 1' };
  const escaped = String.raw`{"t":"\u00fc\ud83d\ude00\n"}`;
  const most = `{"n":"${'x'.repeat(BODY_LIMIT - 8)}"}`;
  const large = await ask(port, [request('/echo', { body: most })]);
  if (statusOf(large) !== 200) return `a body of ${BODY_LIMIT} bytes ${heardWords(large)}, wanted 200`;
  return firstOf([
    ['a parameter in the address', () => expectAnswer(port, [request('/echo?n=3')], 200, echo({ n: '3' }, '3'))],
    [
      'parameters of all kinds in the body, which wins over the address,',
      () => expectAnswer(port, [request('/echo?a=%C3%BC+1&n=3', { body: text })], 200, echo(params, '7')),
    ],
    ['escapes in the body', () => expectAnswer(port, [request('/echo', { body: escaped })], 200, echo({ t: 'ü😀\n' }))],
  ]);
}

async function parallel({ port }: Server): Promise<string | null> {
  const started = Date.now();
  const all = await Promise.all(
    // Each has an answer of its own, so that none can serve another.
    Array.from({ length: PARALLEL }, (_, at) => expectAnswer(port, [request(`/later?n=${at}`)], 200, ok(String(at)))),
  );
  const at = all.findIndex((one) => one !== null);
  if (at >= 0) return `/later?n=${at}, among ${PARALLEL} such questions at once, ${all[at]}`;
  const took = Date.now() - started;
  const most = (PARALLEL - 1) * LATER_MS;
  return took < most ? null : `${PARALLEL} questions of ${LATER_MS} ms took ${took} ms: they wait for each other`;
}

async function slowClients({ port }: Server): Promise<string | null> {
  const idle = [0, 1, 2].map(() => connect({ port, host: '127.0.0.1' }));
  for (const socket of idle) socket.on('error', () => socket.destroy());
  idle[1]?.write('POST /echo HTT');
  idle[2]?.write('POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n{');
  try {
    const beside = await expectAnswer(port, [request('/nothing')], 200, ok(null));
    if (beside !== null) return `while others say nothing, or half of a request, one that asks ${beside}`;
  } finally {
    for (const socket of idle) socket.destroy();
  }
  const bytes = request('/echo', { body: '{"t":"ü"}' });
  const pieces = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
  const wanted = ok({ path: '/echo', params: { t: 'ü' }, n: '10' });
  const wrong = await expectAnswer(port, pieces, 200, wanted, 2);
  return wrong === null ? null : `a request that arrives byte by byte ${wrong}`;
}

async function lineEnds({ port }: Server): Promise<string | null> {
  const crlf = await expectAnswer(port, [request('/nothing')], 200, ok(null));
  if (crlf !== null) return `a request with CRLF ${crlf}`;
  const answer = await ask(port, [request('/nothing', { end: '\n' })]);
  if (answer === 'ended' || [200, 400].includes(statusOf(answer))) return null;
  return `a request with LF alone ${heardWords(answer)}; answer it, refuse it with 400, or end the connection`;
}

/** Requests that have to be refused, or not answered; and nothing of them may end the server. */
async function hostile({ port }: Server): Promise<string | null> {
  const refused: readonly (readonly [string, Uint8Array])[] = [
    ['a body that is no JSON', request('/echo', { body: '{' })],
    ['a body that is no object', request('/echo', { body: '[1]' })],
    ['the method PUT', request('/echo', { body: '{}', method: 'PUT' })],
    ['an address that is no path', request('http://127.0.0.1/nothing')],
    ['a body of 4 MB, sent to its end,', request('/echo', { body: ' '.repeat(4_000_000) })],
  ];
  for (const [what, bytes] of refused) {
    const answer = await ask(port, [bytes]);
    if (statusOf(answer) !== 400) return `${what} ${heardWords(answer)}, wanted 400`;
  }
  // Libraries differ in when they unescape: one refuses the address, another looks for a handler of that very path.
  const unescaped = await ask(port, [request('/%zz')]);
  if (![400, 404].includes(statusOf(unescaped)))
    return `an escape that is none ${heardWords(unescaped)}, wanted 400 or 404`;
  const broken: readonly (readonly [string, string])[] = [
    ['what is no HTTP', 'no http at all\r\n\r\n'],
    ['a line of 200 KB', `GET /${'x'.repeat(200_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`],
    ['a length that is no number', 'POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: x\r\n\r\n{}'],
    ['a negative length', 'POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n{}'],
  ];
  for (const [what, bytes] of broken) {
    // Who sends this is no client of a bot: a library may end the connection, or say which 4xx it finds.
    const heard = await ask(port, [bytes]);
    const isRefused = heard === 'ended' || (statusOf(heard) >= 400 && statusOf(heard) < 500);
    if (!isRefused) return `${what} ${heardWords(heard)}, wanted 400 or an end of the connection`;
  }
  const after = await expectAnswer(port, [request('/nothing')], 200, ok(null));
  return after === null ? null : `after all of that, a question ${after}`;
}

interface GuardVectors {
  readonly token: string;
  readonly errors: Readonly<Record<string, string>>;
  readonly cases: readonly { readonly name: string; readonly send: readonly string[]; with: string; without: string }[];
}

/** Who is answered with a token and without one (resources/sdk/vectors/query-guard.json). */
async function guarded(server: Server, vectors: GuardVectors, mode: 'with' | 'without'): Promise<string | null> {
  for (const one of vectors.cases) {
    const headers = one.send.map((line) => line.replaceAll('{token}', vectors.token));
    const wanted = one[mode];
    // Neither the program nor what it starts finds the token in its environment.
    const body = wanted === '200' ? ok(['', '']) : failed(vectors.errors[wanted] ?? '');
    const bytes = request('/token', { headers });
    const wrong = await expectAnswer(server.port, [bytes], Number.parseInt(wanted, 10), body);
    if (wrong !== null) return `${one.name} ${wrong}`;
  }
  if (mode === 'without') return null;
  const stranger = ['/health', '/info', '/none', '/%zz'].map((path) => request(path));
  const bodies = ['{"not":"json', ' '.repeat(200_000)].map((body) => request('/token', { body }));
  const wanted = failed(vectors.errors['401'] ?? '');
  const all = [...stranger, ...bodies].map(
    (bytes) => ['a stranger', () => expectAnswer(server.port, [bytes], 401, wanted)] as const,
  );
  return firstOf(all);
}

async function endsOn(adapter: Adapter, dir: string, name: 'SIGTERM' | 'SIGINT'): Promise<string | null> {
  const server = await serve(adapter, dir);
  if (typeof server === 'string') return server;
  const socket = connect({ port: server.port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  socket.write('GET /later HTTP/1.1\r\n');
  try {
    await ask(server.port, [request('/nothing')]);
    server.child.kill(name);
    const ended = await within(END_MS, server.ended);
    if (ended === null) return `it had not ended ${END_MS / 1000} s after ${name}, with a connection open`;
    return ended.code === 0 ? null : `it ends with ${ended.signal ?? ended.code} on ${name}, wanted 0`;
  } finally {
    socket.destroy();
    await end(server);
  }
}

async function takenPort(adapter: Adapter, dir: string, port: number): Promise<string | null> {
  const place = makePlace(dir);
  const second = startAdapter(adapter, place, { args: ['query'], env: { QUERY_PORT: String(port) } });
  second.child.stdin?.end();
  const ended = await within(END_MS, second.ended);
  await end(second);
  if (ended === null) return 'a second server on the same port goes on';
  if (ended.code === 0) return 'a second server on the same port ends with 0';
  return ended.stderr.trim() === '' ? 'a server whose port is taken ends without a word on stderr' : null;
}

/** Looks at whom a query server answers, in an environment with a token and in one without. */
export async function checkGuard(adapter: Adapter, resourcesDir: string, folder: () => string): Promise<Finding[]> {
  const vectors = JSON.parse(readFileSync(join(resourcesDir, 'sdk/vectors/query-guard.json'), 'utf8')) as GuardVectors;
  const found: Finding[] = [];
  for (const mode of ['without', 'with'] as const) {
    const server = await serve(adapter, folder(), mode === 'with' ? { QUERY_TOKEN: vectors.token } : {});
    const part = `${mode} a token`;
    if (typeof server === 'string') {
      found.push([part, server]);
      continue;
    }
    try {
      found.push([part, await guarded(server, vectors, mode)]);
    } finally {
      await end(server);
    }
  }
  return found;
}

/** Looks at the query server of an adapter. `folder` makes an empty folder for each start. */
export async function checkServer(adapter: Adapter, resourcesDir: string, folder: () => string): Promise<Finding[]> {
  const server = await serve(adapter, folder());
  if (typeof server === 'string') return [['starts', server]];
  const found: Finding[] = [['starts', null]];
  try {
    found.push(['answers', await answers(server)]);
    found.push(['parameters', await parameters(server)]);
    found.push(['parallel', await parallel(server)]);
    found.push(['slow clients', await slowClients(server)]);
    found.push(['LF and CRLF', await lineEnds(server)]);
    found.push(['hostile requests', await hostile(server)]);
    found.push(['taken port', await takenPort(adapter, folder(), server.port)]);
  } finally {
    await end(server);
  }
  found.push(...(await checkGuard(adapter, resourcesDir, folder)));
  for (const name of ['SIGTERM', 'SIGINT'] as const) found.push([name, await endsOn(adapter, folder(), name)]);
  return found;
}
