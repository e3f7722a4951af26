import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { ROOT } from '../../support/platform.ts';
import { failed, ok, say, serveQueries } from '../../support/query-server.ts';
import { tempDir } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { startWarm } from '../../support/warm-program.ts';

const RUNNER = join(ROOT, 'resources/runners/python_runner.py');
const PROGRAM = `
import asyncio, threading
from platform_sdk import log, query, state
together = threading.Barrier(3, timeout=60)
query.handler("/echo", lambda request: {"path": request.path, "params": dict(request.params), "n": request.get("n", "10")})
@query.handler("/later")
async def later(request):
    await asyncio.sleep(0.005)
    return "late"
query.handler("/nothing", lambda request: None)
query.handler("/config", lambda request: query.get_config())
query.handler("/write", lambda request: state.set("k", 1))
@query.handler("/later-write")
async def later_write(request):
    await asyncio.sleep(0)
    state.set("k", 1)
query.handler("/broken", lambda request: 1 / 0)
query.handler("/set", lambda request: {1})
query.handler("/together", lambda request: together.wait() >= 0)
`;
const PATHS = '/broken /config /echo /later /later-write /nothing /set /together /write'.split(' ');
const RUN = `${PROGRAM}query.run()\n`;

function prepare(source: string, env: Record<string, string>) {
  const dir = tempDir('python-query-');
  const state = join(dir, 'state');
  const answer = join(dir, 'query.json');
  mkdirSync(state);
  writeFileSync(join(dir, 'query.py'), source);
  const { PATH = '' } = process.env;
  const given = {
    PATH,
    PYTHONDONTWRITEBYTECODE: '1',
    BOT_ID: 'bot_1',
    BOT_CONFIG: '{"symbol":"SPY"}',
    STATE_DIR: state,
    ...env,
  };
  return { state, answer, options: { cwd: dir, env: given } };
}

function start(source: string, env: Record<string, string>) {
  const { state, answer, options } = prepare(source, env);
  if ('QUERY_PATH' in env) Object.assign(options.env, { QUERY_RESULT_FILE: answer });
  return { ...startProgram('python3', [RUNNER, 'query.py'], options), state, answer };
}

function wait(source: string) {
  const { state, answer, options } = prepare(source, {});
  Object.assign(options.env, { QUERY_RESULT_FILE: answer });
  return { ...startWarm('python3', [RUNNER, 'query.py'], options), state, answer };
}

const serve = (source = RUN) => serveQueries((env) => start(source, env));

const READ_ONLY = failed('A query must not change state: write it in the bot, read it in the handler');

const ANSWERS: readonly (readonly [string, number, object])[] = [
  ['/echo', 200, ok({ path: '/echo', params: {}, n: '10' })],
  ['/later', 200, ok('late')],
  ['/nothing', 200, ok(null)],
  ['/config', 200, ok({ symbol: 'SPY' })],
  ['/health', 200, ok({ status: 'healthy' })],
  ['/info', 200, ok({ available_queries: PATHS })],
  ['/none', 404, { ...failed('No handler for path: /none'), available: PATHS }],
  ['/broken', 500, failed('division by zero')],
  ['/set', 500, failed('Object of type set is not JSON serializable')],
  ['/write', 500, READ_ONLY],
  ['/later-write', 500, READ_ONLY],
];

describe.concurrent('a query run', () => {
  it.each(ANSWERS)('answers %s and ends', async (path, status, body) => {
    const { ended, answer, state } = start(RUN, { QUERY_PATH: path });
    expect(await ended).toEqual({ code: status === 200 ? 0 : 1, signal: null, stdout: '', stderr: '' });
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(body);
    expect(readdirSync(state)).toEqual([]);
  });

  it('takes parameters from both places, the object wins', async () => {
    const env = { QUERY_PATH: '/echo', QUERY_PARAM_n: '1', QUERY_PARAM_b: 'x', QUERY_PARAMS: '{"n":"2","list":[1]}' };
    const { ended, answer } = start(RUN, env);
    expect(await ended).toMatchObject({ code: 0 });
    const data = { path: '/echo', params: { n: '2', b: 'x', list: '[1]' }, n: '2' };
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(ok(data));
  });

  it.each(['{', '[]', 'null'])('tells that the parameters %s cannot be used', async (QUERY_PARAMS) => {
    const { ended, answer } = start(RUN, { QUERY_PATH: '/echo', QUERY_PARAMS });
    expect(await ended).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toMatchObject({ error: expect.stringMatching(/^QUERY_PARAMS: /) });
  });
});

describe.concurrent('a query run that waits for its question', () => {
  it.each(ANSWERS)('answers %s as one that knows it from the start', async (path, status, body) => {
    const { ended, answer, state, warm } = wait(RUN);
    expect(await warm.ready).toBe(true);
    expect(existsSync(answer)).toBe(false);
    expect(await warm.ask(JSON.stringify({ path, params: {} }))).toBe(true);
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(body);
    expect(await ended).toEqual({ code: status === 200 ? 0 : 1, signal: null, stdout: '', stderr: '' });
    expect(readdirSync(state)).toEqual([]);
  });

  it('finds path and parameters where every query run has them', async () => {
    const names = ['QUERY_PATH', 'QUERY_PARAMS', 'QUERY_PARAM_n', 'QUERY_PARAM_half', 'QUERY_PARAM_not-a-name'];
    const source = `import os\n${PROGRAM}names = ${JSON.stringify(names)}\nquery.handler("/env", lambda request: [[os.environ.get(name) for name in names], dict(request.params)])\nquery.run()\n`;
    const { answer, warm } = wait(source);
    await warm.ready;
    const params = { n: 'ü\u0001 "1"', 'not-a-name': 'x', half: '\ud800', nul: 'a\u0000b', large: 'x'.repeat(60_000) };
    expect(await warm.ask(JSON.stringify({ path: '/env', params }))).toBe(true);
    const seen = ['/env', JSON.stringify(params), params.n, '\ufffd', null];
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(ok([seen, params]));
  });

  it('ends quietly when no question comes', async () => {
    const { child, ended, answer, warm } = wait(RUN);
    await warm.ready;
    child.stdin?.end('{"path":');
    expect(await ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(existsSync(answer)).toBe(false);
  });

  it('may not write state, neither before it waits', async () => {
    const { ended, state, warm } = wait('from platform_sdk import query, state\nstate.set("k", 1)\nquery.run()\n');
    expect(await warm.ready).toBe(false);
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('must not change state') });
    expect(readdirSync(state)).toEqual([]);
  });
});

describe.concurrent('a query server', () => {
  it('answers like a query run, and goes on', async () => {
    const { ask, state } = await serve();
    const heard = [];
    for (const [path] of ANSWERS) heard.push([path, ...(await ask(path))]);
    expect(heard).toEqual(ANSWERS);
    expect(readdirSync(state)).toEqual([]);
  });

  it('leaves state to the bot around it', async () => {
    const bot = 'threading.Thread(target=query.run, daemon=True).start()\n';
    const source = `${PROGRAM}${bot}state.set("by", "the bot")\nthreading.Event().wait()\n`;
    const { ask, state } = await serve(source);
    expect(await ask('/write')).toEqual([500, READ_ONLY]);
    const file = join(state, 'by.json');
    await until('the bot to write its state', () => existsSync(file));
    expect(readFileSync(file, 'utf8')).toBe('"the bot"');
  });

  it('answers at the same time, also while clients say nothing', async () => {
    const { ask, port } = await serve();
    const silent = [1, 2, 3].map(() => connect({ port, host: '127.0.0.1' }));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    const three = await Promise.all([1, 2, 3].map(() => ask('/together')));
    for (const socket of silent) socket.destroy();
    expect(three).toEqual([1, 2, 3].map(() => [200, ok(true)]));
  });

  it('takes parameters from the address and the body, which wins', async () => {
    const { ask } = await serve();
    const params = { a: 'ü 1', n: '7', o: '{"x":null}' };
    expect(await ask('/echo?a=%C3%BC+1&n=3', JSON.stringify({ n: 7, o: { x: null } }))).toEqual([
      200,
      ok({ path: '/echo', params, n: '7' }),
    ]);
  });

  it('refuses what it cannot use, and goes on', async () => {
    const { ask, port } = await serve();
    const limit = 65_536;
    const large = await say(port, `POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${limit + 1}\r\n\r\n`);
    expect(large).toContain(`Bad request: the body is larger than ${limit} bytes`);
    expect(await ask('/echo', `{"n":"${'x'.repeat(limit - 8)}"}`)).toMatchObject([200, { status: 'ok' }]);
    expect(await ask('/echo', '[1]')).toEqual([400, failed('Bad request: the body is no JSON object')]);
    expect((await ask('/echo', '{'))[0]).toBe(400);
    expect(await say(port, 'no http at all\r\n\r\n')).toContain('400');
    expect(await say(port, 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n')).toContain(
      'ends early',
    );
    expect(await say(port, 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n')).toContain(
      'is no number',
    );
    expect(await say(port, `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`)).not.toContain(' 200 ');
    expect(await ask('/later')).toEqual([200, ok('late')]);
  });

  it('keeps a connection for the next request, but not after one that it refused', async () => {
    const { port } = await serve();
    const get = 'GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n';
    expect((await say(port, get + get)).match(/ 200 /g)).toHaveLength(2);
    const left = 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n';
    expect((await say(port, left + get)).match(/^HTTP\/1\.1 .*/gm)).toEqual(['HTTP/1.1 400 Bad Request']);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with exit code 0 on %s, whatever is still open', async (signal) => {
    const { child, ended, port } = await serve();
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('leaves the end to a bot that handles the signal itself', async () => {
    const own =
      'import os, signal\nsignal.signal(signal.SIGTERM, lambda *_: (print("tidy", flush=True), os._exit(3)))\n';
    const { child, ended } = await serve(`${PROGRAM}${own}query.run()\n`);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 3, stdout: 'tidy\n' });
  });

  it('fails when its port is taken', async () => {
    const { port } = await serve();
    const { code, stderr } = await start(RUN, { QUERY_PORT: String(port) }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain('Address already in use');
  });
});

describe.concurrent('state', () => {
  async function run(prepare: (dir: string) => void, steps: string) {
    const dir = tempDir('python-state-');
    prepare(dir);
    const { code, stdout, stderr } = await start(`from platform_sdk import state\n${steps}`, { STATE_DIR: dir }).ended;
    return { dir, code, stdout, stderr };
  }

  it('is written although an earlier process of the same number left files behind', async () => {
    const leave =
      'import os\nfor n in (1, 2, 3): open(f"{os.environ["STATE_DIR"]}/.tmp-{os.getpid()}-{n}", "w").close()\n';
    const quoted = leave.replace('os.environ["STATE_DIR"]', "os.environ['STATE_DIR']");
    const { dir, code, stderr } = await run(() => undefined, `${quoted}state.set("k", "new")\n`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readFileSync(join(dir, 'k.json'), 'utf8')).toBe('"new"');
    expect(readdirSync(dir).filter((name) => name.startsWith('.tmp-'))).toHaveLength(3);
  });

  it('is not read through a link, and a link is replaced, not followed', async () => {
    const outside = join(tempDir('python-outside-'), 'secret.json');
    writeFileSync(outside, '"secret"');
    const link = (dir: string) => symlinkSync(outside, join(dir, 'k.json'));
    const read = await run(link, 'print(state.get("k"))\n');
    expect(read).toMatchObject({ code: 1, stdout: '' });
    expect(await run(link, 'state.set("k", 1)\nprint(state.get("k"))\n')).toMatchObject({ code: 0, stdout: '1\n' });
    expect(readFileSync(outside, 'utf8')).toBe('"secret"');
  });

  it('lists only what is a key', async () => {
    const files = (dir: string) => {
      for (const name of ['a.json', '100%.json', '%zz.json', 'b b.json', '.tmp-1-1', 'notes.txt', '%2Eb.json'])
        writeFileSync(join(dir, name), '1');
      mkdirSync(join(dir, 'folder.json'));
    };
    expect(await run(files, 'print(state.list())\n')).toMatchObject({ stderr: '', stdout: "['.b', 'a']\n" });
  });

  it.each(['"\\ud800"', '5', 'None', '"a\\0b"'])('refuses the key %s', async (key) => {
    const { dir, code, stderr } = await run(() => undefined, `state.set(${key}, 1)\n`);
    expect({ code, files: readdirSync(dir) }).toEqual({ code: 1, files: [] });
    expect(stderr).toContain('is no state key');
  });

  it('names the key of a value that is no JSON', async () => {
    const { stderr } = await run((dir) => writeFileSync(join(dir, 'k.json'), '{'), 'state.get("k")\n');
    expect(stderr).toContain('the state under "k" is not JSON');
  });

  it('keeps the old value and no rest when the new one is too large or cannot be written', async () => {
    const { dir, stdout } = await run(
      (folder) => writeFileSync(join(folder, 'k.json'), '1'),
      'for value in ["x" * 10 * 1024 * 1024, {1}]:\n    try: state.set("k", value)\n    except Exception as e: print(type(e).__name__)\n',
    );
    expect(stdout).toBe('ValueError\nTypeError\n');
    expect(readdirSync(dir)).toEqual(['k.json']);
    expect(readFileSync(join(dir, 'k.json'), 'utf8')).toBe('1');
  });
});
