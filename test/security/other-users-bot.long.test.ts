import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ENTRIES } from '../../src/cli/command-registry.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { exampleCopy, jsonFile, testHost } from '../support/platform.ts';
import { everyVariant, prove } from '../support/proof.ts';
import { until } from '../support/until.ts';

/**
 * S10: a bot of another user is answered like one that is not there, through every operation over HTTP and over the socket
 * of a page, and through every command. The tools, resources and prompts for assistants, in each lane, are in
 * test/integration/mcp/isolation.long.test.ts; the pages of a second user in test/e2e/dashboard/two-users.long.test.ts.
 */

/** Operations whose name is that of something of everybody's: they publish it for the caller alone. */
const FOR_THE_CALLER: readonly string[] = ['samples.publish'];
/** Operations that name something of a user: a second user must get the same answer as for something that is not there. */
const OWNED = Object.entries(OPERATIONS).filter(
  ([name, op]) => !FOR_THE_CALLER.includes(name) && /\{(bot_id|name|key_id)\}/.test(op.path),
);
/** Operations that list things of the caller. */
const LISTS = ['bots.list', 'trash.list', 'approvals.list', 'custom_bots.list', 'keys.list', 'audit.list'] as const;
const OWNER_ONLY = Object.entries(OPERATIONS).filter(([, op]) => op.access === 'owner');

function fill(path: string, values: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'x'));
}

const QUERIES: Record<string, string> = {
  'metrics.series': '?type=price&field=value',
  'custom_bots.view': '?version=1.1.0',
  'custom_bots.file': '?version=1.1.0&path=bot-config.yaml',
  'custom_bots.diff': '?from=1.1.0&to=1.1.0',
};
const BODIES: Record<string, unknown> = {
  'bots.query': { path: '/status' },
  'bots.update': { name: 'mine now' },
  'secrets.rotate': { value: 'x' },
  'state.set': { value: 1 },
  'guards.set': { kind: 'drawdown', limit: '5' },
  'ledger.method': { method: 'average' },
  'bots.set_network': { mode: 'enforce' },
  'bots.arm': { for_sec: 3600, if_generation: 1 },
  'approvals.approve': { approval_id: 'apr_1' },
  'approvals.reject': { approval_id: 'apr_1' },
};

it('a second user can see or touch nothing of the first, through any route or command', async ({ onTestFinished }) => {
  const host = await testHost(onTestFinished);
  const project = exampleCopy('node-sma-crossover');
  expect((await host.cliWith({ cwd: project }, 'custom-bot', 'deploy')).code).toBe(0);
  const config = { symbol: 'SPY', base_url: `${host.url}/feed` };
  const bot = await host.json(
    'bot',
    'deploy',
    jsonFile(host.dataDir, 'i.json', { name: 'first', type: 'realtime/node-sma-crossover', version: '1.1.0', config }),
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
    version: '1.1.0',
    key_id: key.key_id,
    run_id: bot.run_id ?? 'run_x',
    key: 'bot_state',
  };
  const absent = {
    bot_id: 'bot_00000000000000000000000000',
    name: 'no-such-bot',
    version: '1.1.0',
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
    const needsQuery = QUERIES[name] ?? '';
    const body = op.method === 'GET' || op.method === 'DELETE' ? undefined : (BODIES[name] ?? {});
    const theirs = await second(op.method, fill(op.path, real) + needsQuery, body);
    const nothing = await second(op.method, fill(op.path, absent) + needsQuery, body);
    expect([name, theirs.status]).toEqual([name, 404]);
    expect([name, theirs.error.code, theirs.error.message]).toEqual([name, nothing.error.code, nothing.error.message]);
    expect(theirs.text).not.toContain('first');
  }
  const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await once(socket, 'open');
  const overSocket = async (kind: string, name: string, input: object) => {
    socket.send(JSON.stringify({ id: 1, [kind]: name, input }));
    const [data] = await once(socket, 'message');
    return JSON.parse(String(data)).error;
  };
  const bySocket = OWNED.filter(([, op]) => op.kind === 'call' || op.kind === 'stream');
  for (const [name, op] of bySocket) {
    const query = Object.fromEntries(new URLSearchParams(QUERIES[name] ?? ''));
    const input = (values: Record<string, string>): object => ({
      ...query,
      ...(BODIES[name] as object | undefined),
      ...Object.fromEntries([...op.path.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => [field, values[field] ?? 'x'])),
    });
    const kind = op.kind === 'stream' ? 'stream' : 'call';
    const theirs = await overSocket(kind, name, input(real));
    const nothing = await overSocket(kind, name, input(absent));
    expect([name, theirs.code, theirs.message]).toEqual([name, nothing.code, nothing.message]);
    expect([name, theirs.code]).toEqual([name, expect.stringMatching(/_NOT_FOUND$/)]);
  }
  socket.close();
  expect(JSON.parse((await second('GET', '/api/v1/host')).text).bots).toEqual({});
  const events = new AbortController();
  const live = await fetch(`${host.url}/api/v1/events?after=0`, {
    headers: { authorization: `Bearer ${token}` },
    signal: events.signal,
  });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const chunk of live.body ?? []) seen.push(new TextDecoder().decode(chunk));
  })().catch((error: unknown) => expect(events.signal.aborted, String(error)).toBe(true));
  for (const [name, op] of OWNER_ONLY) {
    const answer = await second(
      op.method,
      fill(op.path, { user_id: 'x' }),
      op.method === 'GET' || op.method === 'DELETE' ? undefined : { name: 'third', password: 'a long enough password' },
    );
    expect([name, answer.status, answer.error.code]).toEqual([name, 403, 'FORBIDDEN']);
  }

  // The same through the command line, as the second user: every command there is, or a reason why not.
  const env = {
    PLATFORM_API_KEY: token,
    PLATFORM_URL: host.url,
    PLATFORM_DATA_DIR: `${host.dataDir}/other`,
    PLATFORM_CONFIG_DIR: `${host.dataDir}/other`,
  };
  const change = jsonFile(host.dataDir, 'change.json', { name: 'mine now' });
  const name = 'node-sma-crossover';
  const refused: Readonly<Record<string, readonly string[]>> = {
    'bot get': [],
    'bot diagnose': [],
    'bot logs': [],
    'bot query': ['/status'],
    'bot update': [change],
    'bot start': [],
    'bot stop': [],
    'bot restart': [],
    'bot run': [],
    'bot state': [],
    'bot runs': [],
    'bot metrics': [],
    'bot stats': [],
    'bot events': [],
    'bot delete': ['-y'],
  };
  for (const [i, [words, rest]] of Object.entries(refused).entries()) {
    // By id and by name: the way from either to a bot is one for all commands.
    const ways = [bot.bot_id, 'first'];
    for (const bot_name of everyVariant ? ways : [ways[i % ways.length]]) {
      const result = await host.cliWith({ env }, ...words.split(' '), bot_name, ...rest);
      expect([words, bot_name, result.code]).toEqual([words, bot_name, 4]);
      expect(result.stderr).toContain('Bot not found');
    }
  }
  const others: Readonly<Record<string, readonly [string[], number]>> = {
    'custom-bot get': [[name], 4],
    'custom-bot schema': [[name], 4],
    'custom-bot delete': [[name, '1.1.0', '-y'], 4],
    'custom-bot files': [[name, '1.1.0'], 4],
    'custom-bot diff': [[name, '1.1.0', '1.1.0'], 4],
    'custom-bot export': [[`${name}@1.1.0`], 4],
    'users role': [['owner', 'user'], 3],
    'keys revoke': [['first'], 4],
    'users list': [[], 3],
    'moved-here': [['-y'], 3],
    'interpreters list': [['--json'], 0],
    'interpreters allow': [['awk'], 3],
    'interpreters remove': [['awk'], 3],
    'isolation list': [[], 3],
    'isolation end': [['x', '-y'], 3],
    'secrets list': [['--json'], 0],
    'secrets set': [['OWN', '--paper'], 0],
    'secrets rotate': [['OWNERS'], 4],
    'secrets used-by': [['OWNERS'], 4],
    'secrets remove': [['OWNERS'], 4],
    'secrets recovery-key': [[], 2],
    'secrets restore-key': [[], 3],
    'secrets new-key': [['-y'], 3],
    panic: [['first', '-y'], 4],
    'bot network': [['first'], 4],
    'bot arm': [['first'], 4],
    'bot disarm': [['first'], 4],
    'approvals list': [[], 0],
    'approvals show': [['first'], 4],
    'approvals approve': [['first'], 4],
    'approvals reject': [['first'], 4],
    'guards list': [['first'], 4],
    'guards set': [['first', 'drawdown', '5%'], 4],
    'guards remove': [['first', 'drawdown'], 4],
    pin: [[], 0],
    'pin set': [[], 2],
    'pin reset': [['owner'], 2],
    'alarms channels': [['--json'], 0],
    'alarms test': [['first'], 4],
    'alarms rules': [['--json'], 0],
    'alarms log': [[], 0],
    'alarms mute': [['first', '--for', '1h'], 4],
    'alarms watch': [[], 3],
    'sessions list': [[], 0],
    'sessions end': [['none'], 4],
    'users add': [['third', '--password-stdin'], 3],
    'users password': [['owner', '--password-stdin'], 3],
    'users remove': [['owner', '-y'], 3],
    'bot deploy': [
      [jsonFile(host.dataDir, 'theirs.json', { name: 'x', type: `realtime/${name}`, version: '1.1.0', config })],
      4,
    ],
    'bot list': [['--json'], 0],
    'trash list': [['--json'], 0],
    'trash restore': [['first'], 4],
    'trash empty': [['first', '-y'], 4],
    'custom-bot list': [['--json'], 0],
    ledger: [['--bot', bot.bot_id], 4],
    'ledger fills': [['--bot', 'first'], 4],
    'ledger orders': [['--bot', bot.bot_id], 4],
    'ledger positions': [['--json'], 0],
    'ledger equity': [['--json'], 0],
    'ledger problems': [['--json'], 0],
    'ledger conflicts': [['--json'], 0],
    'ledger method': [[bot.bot_id, 'average'], 4],
    'ledger rebuild': [[bot.bot_id], 4],
    'ledger erase': [[bot.bot_id, '-y'], 4],
    'keys list': [['--json'], 0],
    connect: [['claude-code', '--bots', bot.bot_id, '--write', '-y'], 4],
    stop: [[], 3],
    backup: [[], 3],
    storage: [['--days', '90'], 3],
  };
  for (const [words, [rest, code]] of Object.entries(others)) {
    const result = await host.cliWith({ env, input: 'a long enough password\n' }, ...words.split(' '), ...rest);
    expect([words, result.code, result.stderr]).toEqual([words, code, code === 0 ? '' : expect.anything()]);
    expect(result.stdout).not.toMatch(/first|bot_|node-sma/);
  }
  const params = { name: 'bot_get', arguments: { bot_id: bot.bot_id } };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const bridge = await host.cliWith({ env, input: `${message}\n` }, 'mcp');
  expect(JSON.parse(bridge.stdout).result).toMatchObject({ isError: true, content: [{ text: 'Bot not found' }, {}] });
  // These name nothing of anybody: they act on this machine, on the caller's own log-in, or on a project.
  const harmless = [
    ...[
      'start',
      'serve',
      'service install',
      'service status',
      'service remove',
      'open',
      'demo',
      'doctor',
      'init',
      'dev',
      'completion',
      'audit',
      'samples list',
      'samples deploy',
      'keys create',
      'images list',
      'images pull',
    ],
    ...[
      'auth login',
      'auth status',
      'auth logout',
      'auth approve',
      'auth password',
      'sessions end-others',
      'preferences',
      'custom-bot deploy',
      'custom-bot import',
      'custom-bot validate',
      'custom-bot verify',
      'sdk verify',
      'restore',
    ],
  ];
  const known = [...Object.keys(refused), ...Object.keys(others), 'mcp', ...harmless];
  expect(ENTRIES.map((entry) => entry.words).filter((words) => !known.includes(words))).toEqual([]);

  // The first user's bot never noticed.
  expect(await host.json('bot', 'get', bot.bot_id)).toMatchObject({ name: 'first', status: 'running', restarts: 0 });
  // What happens to it while the second user listens: events have one order, and one of the second user's own comes after it.
  await host.json('bot', 'update', 'first', jsonFile(host.dataDir, 'renamed.json', { name: 'renamed' }));
  expect((await host.cliWith({ env, cwd: project }, 'custom-bot', 'deploy')).code).toBe(0);
  const mine = jsonFile(host.dataDir, 'mine.json', {
    name: 'mine',
    type: `realtime/${name}`,
    version: '1.1.0',
    config,
  });
  const own = await host.cliWith({ env }, 'bot', 'deploy', mine, '--json');
  expect(own.code, own.stderr).toBe(0);
  await until('an event of their own', () => seen.join('').includes(JSON.parse(own.stdout).bot_id));
  events.abort();
  await reading;
  // Nor does a bot of their own lead to what belongs to the first user's.
  expect(bot.run_id).toMatch(/^run_/);
  const inside = `/api/v1/bots/${JSON.parse(own.stdout).bot_id}`;
  const ways = (run_id: string): string[] => [`runs/${run_id}`, `diagnosis?run_id=${run_id}`, `logs?run_id=${run_id}`];
  const absentRun = `run_${'0'.repeat(bot.run_id.length - 'run_'.length)}`;
  for (const [i, way] of ways(bot.run_id).entries()) {
    const [theirs, nothing] = [
      await second('GET', `${inside}/${way}`),
      await second('GET', `${inside}/${ways(absentRun)[i]}`),
    ];
    expect([way, theirs.status, theirs.error?.message]).toEqual([way, nothing.status, nothing.error?.message]);
    expect(theirs.text.replaceAll(bot.run_id, absentRun).replace(/req_\w+/, '')).toBe(
      nothing.text.replace(/req_\w+/, ''),
    );
  }
  expect(seen.join('')).not.toContain(bot.bot_id);
  await prove('S10', "another user's bot through every surface", {
    'operations over HTTP': OWNED.length,
    'operations over a socket': bySocket.length,
    commands: Object.keys(refused).length * (everyVariant ? 2 : 1) + Object.keys(others).length,
    'answered otherwise than what is not there': 0,
  });
});
