import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { ROOT } from '../../support/platform.ts';
import { failed, ok, say, serveQueries } from '../../support/query-server.ts';
import { tempDir } from '../../support/temp.ts';
import { startWarm } from '../../support/warm-program.ts';

const RUNNER = join(ROOT, 'resources/runners/node-runner.mjs');
const PROGRAM = `
import { query, state } from '@bot-platform/sdk';
query.handler('/echo', (request) => ({ path: request.path, params: request.params, n: request.get('n', '10') }));
query.handler('/later', async () => new Promise((resolve) => setTimeout(() => resolve('late'), 5)));
query.handler('/nothing', () => undefined);
query.handler('/config', () => [query.getConfig(), query.get_config()]);
query.handler('/write', () => state.set('k', 1));
query.handler('/broken', () => { throw new Error('no luck'); });
query.handler('/rejects', async () => { throw 'a text'; });
query.handler('/odd', () => { throw Object.create(null); });
query.handler('/big', () => ({ n: 1n }));
query.handler('/open', () => { setInterval(() => {}, 1000); return 'open'; });
`;
const PATHS = '/big /broken /config /echo /later /nothing /odd /open /rejects /write'.split(' ');

function prepare(source: string, env: Record<string, string>) {
  const dir = tempDir('node-query-');
  const state = join(dir, 'state');
  const answer = join(dir, 'query.json');
  mkdirSync(state);
  writeFileSync(join(dir, 'query.mjs'), source);
  const given = { BOT_ID: 'bot_1', BOT_CONFIG: '{"symbol":"SPY"}', STATE_DIR: state, ...env };
  return { state, answer, options: { cwd: dir, env: given } };
}

function start(source: string, env: Record<string, string>) {
  const { state, answer, options } = prepare(source, env);
  if ('QUERY_PATH' in env) Object.assign(options.env, { QUERY_RESULT_FILE: answer });
  return { ...startProgram(process.execPath, [RUNNER, 'query.mjs'], options), state, answer };
}

function wait(source: string) {
  const { state, answer, options } = prepare(source, {});
  Object.assign(options.env, { QUERY_RESULT_FILE: answer });
  return { ...startWarm(process.execPath, [RUNNER, 'query.mjs'], options), state, answer };
}

const serve = (source = `${PROGRAM}query.run();`) => serveQueries((env) => start(source, env));

const ANSWERS: readonly (readonly [string, number, object])[] = [
  ['/echo', 200, ok({ path: '/echo', params: {}, n: '10' })],
  ['/later', 200, ok('late')],
  ['/nothing', 200, ok(null)],
  ['/config', 200, ok([{ symbol: 'SPY' }, { symbol: 'SPY' }])],
  ['/open', 200, ok('open')],
  ['/health', 200, ok({ status: 'healthy' })],
  ['/info', 200, ok({ available_queries: PATHS })],
  ['/none', 404, { ...failed('No handler for path: /none'), available: PATHS }],
  ['/__proto__', 404, { ...failed('No handler for path: /__proto__'), available: PATHS }],
  ['/broken', 500, failed('no luck')],
  ['/rejects', 500, failed('a text')],
  ['/odd', 500, failed('the handler failed')],
  ['/big', 500, failed('Do not know how to serialize a BigInt')],
  ['/write', 500, failed('A query must not change state: write it in the bot, read it in the handler')],
];

describe.concurrent('a query run', () => {
  it.each(ANSWERS)('answers %s and ends', async (path, status, body) => {
    const { ended, answer, state } = start(`${PROGRAM}await query.run();`, { QUERY_PATH: path });
    expect(await ended).toEqual({ code: status === 200 ? 0 : 1, signal: null, stdout: '', stderr: '' });
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(body);
    expect(readdirSync(state)).toEqual([]);
  });

  it('takes parameters from both places, the object wins', async () => {
    const env = { QUERY_PATH: '/echo', QUERY_PARAM_n: '1', QUERY_PARAM_b: 'x', QUERY_PARAMS: '{"n":"2","list":[1]}' };
    const { ended, answer } = start(`${PROGRAM}query.run();`, env);
    expect(await ended).toMatchObject({ code: 0 });
    const data = { path: '/echo', params: { n: '2', b: 'x', list: '[1]' }, n: '2' };
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(ok(data));
  });

  it.each(['{', '[]', 'null'])('tells that the parameters %s cannot be used', async (QUERY_PARAMS) => {
    const { ended, answer } = start(`${PROGRAM}query.run();`, { QUERY_PATH: '/echo', QUERY_PARAMS });
    expect(await ended).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toMatchObject({ error: expect.stringMatching(/^QUERY_PARAMS: /) });
  });
});

describe.concurrent('a query run that waits for its question', () => {
  it.each(ANSWERS)('answers %s as one that knows it from the start', async (path, status, body) => {
    const { ended, answer, state, warm } = wait(`${PROGRAM}await query.run();`);
    expect(await warm.ready).toBe(true);
    expect(existsSync(answer)).toBe(false);
    expect(await warm.ask(JSON.stringify({ path, params: {} }))).toBe(true);
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(body);
    expect(await ended).toEqual({ code: status === 200 ? 0 : 1, signal: null, stdout: '', stderr: '' });
    expect(readdirSync(state)).toEqual([]);
  });

  it('finds path and parameters where every query run has them', async () => {
    const names = ['QUERY_PATH', 'QUERY_PARAMS', 'QUERY_PARAM_n', 'QUERY_PARAM_half', 'QUERY_PARAM_not-a-name'];
    const handler = `query.handler('/env', (request) => [${JSON.stringify(names)}.map((name) => process.env[name] ?? null), request.params]);`;
    const { answer, warm } = wait(`${PROGRAM}${handler}query.run();`);
    await warm.ready;
    const params = { n: 'ü\u0001 "1"', 'not-a-name': 'x', half: '\ud800', nul: 'a\u0000b', large: 'x'.repeat(60_000) };
    expect(await warm.ask(JSON.stringify({ path: '/env', params }))).toBe(true);
    const seen = ['/env', JSON.stringify(params), params.n, '\ufffd', null];
    expect(JSON.parse(readFileSync(answer, 'utf8'))).toEqual(ok([seen, params]));
  });

  it('ends quietly when no question comes', async () => {
    const { child, ended, answer, warm } = wait(`${PROGRAM}await query.run();`);
    await warm.ready;
    child.stdin?.end('{"path":');
    expect(await ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    expect(existsSync(answer)).toBe(false);
  });

  it('may not write state, neither before it waits', async () => {
    const { ended, state, warm } = wait(`${PROGRAM}state.set('k', 1); query.run();`);
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

  it('takes parameters from the address and the body, which wins', async () => {
    const { ask } = await serve();
    const params = { a: 'ü 1', n: '7', o: '{"x":null}', __proto__x: 'p' };
    const body = JSON.stringify({ n: 7, o: { x: null }, __proto__x: 'p' });
    expect(await ask('/echo?a=%C3%BC+1&n=3', body)).toEqual([200, ok({ path: '/echo', params, n: '7' })]);
  });

  it('refuses what it cannot use, and goes on', async () => {
    const { ask, port } = await serve();
    const refused = (error: string) => [400, failed(`Bad request: ${error}`)];
    const limit = 65_536;
    expect(await ask('/echo', Buffer.alloc(4_000_000, 0x20))).toEqual(
      refused(`the body is larger than ${limit} bytes`),
    );
    expect(await ask('/echo', `{"n":"${'x'.repeat(limit - 8)}"}`)).toMatchObject([200, { status: 'ok' }]);
    expect(await ask('/echo', '[1]')).toEqual(refused('the body cannot be used: not a JSON object'));
    expect((await ask('/echo', '{'))[0]).toBe(400);
    expect(await ask('/%zz')).toEqual(refused('URI malformed'));
    expect(await ask('/echo', '{}', 'PUT')).toEqual(refused('send GET or POST, not PUT'));
    expect(
      await say(port, 'GET http://elsewhere/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    ).toContain('the address must be a path');
    expect(await say(port, 'no http at all\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await say(port, 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{')).not.toContain(
      ' 200 ',
    );
    expect(await say(port, `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`)).not.toContain(' 200 ');
    expect(await ask('/later')).toEqual([200, ok('late')]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with exit code 0 on %s, whatever is still open', async (signal) => {
    const { child, ended, ask, port } = await serve();
    await ask('/open');
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('leaves the end to a bot that handles the signal itself', async () => {
    const own = "process.once('SIGTERM', () => setTimeout(() => { console.log('tidy'); process.exit(3); }, 20));\n";
    const { child, ended } = await serve(`${PROGRAM}${own}await query.run();\nconsole.log('closed');`);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 3, stdout: 'closed\ntidy\n' });
  });

  it.each([
    ['is taken', async () => (await serve()).port, 'EADDRINUSE'],
    ['is no port', async () => 99_999, 'ERR_SOCKET_BAD_PORT'],
  ])('fails when its port %s', async (_, port, told) => {
    const { ended } = start(`${PROGRAM}query.run();`, { QUERY_PORT: String(await port()) });
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain(told);
  });
});

describe.concurrent('state', () => {
  async function run(prepare: (dir: string) => void, steps: string) {
    const dir = tempDir('node-state-');
    prepare(dir);
    const source = `import { state } from '@bot-platform/sdk';\nimport { writeFileSync } from 'node:fs';\n${steps}`;
    const { code, stdout, stderr } = await start(source, { STATE_DIR: dir }).ended;
    return { dir, code, stdout, stderr };
  }

  it('is written although an earlier process of the same number left a file behind', async () => {
    const leave =
      "for (const n of [1, 2, 3]) writeFileSync(process.env.STATE_DIR + '/.tmp-' + process.pid + '-' + n, '');\n";
    const { dir, code, stderr } = await run(() => undefined, `${leave}state.set('k', 'new');`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readFileSync(join(dir, 'k.json'), 'utf8')).toBe('"new"');
    expect(readdirSync(dir).filter((name) => name.startsWith('.tmp-'))).toHaveLength(3);
  });

  it('is not read through a link, and a link is replaced, not followed', async () => {
    const outside = join(tempDir('node-outside-'), 'secret.json');
    writeFileSync(outside, '"secret"');
    const link = (dir: string) => symlinkSync(outside, join(dir, 'k.json'));
    const read = await run(link, "console.log(state.get('k'));");
    expect(read).toMatchObject({ code: 1, stdout: '' });
    expect(read.stderr).toContain('ELOOP');
    const written = await run(link, "state.set('k', 1);\nconsole.log(state.get('k'));");
    expect(written).toMatchObject({ code: 0, stdout: '1\n' });
    expect(readFileSync(outside, 'utf8')).toBe('"secret"');
  });

  it('lists only what is a key', async () => {
    const files = (dir: string) => {
      for (const name of ['a.json', '100%.json', '%zz.json', 'b b.json', '.tmp-1-1', 'notes.txt', '%2Eb.json'])
        writeFileSync(join(dir, name), '1');
      mkdirSync(join(dir, 'folder.json'));
    };
    expect(await run(files, 'console.log(JSON.stringify(state.list()));')).toMatchObject({ stdout: '[".b","a"]\n' });
  });

  it.each(["'\\ud800'", '5', 'undefined', "'a\\0b'"])('refuses the key %s', async (key) => {
    const { dir, code, stderr } = await run(() => undefined, `state.set(${key}, 1);`);
    expect({ code, files: readdirSync(dir) }).toEqual({ code: 1, files: [] });
    expect(stderr).toContain('is no state key');
  });

  it('names the key of a value that is no JSON', async () => {
    const { stderr } = await run((dir) => writeFileSync(join(dir, 'k.json'), '{'), "state.get('k');");
    expect(stderr).toContain('the state under "k" is not JSON');
  });

  it('keeps the old value and no rest when the new one is too large or cannot be written', async () => {
    const { dir, stdout } = await run(
      (folder) => writeFileSync(join(folder, 'k.json'), '1'),
      `for (const value of ['x'.repeat(10 * 1024 * 1024), undefined, 1n]) {
        try { state.set('k', value); } catch (error) { console.log(error.name); }
      }`,
    );
    expect(stdout).toBe('RangeError\nTypeError\nTypeError\n');
    expect(readdirSync(dir)).toEqual(['k.json']);
    expect(existsSync(join(dir, 'k.json')) && readFileSync(join(dir, 'k.json'), 'utf8')).toBe('1');
  });
});
