import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assistantFile } from '../../../src/shared/assistant-places.ts';
import { ASSISTANTS } from '../../../src/shared/assistants.ts';
import { makeKey } from '../../support/mcp.ts';
import { type CliResult, TestHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { call, deployTiny } from '../../support/tiny-bot.ts';

const KEY = /plat_[\w-]{20,}/g;
const host = new TestHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

/** Runs `platform connect` for a home folder of its own. */
const connect = (home: string, ...args: string[]): Promise<CliResult> =>
  host.cliWith({ env: { HOME: home, PATH: dirname(process.execPath) } }, 'connect', ...args);

const fileIn = (home: string, name: (typeof ASSISTANTS)[number]): string =>
  assistantFile(name, { os: process.platform, home, env: {} }) ?? '';
const WRITTEN = ASSISTANTS.filter((name) => name !== 'generic');
const keysIn = (text: string): string[] => text.match(KEY) ?? [];

const keys = () => call<{ items: { key_id: string; scope: string }[] }>(host, 'GET', '/api/v1/keys');

async function toolsOf(key: string, path = '/mcp'): Promise<string[]> {
  const answer = await fetch(`${host.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  const { result, error } = (await answer.json()) as {
    result?: { tools: { name: string }[] };
    error?: { message: string };
  };
  return result?.tools.map((tool) => tool.name) ?? [error?.message ?? ''];
}

it('lists the assistants, those of this machine first, and fits a terminal', async () => {
  const home = tempDir();
  mkdirSync(join(home, '.lmstudio'));
  const { code, stdout } = await connect(home);
  expect(code).toBe(0);
  const rows = stdout.split('\n');
  expect(rows[1]).toMatch(/^lm-studio +LM Studio +yes +address$/);
  for (const name of ASSISTANTS) expect(stdout).toContain(name);
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
  expect(rows.length).toBeLessThanOrEqual(24);
});

describe.each(ASSISTANTS)('connect %s', (name) => {
  it('shows what to do, and makes no key', async () => {
    const home = tempDir();
    const before = (await keys()).items.length;
    const { code, stdout, stderr } = await connect(home, name, '--extended', '--scope', 'read');
    expect(code).toBe(0);
    expect(keysIn(stdout + stderr)).toEqual([]);
    expect((await keys()).items).toHaveLength(before);
    // Both servers, and how the key for them is made.
    expect(stdout).toContain('bot-platform');
    expect(stdout).toContain('bot-platform-extended');
    expect(stderr).toMatch(/keys create \S.* --scope read --extended/);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('connect --write', () => {
  it.each(WRITTEN)('puts the entry into the file of %s', async (name) => {
    const home = tempDir();
    const { code, stdout } = await connect(home, name, '--write', '-y');
    expect(code).toBe(0);
    const text = readFileSync(fileIn(home, name), 'utf8');
    expect(statSync(fileIn(home, name)).mode & 0o777).toBe(0o600);
    // Where the file has the key, nothing else has.
    const [key = ''] = keysIn(name === 'vscode' ? stdout : text);
    expect(keysIn(name === 'vscode' ? text : stdout)).toEqual([]);
    expect(await toolsOf(key)).toHaveLength(14);
  });

  it.each(WRITTEN)('puts both servers into the file of %s on a fresh machine', async (name) => {
    const home = tempDir();
    const before = (await keys()).items.length;
    const { code, stdout } = await connect(home, name, '--extended', '--write', '-y');
    expect(code).toBe(0);
    expect((await keys()).items).toHaveLength(before + 1);
    const text = readFileSync(fileIn(home, name), 'utf8');
    expect(text).toMatch(/bot-platform["\]]/);
    expect(text).toMatch(/bot-platform-extended["\]]/);
    const [key = '', ...others] = new Set(keysIn(name === 'vscode' ? stdout : text));
    expect(others).toEqual([]);
    expect(await toolsOf(key)).toHaveLength(14);
    expect(await toolsOf(key, '/mcp/extended')).toContain('custom_bot_publish');
  });

  it.each(['cursor', 'codex', 'claude-desktop'] as const)(
    'a second time keeps the keys of %s that do, makes those that are missing, and names none that is in use',
    async (name) => {
      const home = tempDir();
      const write = (...args: string[]) => connect(home, name, '--write', '-y', ...args);
      const held = () => keysIn(readFileSync(fileIn(home, name), 'utf8'));
      const ids = async () => (await keys()).items.map(({ key_id }) => key_id);
      await write();
      const [small = ''] = held();
      const known = await ids();

      expect((await write()).code).toBe(0);
      expect(held()).toEqual([small]);
      expect(await ids()).toEqual(known);

      const more = await write('--extended');
      expect(held()).toHaveLength(2);
      expect(held()).toContain(small);
      const made = (await ids()).filter((id) => !known.includes(id));
      expect(made).toHaveLength(1);
      for (const id of known) expect(more.stdout + more.stderr).not.toContain(id);

      const narrowed = await write('--scope', 'read');
      expect(held()).toHaveLength(2);
      expect(held()).not.toContain(small);
      expect(narrowed.stderr).toContain('still valid');
      for (const id of [...known, ...made]) expect(narrowed.stdout + narrowed.stderr).not.toContain(id);
    },
  );

  it('a second time makes no key for VS Code, which keeps its own, unless it is to do something else', async () => {
    const home = tempDir();
    const write = (...args: string[]) => connect(home, 'vscode', '--write', '-y', ...args);
    const ids = async () => (await keys()).items.map(({ key_id }) => key_id);
    await write('--scope', 'full');
    const known = await ids();
    // It asks by an id of the key, and anew for another one: it keeps an answer under its id.
    const asked = (): string[] => {
      const { inputs } = JSON.parse(readFileSync(fileIn(home, 'vscode'), 'utf8'));
      return inputs.map(({ id }: { id: string }) => id);
    };
    const before = asked();
    expect(before).toEqual([expect.stringMatching(/^bot-platform-key-[0-9a-z]{12}$/)]);
    expect(known.map((id) => `bot-platform-key-${id}`)).toContain(before[0]);
    const again = await write('--scope', 'full');
    expect(again.code).toBe(0);
    expect(asked()).toEqual(before);
    expect(keysIn(again.stdout)).toEqual([]);
    expect(again.stdout).toContain('the one it had');
    expect(again.stderr).toContain('keeps its key itself');
    expect(await ids()).toEqual(known);

    const more = await write('--scope', 'full', '--extended');
    expect(keysIn(more.stdout)).toHaveLength(1);
    expect(await ids()).toHaveLength(known.length + 1);
    expect(asked()).toEqual([...before, expect.stringMatching(/^bot-platform-extended-key-[0-9a-z]{12}$/)]);
    expect(keysIn((await write('--scope', 'full', '--extended')).stdout)).toEqual([]);

    const narrowed = await write('--scope', 'read');
    expect(keysIn(narrowed.stdout)).toHaveLength(1);
    expect(narrowed.stderr).toContain('still valid, and in use until it asks for the new one');
    expect(await ids()).toHaveLength(known.length + 2);
    expect(asked()).toHaveLength(2);
    expect(asked()).not.toContain(before[0]);
    // Another file, such as that of another user of this machine, has no key yet.
    expect(keysIn((await connect(tempDir(), 'vscode', '--write', '-y', '--scope', 'full')).stdout)).toHaveLength(1);
  });

  it('makes a new key in place of one that the host does not take', async () => {
    const home = tempDir();
    const write = () => connect(home, 'cursor', '--write', '-y');
    await write();
    const file = fileIn(home, 'cursor');
    const [key = ''] = keysIn(readFileSync(file, 'utf8'));
    writeFileSync(file, readFileSync(file, 'utf8').replace(key, `${key.slice(0, -4)}0000`));
    await write();
    const [now = ''] = keysIn(readFileSync(file, 'utf8'));
    expect(now).not.toBe(key);
    expect(await toolsOf(now)).toHaveLength(14);
  });

  it('changes nothing without a yes', async () => {
    const home = tempDir();
    const before = (await keys()).items.length;
    const { code, stderr } = await connect(home, 'cursor', '--write');
    expect(code).toBe(2);
    expect(stderr).toContain('Nothing was written');
    expect(readdirSync(home)).toEqual([]);
    expect((await keys()).items).toHaveLength(before);
  });

  it('leaves a file alone that it cannot read, and makes no key', async () => {
    const home = tempDir();
    const file = fileIn(home, 'cursor');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '{"mcpServers": {');
    const before = (await keys()).items.length;
    const { code, stderr } = await connect(home, 'cursor', '--write', '-y');
    expect(code).toBe(2);
    expect(stderr).toContain(`${file} line 1`);
    expect(readFileSync(file, 'utf8')).toBe('{"mcpServers": {');
    expect((await keys()).items).toHaveLength(before);
  });

  it('sets Claude Desktop up so that its own command works', async ({ onTestFinished }) => {
    const home = tempDir();
    await connect(home, 'claude-desktop', '--write', '-y', '--scope', 'read');
    const { mcpServers } = JSON.parse(readFileSync(fileIn(home, 'claude-desktop'), 'utf8'));
    const { command, args, env } = mcpServers['bot-platform'];
    expect(args.join(' ')).not.toMatch(KEY);
    const client = new Client({ name: 'desktop', version: '1' });
    onTestFinished(() => client.close());
    // A desktop hands on nothing of the environment that this test runs in.
    await client.connect(new StdioClientTransport({ command, args, env: { ...env, HOME: home }, stderr: 'ignore' }));
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toContain('logs_get');
    expect(names).not.toContain('bot_deploy');
  });
});

it('makes keys for what was asked: scope, named bots, further tools', async () => {
  const bot = await deployTiny(host, { name: 'named-one', bot: 'setInterval(() => {}, 60_000);\n' });
  const args = ['--scope', 'read', '--bots', 'named-one', '--extended', '--json', '--write', '-y'];
  const answer = JSON.parse((await connect(tempDir(), 'cursor', ...args)).stdout);
  expect(answer.key).toMatchObject({ scope: 'read', bots: [bot.bot_id], extended: true });
  expect(answer.servers).toMatchObject([
    { server: 'bot-platform', url: `${host.url}/mcp` },
    { server: 'bot-platform-extended', url: `${host.url}/mcp/extended` },
  ]);
});

it('needs no host to show what to do', async () => {
  const none = new TestHost();
  const { code, stdout } = await none.cli('connect', 'cursor');
  expect(code).toBe(0);
  expect(stdout).toContain('http://127.0.0.1:4747/mcp');
  expect(stdout).toContain('<API_KEY>');
  expect((await none.cli('connect', 'cursor', '--write', '-y')).code).toBe(6);
});

it.each([
  [['claude'], 'Did you mean "claude-code"'],
  [['cursor', '--bundle', 'x'], '--bundle is for claude-desktop'],
  [['generic', '--write'], 'whose file is known'],
  [['cursor', '--write', '-y', '--no-key'], 'keeps the key in its file'],
  [['cursor', '--no-key', '--scope', 'read'], '--no-key makes none'],
  [['cursor', '--scope', 'everything'], '--scope is full, deploy, read'],
])('refuses %j', async (args, message) => {
  const { code, stderr } = await connect(tempDir(), ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

describe('a bundle for Claude Desktop', () => {
  it('holds a manifest and a program that starts the bridge, and no key', async () => {
    const dir = tempDir();
    const file = join(dir, 'bots.mcpb');
    const { code, stdout } = await connect(tempDir(), 'claude-desktop', '--bundle', file);
    expect(code).toBe(0);
    expect(keysIn(stdout)).toEqual([]);
    const key = await makeKey(host, { scope: 'deploy' });
    const unzip = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';
    execFileSync('python3', ['-c', unzip, file, dir]);
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({
      manifest_version: '0.3',
      name: 'bot-platform',
      server: { type: 'node', entry_point: 'server/index.js' },
      user_config: { api_key: { sensitive: true, required: true } },
    });
    expect(keysIn(readFileSync(file, 'latin1'))).toEqual([]);
    const { args, env } = manifest.server.mcp_config;
    const [entry = ''] = args.map((arg: string) => arg.replace(`\${__dirname}`, dir));
    expect(env).toEqual({ PLATFORM_API_KEY: `\${user_config.api_key}` });

    const client = new Client({ name: 'bundle', version: '1' });
    const started = { command: process.execPath, args: [entry], env: { PLATFORM_API_KEY: key, HOME: dir } };
    await client.connect(new StdioClientTransport({ ...started, stderr: 'ignore' }));
    expect((await client.listTools()).tools).toHaveLength(14);
    await client.close();
  });

  it('is one for each server', async () => {
    const dir = tempDir();
    const { stdout } = await connect(tempDir(), 'claude-desktop', '--bundle', join(dir, 'bots.mcpb'), '--extended');
    expect(readdirSync(dir).sort()).toEqual(['bots-extended.mcpb', 'bots.mcpb']);
    for (const file of readdirSync(dir)) expect(stdout).toContain(join(dir, file));
  });

  it('says what to do when the program is gone', async () => {
    const dir = tempDir();
    await connect(tempDir(), 'claude-desktop', '--bundle', join(dir, 'bots'), '--no-key');
    const read = 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read("server/index.js").decode())';
    const source = execFileSync('python3', ['-c', read, join(dir, 'bots.mcpb')], { encoding: 'utf8' });
    writeFileSync(join(dir, 'index.js'), source.replace(/platform\.js"/, 'no-such-platform.js"'));
    const child = spawn(process.execPath, [join(dir, 'index.js')]);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(1);
    expect(stderr).toContain('platform connect claude-desktop --bundle');
  });
});
