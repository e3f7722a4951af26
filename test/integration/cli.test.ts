import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it, type TestContext } from 'vitest';
import { parse } from 'yaml';
import { endOf } from '../support/child-program.ts';
import { standForHost } from '../support/host-files.ts';
import { tempDir } from '../support/temp.ts';
import { isRunning } from '../support/units.ts';
import { until } from '../support/until.ts';
import { json, openStream, refuse, type SmallHost, sendEvent, smallHost } from '../unit/cli/small-host.ts';

const ENTRY = resolve(import.meta.dirname, '../../out/main/platform.js');
const ID = `bot_${'0'.repeat(26)}`;

/** The built command line as a process of its own, with folders of its own. */
class Cli {
  readonly dataDir = tempDir('platform-cli-');
  readonly configDir = join(this.dataDir, 'config');
  readonly env: NodeJS.ProcessEnv = {};

  start(...args: string[]): ChildProcess {
    const { PATH, HOME } = process.env;
    const own = { PATH, HOME, PLATFORM_DATA_DIR: this.dataDir, PLATFORM_CONFIG_DIR: this.configDir };
    return spawn(process.execPath, [ENTRY, ...args], { cwd: this.dataDir, env: { ...own, ...this.env } });
  }

  async run(args: readonly string[], input = '') {
    const child = this.start(...args);
    child.stdin?.end(input);
    const { code, stdout, stderr } = await endOf(child);
    return { code, stdout, stderr };
  }

  /** Makes a host the one of the data folder. */
  belongsTo(host: SmallHost): void {
    standForHost(this.dataDir, { url: host.url, token: 'local_token' });
  }
}

const BOT = {
  bot_id: ID,
  name: 'sma 🚀',
  type: 'scheduled/sma',
  version: '1.0.0',
  schedule: '0 14 * * 1-5',
  config: {},
  status: 'scheduled',
  enabled: true,
  reason: null,
  health: { state: 'ok', failures: 0, reason: null },
  next_run_at: null,
  last_run: null,
  restarts: 0,
  url: 'http://x',
};

const line = (seq: number, message: string, extra: object = {}) => ({
  ...{ seq, ts: '2026-01-31T10:14:02.000Z', time: null, level: 'info', source: 'stdout', message },
  ...{ fields: null, run_id: null, continued: false, masked: 0, ...extra },
});

async function answering(finished: TestContext['onTestFinished'], value: unknown): Promise<[SmallHost, Cli]> {
  const host = await smallHost(finished, (_, response) => json(response, 200, value));
  const cli = new Cli();
  cli.belongsTo(host);
  return [host, cli];
}

describe.concurrent('the command line as a process', () => {
  it('shows help and its version without a host', async () => {
    const cli = new Cli();
    expect(await cli.run([])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('Usage: platform'),
    });
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(await cli.run(['--version'])).toEqual({ code: 0, stderr: '', stdout: `${version}\n` });
    expect((await cli.run(['bot', 'logs', '--help'])).stdout).toMatch(/-w, --follow/);
  });

  it('ends with 2 for what it does not understand', async () => {
    const cli = new Cli();
    const wrong = await cli.run(['bot', 'lst']);
    expect(wrong).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: There is no command "bot lst". Did you mean "bot list"?\n  Help: platform bot --help\n',
    });
    expect((await cli.run(['bot', 'logs', ID, '-w', '--date', '2026-01-01'])).code).toBe(2);
    expect((await cli.run(['bot', 'query', ID, '/x', '--params', '[1]'])).code).toBe(2);
    expect((await cli.run(['bot', 'deploy', 'nowhere.json'])).code).toBe(2);
    const asJson = await cli.run(['bot', 'list', '--nope', '--json']);
    expect(JSON.parse(asJson.stderr).error.code).toBe('INVALID_REQUEST');
  });

  it('ends with 6 where no host is', async () => {
    const cli = new Cli();
    const none = await cli.run(['bot', 'list']);
    expect(none).toMatchObject({ code: 6, stdout: '', stderr: expect.stringContaining('platform start') });
    expect((await cli.run(['bot', 'list', '--url', 'http://127.0.0.1:9'])).code).toBe(6);
  });

  it.for([
    [3, 401, 'INVALID_API_KEY'],
    [4, 404, 'BOT_NOT_FOUND'],
    [5, 409, 'NAME_TAKEN'],
    [6, 504, 'QUERY_TIMEOUT'],
    [7, 502, 'QUERY_FAILED'],
    [1, 500, 'INTERNAL'],
  ] as const)(
    'ends with %s for %s %s, with the error of the host',
    async ([code, status, name], { onTestFinished }) => {
      const host = await smallHost(onTestFinished, (_, response) =>
        refuse(response, status, { code: name, message: 'M' }),
      );
      const cli = new Cli();
      cli.belongsTo(host);
      const result = await cli.run(['bot', 'get', ID, '--json']);
      expect(result).toMatchObject({ code, stdout: '' });
      expect(JSON.parse(result.stderr).error).toMatchObject({ code: name, message: 'M', request_id: 'req_1' });
      expect((await cli.run(['bot', 'get', ID])).stderr).toMatch(
        new RegExp(`^error: M\\n[^]*code ${name}, request req_1`),
      );
    },
  );

  it('uses the local token, and lists bots as a table or as the answer itself', async ({ onTestFinished }) => {
    const [host, cli] = await answering(onTestFinished, { items: [BOT] });
    const table = await cli.run(['bot', 'list']);
    expect(table.stdout).toMatch(/^NAME +STATUS +MODE +CUSTOM BOT +NOW +SCHEDULE +ID\n/);
    expect(table.stdout).toContain('sma 🚀');
    expect(table.stdout).toContain('every weekday at 14:00 UTC');
    expect(JSON.parse((await cli.run(['bot', 'ls', '--json'])).stdout)).toEqual({ items: [BOT] });
    expect(host.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['local_token', 'local_token']);
  });

  it('prints the JSON of a query alone', async ({ onTestFinished }) => {
    const [host, cli] = await answering(onTestFinished, { symbol: 'SPY', n: [1] });
    const params = '{"limit":"5"}';
    const raw = await cli.run(['bot', 'query', ID, '/status', '--params', params, '--raw', '--timeout', '2.5']);
    expect(raw).toEqual({ code: 0, stderr: '', stdout: '{"symbol":"SPY","n":[1]}\n' });
    expect(JSON.parse(host.seen[0]?.body ?? '')).toEqual({ path: '/status', params: { limit: '5' }, timeout_sec: 2.5 });
  });

  it('shows log lines with level and source, harmless', async ({ onTestFinished }) => {
    const page = {
      bot_id: ID,
      entries: [line(1, 'hello\u001b[2J', { level: 'warn', fields: { a: 1 } }), line(2, 'x', { source: 'stderr' })],
      truncated: false,
      older_before: null,
      incomplete: false,
    };
    const [host, cli] = await answering(onTestFinished, page);
    const shown = await cli.run(['bot', 'logs', ID, '-n', '2', '--level', 'warn', '--range', '20260101-20260131']);
    expect(shown.stdout).toBe(
      '2026-01-31 10:14:02  warn    stdout hello␛[2J a=1\n2026-01-31 10:14:02  info    stderr x\n',
    );
    expect(host.seen[0]?.url).toBe(`/api/v1/bots/${ID}/logs?level=warn&limit=2&date_range=20260101-20260131`);
    expect(JSON.parse((await cli.run(['bot', 'logs', ID, '--json'])).stdout)).toEqual(page);
  });

  it('follows with one JSON per line, and ends with 130 at Ctrl-C', async ({ onTestFinished }) => {
    const metric = {
      seq: 2,
      ts: '2026-01-31T10:14:03.000Z',
      time: null,
      type: 'price',
      data: { value: 1 },
      run_id: null,
    };
    const host = await smallHost(onTestFinished, ({ url }, response) => {
      const old = [3, 4, 5].map((seq) => ({ ...metric, seq }));
      if (url.includes('/logs')) return json(response, 200, { entries: [line(2, 'two')], incomplete: false });
      if (url.includes('/metrics')) return json(response, 200, { events: old });
      openStream(response);
      sendEvent(response, 7, { logs: [line(6, 'one')], metrics: [{ ...metric, seq: 7 }], seq: 7 });
    });
    const cli = new Cli();
    cli.belongsTo(host);
    const child = cli.start('bot', 'logs', ID, '-w', '--json', '--limit', '3');
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
    });
    await until('five lines', () => text.split('\n').length === 6);
    child.kill('SIGINT');
    expect(await new Promise((done) => child.once('close', done))).toBe(130);
    expect(
      text
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one)),
    ).toEqual([...[3, 4, 5].map((seq) => ({ ...metric, seq })), line(6, 'one'), { ...metric, seq: 7 }]);
    // The newest three of lines and metrics together, and from there on what comes.
    expect(host.seen.at(-1)?.url).toBe(`/api/v1/bots/${ID}/stream?after=5`);
  });

  it('follows to the new address of a host that was started again, and says when the bot was deleted', async ({
    onTestFinished,
  }) => {
    const page = { entries: [], events: [], incomplete: false };
    const old = await smallHost(onTestFinished, ({ url }, response) => {
      if (!url.includes('/stream')) return json(response, 200, page);
      openStream(response);
      sendEvent(response, 1, { logs: [line(1, 'before')], metrics: [], seq: 1 });
    });
    let streams = 0;
    const next = await smallHost(onTestFinished, (_, response) => {
      streams += 1;
      if (streams > 1) return refuse(response, 404, { code: 'BOT_NOT_FOUND', message: 'Bot not found' });
      openStream(response);
      sendEvent(response, 2, { logs: [line(2, 'after')], metrics: [], seq: 2 });
      response.end();
    });
    const cli = new Cli();
    cli.belongsTo(old);
    const child = cli.start('bot', 'logs', ID, '-w');
    const end = endOf(child);
    await once(child.stdout as Readable, 'data');
    cli.belongsTo(next);
    await old.close();
    const { code, stdout, stderr } = await end;
    expect(stdout).toMatch(/before\n.*after\n$/);
    expect(stderr).toBe('Connection lost, trying again…\nConnected again.\nThe bot was deleted.\n');
    expect(code).toBe(4);
    expect(next.seen[0]).toMatchObject({ headers: { 'last-event-id': '1', 'x-api-key': 'local_token' } });
  });

  it('ends a call that hangs with 130 at the first Ctrl-C, quietly', async ({ onTestFinished }) => {
    const host = await smallHost(onTestFinished, () => undefined);
    const cli = new Cli();
    cli.belongsTo(host);
    const child = cli.start('bot', 'list');
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
    });
    await until('the call', () => host.seen.length === 1);
    child.kill('SIGINT');
    expect(await new Promise((done) => child.once('close', done))).toBe(130);
    expect(stderr).toBe('');
  });

  it('ends quietly when nobody reads on', async ({ onTestFinished }) => {
    const many = Array.from({ length: 1000 }, (_, seq) => line(seq, 'x'.repeat(2000)));
    const [, cli] = await answering(onTestFinished, { entries: many, truncated: false, incomplete: false });
    const child = cli.start('bot', 'logs', ID);
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
    });
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await new Promise((done) => child.once('close', done))).toBe(0);
    expect(stderr).toBe('');
  });

  it('asks before it deletes; without a terminal the answer is no', async ({ onTestFinished }) => {
    const [host, cli] = await answering(onTestFinished, BOT);
    const refused = await cli.run(['bot', 'delete', ID], 'y\n');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing was deleted') });
    expect(host.seen.map(({ method }) => method)).toEqual(['GET']);
    expect((await cli.run(['bot', 'delete', ID, '-y'])).code).toBe(0);
    expect(host.seen.at(-1)).toMatchObject({ method: 'DELETE', url: `/api/v1/bots/${ID}` });
  });

  it('logs in at the local host: makes a key, keeps it for itself alone, uses it from then on', async ({
    onTestFinished,
  }) => {
    const status = { valid: true, user: { name: 'owner' }, key: { key_id: 'k1', name: 'mine' }, method: 'api_key' };
    const host = await smallHost(onTestFinished, ({ method, url }, response) =>
      json(response, 200, method === 'POST' && url === '/api/v1/keys' ? { key: 'plat_new', key_id: 'k1' } : status),
    );
    const cli = new Cli();
    cli.belongsTo(host);
    const login = await cli.run(['auth', 'login', '--name', 'mine']);
    expect(login.code, login.stderr).toBe(0);
    expect(login.stdout).not.toContain('plat_new');
    expect(host.seen[0]).toMatchObject({ headers: { 'x-api-key': 'local_token' }, body: '{"name":"mine"}' });
    const file = join(cli.configDir, 'credentials.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      [host.url]: { key: 'plat_new', key_id: 'k1', name: 'mine' },
    });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    await cli.run(['auth', 'status']);
    expect(host.seen.at(-1)?.headers['x-api-key']).toBe('plat_new');
    expect((await cli.run(['auth', 'logout'])).code).toBe(0);
    expect(host.seen.at(-1)).toMatchObject({ method: 'DELETE', url: '/api/v1/keys/k1' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({});
  });

  it('makes no key that it cannot keep, and takes back one that it could not keep', async ({ onTestFinished }) => {
    const cli = new Cli();
    const status = { user: { name: 'owner' }, key: { key_id: 'k1', name: 'mine' }, method: 'api_key' };
    const host = await smallHost(onTestFinished, ({ method, url }, response) => {
      if (method === 'POST') return json(response, 200, { key: 'plat_new', key_id: 'k1' });
      // Between the check and the end the file becomes one that cannot be replaced.
      if (url === '/api/v1/auth') mkdirSync(join(cli.configDir, 'credentials.json', 'x'), { recursive: true });
      json(response, 200, status);
    });
    cli.belongsTo(host);
    writeFileSync(cli.configDir, '');
    expect((await cli.run(['auth', 'login'])).code).toBe(1);
    expect(host.seen).toEqual([]);
    rmSync(cli.configDir);
    expect((await cli.run(['auth', 'login'])).code).toBe(1);
    expect(host.seen.at(-1)).toMatchObject({
      ...{ method: 'DELETE', url: '/api/v1/keys/k1' },
      headers: { 'x-api-key': 'plat_new' },
    });
    expect(readdirSync(cli.configDir)).toEqual(['credentials.json']);
  });

  it('logs in elsewhere by a code that is approved there', async ({ onTestFinished }) => {
    let polls = 0;
    const host = await smallHost(onTestFinished, ({ url }, response) => {
      if (url.endsWith('/device'))
        return json(response, 200, {
          device_code: 'd',
          user_code: 'AB-CD',
          interval_sec: 0.01,
          approve_url: 'http://host/connect?code=AB-CD',
        });
      if (url.endsWith('/poll')) {
        polls += 1;
        return json(
          response,
          200,
          polls < 3 ? { status: 'pending', key: null } : { status: 'approved', key: 'plat_r' },
        );
      }
      json(response, 200, { user: { name: 'ann' }, key: { key_id: 'k2', name: 'CLI' }, method: 'api_key' });
    });
    const cli = new Cli();
    const login = await cli.run(['auth', 'login', '--url', host.url]);
    expect(login.code, login.stderr).toBe(0);
    expect(login.stderr).toContain('platform auth approve AB-CD');
    expect(login.stderr).toContain('http://host/connect?code=AB-CD');
    expect(polls).toBe(3);
    expect(host.seen[0]?.headers['x-api-key']).toBeUndefined();
    expect(readFileSync(join(cli.configDir, 'credentials.json'), 'utf8')).toContain('plat_r');
  });

  it('takes a key from stdin, and refuses an empty one', async ({ onTestFinished }) => {
    const status = { user: { name: 'ann' }, key: { key_id: 'k3', name: 'mine' }, method: 'api_key' };
    const [host, cli] = await answering(onTestFinished, status);
    expect((await cli.run(['auth', 'login', '--api-key-stdin'], '\n')).code).toBe(2);
    expect(existsSync(join(cli.configDir, 'credentials.json'))).toBe(false);
    expect((await cli.run(['auth', 'login', '--api-key-stdin'], 'plat_given\n')).code).toBe(0);
    expect(host.seen.at(-1)?.headers['x-api-key']).toBe('plat_given');
  });

  it('adds a user with the password of stdin, never of an argument', async ({ onTestFinished }) => {
    const [host, cli] = await answering(onTestFinished, { name: 'second', role: 'user' });
    const added = await cli.run(['users', 'add', 'second', '--password-stdin'], 'a long enough password\n');
    expect(added.code, added.stderr).toBe(0);
    expect(JSON.parse(host.seen[0]?.body ?? '')).toEqual({ name: 'second', password: 'a long enough password' });
    expect((await cli.run(['users', 'add', 'second'])).code).toBe(2);
  });

  it('writes hints as they are typed, with the folder or address that was given', async () => {
    const cli = new Cli();
    cli.env.npm_lifecycle_event = 'npx';
    const none = await cli.run(['bot', 'list', '--data', `${cli.dataDir}/no where`]);
    expect(none.stderr).toContain(`\`npx platform --data "${cli.dataDir}/no where" start\``);
    expect((await cli.run(['bot', 'get'])).stderr).toContain('Help: npx platform');
    expect((await cli.run(['bot', 'logs', '--help'])).stdout).toContain('\n  npx platform bot logs "sma live" -w\n');
  });

  it('tells a newcomer without bots what to type', async ({ onTestFinished }) => {
    const [, cli] = await answering(onTestFinished, { items: [] });
    const { stdout } = await cli.run(['bot', 'list']);
    expect(stdout).toContain('\n  platform init my-bot\n');
    expect(stdout).toContain('\n  platform demo\n');
  });

  it('gives the command that changes the bot when its name is taken', async ({ onTestFinished }) => {
    const host = await smallHost(onTestFinished, (_, response) =>
      refuse(response, 409, { code: 'NAME_TAKEN', message: 'M' }),
    );
    const cli = new Cli();
    cli.belongsTo(host);
    writeFileSync(join(cli.dataDir, 'my bot.json'), '{"name":"sma live"}');
    const taken = await cli.run(['bot', 'deploy', 'my bot.json']);
    expect(taken).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('platform bot update "sma live" "my bot.json"'),
    });
    expect(taken.stderr).toContain('request req_1');
  });

  it('updates without a file, and shows what changed', async ({ onTestFinished }) => {
    let bot = { ...BOT, options: {}, run_id: null };
    const host = await smallHost(onTestFinished, ({ method, body }, response) => {
      if (method === 'PATCH') bot = { ...bot, ...JSON.parse(body) };
      json(response, 200, bot);
    });
    const cli = new Cli();
    cli.belongsTo(host);
    const updated = await cli.run(['bot', 'update', ID, '--version', '1.1.0', '--schedule', '0 15 * * *']);
    expect(updated).toMatchObject({ code: 0, stderr: '' });
    expect(updated.stdout.split('\n')).toEqual([
      'Updated sma 🚀.',
      '  version: 1.0.0 -> 1.1.0',
      '  schedule: 0 14 * * 1-5 -> 0 15 * * *',
      'The next run uses it.',
      '',
    ]);
    const patch = host.seen.find(({ method }) => method === 'PATCH');
    expect(JSON.parse(patch?.body ?? '')).toEqual({ version: '1.1.0', schedule: '0 15 * * *' });
    expect((await cli.run(['bot', 'update', ID, '--version', '1.1.0'])).stdout).toContain('Nothing changed');
    expect(await cli.run(['bot', 'update', ID])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--version'),
    });
  });

  it('names the option of a number that is out of range', async ({ onTestFinished }) => {
    const [host, cli] = await answering(onTestFinished, {});
    const wrong = await cli.run(['bot', 'logs', ID, '-w', '--limit', '2000']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--limit is 1 to 1000, not 2000.') });
    const short = await cli.run(['bot', 'logs', ID, '-n', 'abc']);
    expect(short.stderr).toContain('error: -n takes a whole number, not "abc".');
    expect(host.seen).toEqual([]);
  });

  it('tells a run or a metric that is not there from an empty one', async ({ onTestFinished }) => {
    const host = await smallHost(onTestFinished, ({ url }, response) => {
      if (url.includes('/runs/')) return refuse(response, 404, { code: 'RUN_NOT_FOUND', message: 'Run not found' });
      if (url.includes('/logs')) return json(response, 200, { entries: [], incomplete: false });
      const latest = { seq: 1, ts: '2026-01-31T10:14:02.000Z', time: null, type: 'price', data: {}, run_id: null };
      json(response, 200, { bot_id: ID, events: [], types: [{ type: 'price', count: 1, latest }], series: [] });
    });
    const cli = new Cli();
    cli.belongsTo(host);
    expect(await cli.run(['bot', 'logs', ID, '--run', 'run_x'])).toMatchObject({ code: 4, stdout: '' });
    expect(await cli.run(['bot', 'logs', ID])).toMatchObject({ code: 0, stdout: 'No lines.\n' });
    const metric = await cli.run(['bot', 'metrics', ID, 'nope']);
    expect(metric.stdout).toBe('No metrics of the type nope. There are: price.\n');
  });

  it('says of a summary that ended early before it met a problem which lines it has seen', async ({
    onTestFinished,
  }) => {
    const none = { debug: 0, info: 0, warn: 0, error: 0 };
    const seen = { groups: [], lines: 0, other_lines: 0, incomplete: true, from: null };
    const [, cli] = await answering(onTestFinished, { last_hour: none, by_level: none, ...seen });
    const { stdout, stderr } = await cli.run(['bot', 'logs', ID, '--summary']);
    expect(stdout + stderr).toContain('There was no time for all lines; the newest contain no warning or error');
    expect(stdout + stderr).not.toContain('null');
  });

  it('refuses to remove a version in use before it asks', async ({ onTestFinished }) => {
    const [host, cli] = await answering(onTestFinished, { items: [BOT] });
    const used = await cli.run(['custom-bot', 'delete', 'sma', '1.0.0']);
    expect(used).toMatchObject({ code: 5, stderr: expect.stringContaining('is used by sma 🚀') });
    expect(used.stderr).not.toContain('Nothing was removed');
    expect((await cli.run(['custom-bot', 'delete', 'sma', '2.0.0'])).stderr).toContain('Nothing was removed');
    expect(host.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('changes state only to what will be stored as it is written, and asks before it removes', async ({
    onTestFinished,
  }) => {
    const [host, cli] = await answering(onTestFinished, { ok: true, value: 1 });
    const state = ['bot', 'state', ID, 'position'];
    const large = await cli.run([...state, '--set', '{"order": 9007199254740993}']);
    expect(large).toMatchObject({ code: 2, stderr: expect.stringContaining('9007199254740993 would lose') });
    expect((await cli.run([...state, '--delete'])).code).toBe(2);
    expect(host.seen).toEqual([]);
    expect((await cli.run([...state, '--set', '-'], '{"units": 2}')).stdout).toBe('Set position.\n');
    expect((await cli.run([...state, '--delete', '-y'])).stdout).toBe('Removed position.\n');
    expect(host.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['PUT', `/api/v1/bots/${ID}/state/position`, '{"value":{"units":2}}'],
      ['DELETE', `/api/v1/bots/${ID}/state/position`, ''],
    ]);
  });

  it('says what is wrong with a data folder, and does not hang over it', async () => {
    const cli = new Cli();
    writeFileSync(join(cli.dataDir, 'file'), '');
    const file = await cli.run(['start', '--detach', '--data', join(cli.dataDir, 'file')]);
    expect(file).toMatchObject({ code: 2, stderr: expect.stringContaining('it is a file, not a folder') });
    if (process.platform !== 'linux') return;
    expect(await cli.run(['start', '--detach', '--data', '/proc/nope'])).toMatchObject({ code: 2 });
  });

  it('makes no backup for a file that cannot be written', async () => {
    const cli = new Cli();
    const refused = await cli.run(['backup', '--out', join(cli.dataDir, 'no-folder', 'bots.tar.gz')]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Name a file in a folder that exists') });
    expect(existsSync(join(cli.dataDir, 'backups'))).toBe(false);
  });

  it('stops nothing, in peace, where no host is', async () => {
    const cli = new Cli();
    expect(await cli.run(['stop'])).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to stop') });
    expect(JSON.parse((await cli.run(['stop', '--json'])).stdout)).toEqual({
      ok: true,
      was_running: false,
      bots_going_on: 0,
    });
    expect((await cli.run(['stop', '--url', 'http://127.0.0.1:9'])).code).toBe(6);
  });

  it('names PLATFORM_API_KEY when that key was refused', async ({ onTestFinished }) => {
    const host = await smallHost(onTestFinished, (_, response) =>
      refuse(response, 401, { code: 'INVALID_API_KEY', message: 'API key is invalid' }),
    );
    const cli = new Cli();
    cli.belongsTo(host);
    cli.env.PLATFORM_API_KEY = 'bad';
    expect(await cli.run(['bot', 'list'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/taken from PLATFORM_API_KEY.*request req_1/s),
    });
  });

  it('checks the host that was named, and calls a missing Docker no fault', async () => {
    const cli = new Cli();
    const named = await cli.run(['doctor', '--url', 'http://127.0.0.1:9']);
    expect(named).toMatchObject({ code: 9, stdout: expect.stringContaining('✗ Host') });
    const { checks } = JSON.parse((await cli.run(['doctor', '--json'])).stdout);
    const docker = checks.find((one: { name: string }) => one.name === 'Docker');
    // One that does not let this user in is noted.
    expect(docker.level).not.toBe('fault');
  });

  it('logs in with a password: a session makes the key, and is ended', async ({ onTestFinished }) => {
    const status = { user: { name: 'ann' }, key: { key_id: 'k4', name: 'mine' }, method: 'api_key' };
    const host = await smallHost(onTestFinished, ({ method, url }, response) => {
      if (url.endsWith('/auth/login')) return json(response, 200, { token: 'session_1' });
      if (url.endsWith('/auth/logout')) return json(response, 200, { ok: true });
      json(response, 200, method === 'POST' ? { key: 'plat_pw', key_id: 'k4' } : status);
    });
    const cli = new Cli();
    const login = ['auth', 'login', '--url', host.url, '--user', 'ann', '--name', 'mine'];
    const done = await cli.run([...login, '--password-stdin'], 'my password\n');
    expect(done.code, done.stderr).toBe(0);
    expect(host.seen.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([
      ['/api/v1/auth/login', undefined],
      ['/api/v1/keys', 'session_1'],
      ['/api/v1/auth/logout', 'session_1'],
      ['/api/v1/auth', 'plat_pw'],
    ]);
    expect(JSON.parse(host.seen[0]?.body ?? '')).toEqual({ name: 'ann', password: 'my password' });
    expect(readFileSync(join(cli.configDir, 'credentials.json'), 'utf8')).toContain('plat_pw');
    expect((await cli.run(login)).stderr).toContain('--password-stdin');
    expect((await cli.run(['auth', 'login', '--password-stdin'])).code).toBe(2);
  });

  it('ends the program of a query at Ctrl-C, and when it takes too long', async () => {
    const cli = new Cli();
    await cli.run(['init', 'hangs', '-t', 'node']);
    const { entrypoints } = parse(readFileSync(join(cli.dataDir, 'hangs', 'bot-config.yaml'), 'utf8'));
    const program = "console.log('pid', process.pid); setInterval(() => undefined, 1000);\n";
    writeFileSync(join(cli.dataDir, 'hangs', entrypoints.query), program);
    const gone = (text: string) => () => !isRunning(Number(/pid (\d+)/.exec(text)?.[1]));

    const child = cli.start('dev', 'hangs', '--query', '/status');
    const end = endOf(child);
    let said = '';
    child.stderr?.on('data', (text) => {
      said += text;
    });
    await until('its program', () => /pid \d+\n/.test(said));
    child.kill('SIGINT');
    const stopped = await end;
    expect(stopped.code).toBe(130);
    await until('its end', gone(stopped.stderr));

    const late = await cli.run(['dev', 'hangs', '--query', '/status', '--timeout', '1']);
    expect(late).toMatchObject({ code: 6, stderr: expect.stringContaining('did not finish within 1 s') });
    await until('its end', gone(late.stderr));
    expect(await cli.run(['dev', 'hangs', '--query', '/status', '--timeout', '0'])).toMatchObject({ code: 2 });
  });

  it('starts a project whose folder needs quotes, runs it with a header, and says that it has stopped', async () => {
    const cli = new Cli();
    const made = await cli.run(['init', 'Jürgens Böt', '-t', 'node']);
    expect(made.stdout).toContain('Made jurgens-bot in ');
    expect(made.stdout).toContain('\n  platform dev "Jürgens Böt" ');
    expect((await cli.run(['custom-bot', 'validate', 'Jürgens Böt'])).stdout).toContain('and so is its instance.json');
    const child = cli.start('dev', 'Jürgens Böt');
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => {
      stdout += String(chunk);
    });
    child.stderr?.on('data', (chunk) => {
      stderr += String(chunk);
    });
    await until('a metric', () => stdout.includes('rounds=1'));
    child.kill('SIGINT');
    expect(await new Promise((done) => child.once('close', done))).toBe(0);
    expect(stderr).toMatch(/^jurgens-bot 1\.0\.0 \(realtime, node\w+\) runs here/);
    expect(stderr).toContain('platform dev "Jürgens Böt" --query /status');
    expect(stderr).toMatch(/Stopped after .*s\.\n$/);
    expect(await cli.run(['dev', 'nodir'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nodir: there is no such folder'),
    });
  });
});
