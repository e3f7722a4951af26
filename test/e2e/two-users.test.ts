import { expect, it } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { exampleCopy, jsonFile, testHost } from '../support/platform.ts';

/** Operations that name something of a user: a second user must get the same answer as for something that is not there. */
const OWNED = Object.entries(OPERATIONS).filter(([, op]) => /\{(bot_id|name|key_id)\}/.test(op.path));
/** Operations that list things of the caller. */
const LISTS = ['bots.list', 'custom_bots.list', 'keys.list', 'audit.list'] as const;
const OWNER_ONLY = Object.entries(OPERATIONS).filter(([, op]) => op.access === 'owner');

function fill(path: string, values: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'x'));
}

const BODIES: Record<string, unknown> = {
  'bots.query': { path: '/status' },
  'bots.update': { name: 'mine now' },
  'state.set': { value: 1 },
};

it('a second user can see or touch nothing of the first, through any route or command', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const project = exampleCopy('node-sma-crossover');
  expect((await host.cliWith({ cwd: project }, 'custom-bot', 'deploy')).code).toBe(0);
  const config = { symbol: 'SPY', base_url: `${host.url}/feed` };
  const bot = await host.json(
    'bot',
    'deploy',
    jsonFile(host.dataDir, 'i.json', { name: 'first', type: 'realtime/node-sma-crossover', version: '1.0.0', config }),
  );
  const key = await host.json('keys', 'create', 'first');

  const added = await host.cliWith({ input: 'a long enough password\n' }, 'users', 'add', 'second', '--password-stdin');
  expect(added.code, added.stderr).toBe(0);
  const login = await fetch(`${host.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'second', password: 'a long enough password' }),
  });
  const { token } = (await login.json()) as { token: string };
  const as = (bearer: string) => async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${host.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, error: response.ok ? null : JSON.parse(text).error };
  };
  const second = as(token);

  const real = {
    bot_id: bot.bot_id,
    name: 'node-sma-crossover',
    version: '1.0.0',
    key_id: key.key_id,
    run_id: bot.run_id ?? 'run_x',
    key: 'bot_state',
  };
  const absent = {
    bot_id: 'bot_00000000000000000000000000',
    name: 'no-such-bot',
    version: '1.0.0',
    key_id: 'nokey',
    run_id: 'run_0',
    key: 'bot_state',
  };
  for (const name of LISTS) {
    const answer = await second('GET', OPERATIONS[name].path);
    expect([name, answer.status]).toEqual([name, 200]);
    expect(answer.text).not.toContain(bot.bot_id);
    expect(answer.text).not.toContain('node-sma-crossover');
    expect(answer.text).not.toContain(key.key_id);
  }
  expect(OWNED.length).toBeGreaterThan(20);
  for (const [name, op] of OWNED) {
    const needsQuery = name === 'metrics.series' ? '?type=price&field=value' : '';
    const body = op.method === 'GET' || op.method === 'DELETE' ? undefined : (BODIES[name] ?? {});
    const theirs = await second(op.method, fill(op.path, real) + needsQuery, body);
    const nothing = await second(op.method, fill(op.path, absent) + needsQuery, body);
    expect([name, theirs.status]).toEqual([name, 404]);
    expect([name, theirs.error.code, theirs.error.message]).toEqual([name, nothing.error.code, nothing.error.message]);
    expect(theirs.text).not.toContain('first');
  }
  for (const [name, op] of OWNER_ONLY) {
    const answer = await second(
      op.method,
      fill(op.path, { user_id: 'x' }),
      op.method === 'GET' || op.method === 'DELETE' ? undefined : { name: 'third', password: 'a long enough password' },
    );
    expect([name, answer.status, answer.error.code]).toEqual([name, 403, 'FORBIDDEN']);
  }

  // The same through the command line, as the second user.
  const env = {
    PLATFORM_API_KEY: token,
    PLATFORM_URL: host.url,
    PLATFORM_DATA_DIR: `${host.dataDir}/other`,
    PLATFORM_CONFIG_DIR: `${host.dataDir}/other`,
  };
  for (const command of [
    ['get'],
    ['logs'],
    ['state'],
    ['runs'],
    ['metrics'],
    ['start'],
    ['stop'],
    ['restart'],
    ['query', '/status'],
    ['delete', '-y'],
  ]) {
    const [verb = '', ...rest] = command;
    const result = await host.cliWith({ env }, 'bot', verb, bot.bot_id, ...rest);
    expect([verb, result.code]).toEqual([verb, 4]);
    expect(result.stderr).toContain('Bot not found');
  }
  const list = await host.cliWith({ env }, 'bot', 'list', '--json');
  expect(JSON.parse(list.stdout).items).toEqual([]);
  // And the first user's bot never noticed.
  expect(await host.json('bot', 'get', bot.bot_id)).toMatchObject({ name: 'first', status: 'running', restarts: 0 });
});
