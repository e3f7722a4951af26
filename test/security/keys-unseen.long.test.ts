import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fastAsking, makeKey } from '../support/mcp.ts';
import { endOf, killAll, pidsUnder, procText, TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { rawRequest } from '../support/raw-http.ts';
import { deployTiny, lineUntil } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/**
 * No key, password or token is in the arguments of a program, in the environment of a program that is not the caller's
 * own, in logs, in errors, or in the remains of a crash. Assistants' files and links are covered in
 * test/unit/shared/assistants.test.ts and test/integration/mcp/connect.long.test.ts; bots' secrets in their logs in
 * planted-secrets.long.test.ts.
 */
const host = new TestHost();
const PASSWORD = 'a-password-nobody-may-see';
let key = '';
let session = '';
/** The one thing that a stranger could have of a key is its id, which is public. */
const secrets = (): readonly (readonly [string, string])[] => [
  ['the key', key.slice(18)],
  ['the token of the host', host.token],
  ['the session', session.slice(18)],
  ['the password', PASSWORD],
];

beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host);
});
afterAll(() => endOf(host));

/** Programs that have the data folder of this test in their arguments or environment: the host's, the bots', the client's. */
const programs = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .filter((pid) => `${procText(pid, 'cmdline')} ${procText(pid, 'environ')}`.includes(host.dataDir));

it('none stands in arguments of any program, or in the environment of one that it was not given to', async () => {
  const inArguments: string[] = [];
  const inEnvironment: string[] = [];
  let looks = 0;
  const seen = new Set<number>();
  const look = (): void => {
    looks += 1;
    for (const pid of programs()) {
      const [args, environment] = [procText(pid, 'cmdline'), procText(pid, 'environ')];
      if (args === '') continue;
      seen.add(pid);
      const name = args.replaceAll('\0', ' ').slice(0, 120);
      // The caller of a command gives it its key.
      const isClient = args.includes('platform.js');
      for (const [what, secret] of secrets()) {
        if (secret === '') continue;
        if (args.includes(secret)) inArguments.push(`${what}: ${name}`);
        if (!isClient && environment.includes(secret)) inEnvironment.push(`${what}: ${name}`);
      }
    }
  };
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setInterval(look, 25);
    try {
      return await work;
    } finally {
      clearInterval(timer);
      look();
    }
  };
  const env = { PLATFORM_API_KEY: key };
  await watched(host.cliWith({ input: `${PASSWORD}\n` }, 'users', 'add', 'watched', '--password-stdin'));
  const login = await rawRequest(`${host.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'watched', password: PASSWORD }),
  });
  session = login.json().token;
  for (const command of [
    ['auth', 'login', '--url', host.url, '--api-key-stdin'],
    ['bot', 'list'],
  ])
    expect((await watched(host.cliWith({ input: `${key}\n` }, ...command))).code, command.join(' ')).toBe(0);
  const query = "import { query } from '@bot-platform/sdk';\nquery.handler('/x', () => 1);\nquery.run();";
  const bot = await watched(
    deployTiny(host, { name: 'watched', bot: 'console.log("up"); setInterval(() => {}, 60_000);', query }),
  );
  await watched(lineUntil(host, bot.bot_id, 'up'));
  await watched(host.cliWith({ env }, 'bot', 'query', bot.bot_id, '/x'));
  expect(pidsUnder(host.dataDir).length).toBeGreaterThan(1);

  // A tool that installs packages runs code of strangers: here it is one that waits to be looked at.
  const tools = join(host.dataDir, 'tools');
  const project = join(host.dataDir, 'project');
  for (const dir of [tools, join(project, 'src')]) mkdirSync(dir, { recursive: true });
  const marker = join(host.dataDir, 'npm-was-here');
  writeFileSync(join(tools, 'npm'), `#!/bin/sh\nenv > ${marker}\nexit 1\n`, { mode: 0o755 });
  writeFileSync(join(project, 'package.json'), '{"name":"p","version":"1.0.0","dependencies":{"left-pad":"1.3.0"}}');
  writeFileSync(join(project, 'src/b.mjs'), '');
  writeFileSync(join(project, 's.json'), '{"type":"object","title":"t","description":"d","properties":{}}');
  writeFileSync(
    join(project, 'bot-config.yaml'),
    'name: vendored\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints: {bot: src/b.mjs}\nschema: {bot: s.json}\n',
  );
  const PATH = `${tools}${delimiter}${process.env.PATH}`;
  await watched(host.cliWith({ cwd: project, env: { ...env, PATH, PLATFORM_URL: host.url } }, 'custom-bot', 'deploy'));
  expect(readFileSync(marker, 'utf8')).toContain('PATH=');
  expect(readFileSync(marker, 'utf8')).not.toContain(key);

  // A host that the command line starts has no use for its key.
  const other = join(host.dataDir, 'other');
  const start = ['start', '--detach', '--port', '0', '--data', other];
  const started = await watched(host.cliWith({ env: { ...env, PLATFORM_DATA_DIR: other } }, ...start));
  expect(started.code, started.stderr).toBe(0);
  const { pid } = JSON.parse(readFileSync(join(other, 'host.json'), 'utf8')) as { pid: number };
  const itsEnvironment = procText(pid, 'environ');
  killAll([pid]);
  await until('its end', () => procText(pid, 'cmdline') === '');
  expect(itsEnvironment).toContain('PATH=');
  expect(itsEnvironment).not.toContain(key);

  expect([inArguments, inEnvironment]).toEqual([[], []]);
  expect(seen.size).toBeGreaterThan(4);
  await prove('P14', 'keys, passwords and tokens in arguments and environments of programs', {
    'programs looked at': seen.size,
    looks,
    found: inArguments.length + inEnvironment.length,
  });
});

it('a bot is given what the contract says and nothing else of the host', async () => {
  const shows = 'console.log(JSON.stringify({ message: "environment", names: Object.keys(process.env).sort() }));';
  const bot = await deployTiny(host, { name: 'environment', bot: `${shows} setInterval(() => {}, 60_000);` });
  const { fields } = await lineUntil(host, bot.bot_id, 'environment');
  const allowed = [
    ...['BOT_CONFIG', 'BOT_ID', 'BOT_TYPE', 'CODE_MOUNT_DIR', 'CONFIG', 'HOME', 'ID', 'LANG', 'PATH'],
    ...['QUERY_PORT', 'QUERY_TOKEN', 'CONTROL_DIR', 'CONTROL_TOKEN_SHA256'],
    ...[
      'PLATFORM_QUERY_PORT',
      'RESULT_FILE',
      'RUN_ID',
      'STATE_DIR',
      'TMPDIR',
      'TZ',
      'PWD',
      'SHLVL',
      'OLDPWD',
      '_',
      'PYTHONUNBUFFERED',
    ],
    ...[
      'NODE_PATH',
      'NODE_OPTIONS',
      'QUERY_RESULT_FILE',
      'PYTHONPATH',
      'PLATFORM_SDK',
      'PLATFORM_HOST',
      'PLATFORM_MODE',
    ],
  ];
  expect(((fields?.names ?? []) as string[]).filter((name) => !allowed.includes(name))).toEqual([]);
});

it('none stands in an error, in the log of the host, in its databases or in what its crash leaves', async () => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const errors = [
    await rawRequest(`${host.url}/api/v1/bots/${key}`, { headers }),
    await rawRequest(`${host.url}/api/v1/nothing?api_key=${key}`, { headers }),
    await rawRequest(`${host.url}/api/v1/bots`, { method: 'POST', headers, body: `{"${'x'.repeat(10)}":1` }),
    await rawRequest(`${host.url}/api/v1/bots`, { headers: { 'x-api-key': `${key}x` } }),
    await rawRequest(`${host.url}/api/v1/bots`, { headers: { authorization: `Basic ${key}` } }),
    await rawRequest(`${host.url}/api/v1/auth/login`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'watched', password: `${PASSWORD}x` }),
    }),
    await rawRequest(`${host.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': `${key}x` },
      body: '{}',
    }),
  ];
  for (const { status, text } of errors) {
    expect(status).toBeGreaterThanOrEqual(400);
    // Not even what the sender has put where no key belongs.
    expect(text).not.toContain(PASSWORD);
    expect(text).not.toMatch(/ at .*\.(?:ts|js):\d+/);
  }
  for (const { text } of errors.slice(1)) expect(text).not.toContain(key.slice(18));
  await host.kill();
  const files = readdirSync(host.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found: string[] = [];
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    // The discovery file is how the owner of this machine logs in; the client's own file is how its command line does.
    if (path === join(host.dataDir, 'host.json') || path.startsWith(host.configDir)) continue;
    const text = readFileSync(path, 'latin1');
    for (const [what, secret] of secrets()) if (text.includes(secret)) found.push(`${what} in ${path}`);
  }
  expect(found).toEqual([]);
  await host.start();
  await prove(
    'P14',
    'keys, passwords and tokens in files of a host that was killed',
    { 'files read': files.length, found: found.length },
    'P14-files',
  );
});
