import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestHost } from '../support/platform.ts';
import { rawRequest } from '../support/raw-http.ts';
import { tempDir } from '../support/temp.ts';
import { call, packTiny, publish } from '../support/tiny-bot.ts';

/** A version goes from one host to another as one file, by the command line, as people do it. */
const here = new TestHost();
const there = new TestHost();
beforeAll(() => Promise.all([here.start(), there.start()]));
afterAll(() => Promise.all([here.stop(), there.stop()]));

const BOT = 'setInterval(() => {}, 60_000);\n';
const NETWORK = { network: [{ host: 'api.example.com', port: 443, tls: true }] };
const zips = (): boolean => {
  try {
    execFileSync('zip', ['-h'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe('a version of a custom bot', () => {
  it('is exported on one host and imported on another, with its hash, its permits and its changes', async () => {
    const dir = tempDir();
    await publish(here, { name: 'carried', bot: BOT });
    await publish(here, { name: 'carried', version: '1.1.0', bot: `${BOT}// more\n`, permits: NETWORK });
    const first = await here.cliWith({ cwd: dir }, 'custom-bot', 'export', 'carried@1.0.0');
    expect(first.stderr).toBe('');
    expect(first.stdout).toMatch(/Wrote .*carried-1\.0\.0\.tar\.gz \(3 files/);
    expect(first.stdout).toMatch(/custom-bot import \S*carried-1\.0\.0\.tar\.gz --hash [0-9a-f]{64}$/m);
    const second = await here.json('custom-bot', 'export', 'carried', join(dir, 'next.tgz'));
    expect(second).toMatchObject({ name: 'carried', version: '1.1.0', file: join(dir, 'next.tgz') });
    expect(readdirSync(dir).sort()).toEqual(['carried-1.0.0.tar.gz', 'next.tgz']);

    // Ordinary programs read it, and the same version makes the same file.
    const list = execFileSync('tar', ['-tzf', join(dir, 'next.tgz')], { encoding: 'utf8' });
    expect(list.trim().split('\n')).toEqual(['bot-config.yaml', 'bot-schema.json', 'src/bot.mjs']);
    await here.json('custom-bot', 'export', 'carried', join(dir, 'again.tgz'));
    expect(readFileSync(join(dir, 'again.tgz')).equals(readFileSync(join(dir, 'next.tgz')))).toBe(true);

    const [hash = ''] = /[0-9a-f]{64}/.exec(first.stdout) ?? [];
    const one = await there.cliWith({ cwd: dir }, 'custom-bot', 'import', 'carried-1.0.0.tar.gz', '--hash', hash, '-y');
    expect([one.code, one.stderr]).toEqual([0, '']);
    expect(one.stdout).toContain(`content hash ${hash}`);
    expect(one.stdout).toContain('This version declares no permits');
    expect(one.stdout).toContain('There is no version of carried below it here');
    expect(one.stdout).toContain('Published carried 1.0.0.');

    const two = await there.cliWith({ cwd: dir }, 'custom-bot', 'import', 'next.tgz', '-y');
    expect([two.code, two.stderr]).toEqual([0, '']);
    expect(two.stdout).toMatch(/\+ network: api\.example\.com, port 443, with TLS/);
    expect(two.stdout).toMatch(/2 files are different from 1\.0\.0:\n {2}~ bot-config\.yaml .*\n {2}~ src\/bot\.mjs/);
    const again = await there.json('custom-bot', 'import', join(dir, 'next.tgz'));
    expect(again).toMatchObject({ created: false, published: true, custom_bot: { hash: second.hash } });
    const there2 = await call<{ hash: string }>(there, 'GET', '/api/v1/custom-bots/carried?version=1.1.0');
    expect(there2.hash).toBe(second.hash);
  });

  it('is not written over a file that is there, unless that is asked for', async () => {
    const dir = tempDir();
    await publish(here, { name: 'written', bot: BOT });
    const file = join(dir, 'written-1.0.0.tar.gz');
    writeFileSync(file, 'mine');
    const refused = await here.cliWith({ cwd: dir }, 'custom-bot', 'export', 'written');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/is there already/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await here.cliWith({ cwd: dir }, 'custom-bot', 'export', 'written', '--force')).code).toBe(0);
    expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect((await here.cli('custom-bot', 'export', 'nothing')).code).toBe(4);
    expect(readdirSync(dir)).toEqual(['written-1.0.0.tar.gz']);
  });
});

describe('an import', () => {
  it('publishes nothing that its person has not agreed to, or that is another content', async () => {
    const file = join(tempDir(), 'asked.tar.gz');
    writeFileSync(file, await packTiny({ name: 'asked', bot: BOT }));
    const unasked = await there.cli('custom-bot', 'import', file);
    expect(unasked.code).toBe(2);
    expect(unasked.stdout).toContain('asked 1.0.0');
    expect(unasked.stderr).toMatch(/Nothing was published/);
    const other = await there.cli('custom-bot', 'import', file, '-y', '--hash', 'a'.repeat(64));
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/has the content hash [0-9a-f]{64}, not a{64}/);
    expect((await there.fetch('/api/v1/custom-bots/asked')).status).toBe(404);
  });

  it.runIf(process.platform === 'linux')('asks in a terminal', async () => {
    const file = join(tempDir(), 'answered.tar.gz');
    writeFileSync(file, await packTiny({ name: 'answered', bot: BOT }));
    const child = there.spawnCli({ terminal: true }, 'custom-bot', 'import', file);
    let shown = '';
    child.stdout?.on('data', (chunk) => {
      shown += String(chunk);
      if (shown.includes('[y/N]')) child.stdin?.end('y\n');
    });
    const [code] = await once(child, 'close');
    expect([code, shown]).toEqual([0, expect.stringContaining('Published answered 1.0.0.')]);
  });

  it.runIf(zips())('takes a zip of a folder, leaves out what no package holds, and says so', async () => {
    const dir = tempDir();
    const project = join(dir, 'zipped');
    mkdirSync(project);
    const config =
      'name: zipped\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints:\n  bot: bot.mjs\nschema:\n  bot: bot-schema.json\n';
    const files = {
      'bot-config.yaml': config,
      'bot-schema.json': '{"type":"object"}',
      'bot.mjs': BOT,
      '.env': 'KEY=1',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
    const deployed = await here.cliWith({ cwd: project }, 'custom-bot', 'deploy', '--json');
    execFileSync('zip', ['-q', '-r', 'zipped.zip', 'zipped'], { cwd: dir });
    const imported = await there.cliWith({ cwd: dir }, 'custom-bot', 'import', 'zipped.zip', '-y', '--json');
    expect(imported.stderr).toMatch(/warning: \.env:1:1 {2}is not in the package/);
    expect(JSON.parse(imported.stdout).custom_bot.hash).toBe(JSON.parse(deployed.stdout).custom_bot.hash);
  });

  it('says what is wrong with what it was given', async () => {
    const dir = tempDir();
    const words: readonly (readonly [string, RegExp])[] = [
      ['nothing.zip', /there is no such file/],
      ['.', /is a folder[\s\S]*custom-bot deploy/],
      ['text.zip', /neither a \.tar\.gz, nor a \.tar, nor a \.zip/],
    ];
    writeFileSync(join(dir, 'text.zip'), 'hello');
    for (const [name, message] of words) {
      const { code, stderr } = await there.cliWith({ cwd: dir }, 'custom-bot', 'import', name, '-y');
      expect([name, code]).toEqual([name, 2]);
      expect(stderr).toMatch(message);
    }
  });

  it('brings no removed version back with other content, and needs a key that may publish', async () => {
    const dir = tempDir();
    const bytes = await packTiny({ name: 'gone', bot: BOT });
    writeFileSync(join(dir, 'gone.tgz'), bytes);
    writeFileSync(join(dir, 'other.tgz'), await packTiny({ name: 'gone', bot: `${BOT}// other\n` }));
    await there.json('custom-bot', 'import', join(dir, 'gone.tgz'), '-y');
    await there.json('custom-bot', 'delete', 'gone', '1.0.0', '-y');
    const other = await there.cli('custom-bot', 'import', join(dir, 'other.tgz'), '-y');
    expect([other.code, other.stderr]).toEqual([5, expect.stringContaining('VERSION_EXISTS')]);
    const { key } = await call<{ key: string }>(there, 'POST', '/api/v1/keys', { name: 'reader', scope: 'read' });
    const env = { PLATFORM_API_KEY: key };
    const refused = await there.cliWith({ env }, 'custom-bot', 'import', join(dir, 'gone.tgz'), '-y');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('FORBIDDEN')]);
    await there.json('custom-bot', 'import', join(dir, 'gone.tgz'), '-y');
    // A key that may read may take a version with it: it can read each of its files.
    expect((await there.cliWith({ env, cwd: dir }, 'custom-bot', 'export', 'gone')).code).toBe(0);
    expect(existsSync(join(dir, 'gone-1.0.0.tar.gz'))).toBe(true);
  });
});

describe('over HTTP', () => {
  it('an export is a file to save, and a publication takes the hash that it must have', async () => {
    await publish(here, { name: 'plain', bot: BOT });
    const answer = await here.fetch('/api/v1/custom-bots/plain/package?version=1.0.0');
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'content-disposition': 'attachment; filename="plain-1.0.0.tar.gz"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const body = Buffer.from(await answer.arrayBuffer());
    const send = (path: string, type: string) =>
      rawRequest(`${there.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${there.token}`, 'content-type': type },
        body,
      });
    const inspected = await send('/api/v1/custom-bots/inspect', 'application/octet-stream');
    expect(inspected.json()).toMatchObject({ published: false, changes: null, custom_bot: { name: 'plain' } });
    const wrong = await send(`/api/v1/custom-bots?hash=${'0'.repeat(64)}`, 'application/gzip');
    expect([wrong.status, wrong.json().error.code]).toEqual([400, 'INVALID_PACKAGE']);
    const none = await send('/api/v1/custom-bots?hash=x', 'application/gzip');
    expect([none.status, none.json().error.code]).toEqual([400, 'INVALID_REQUEST']);
    const { hash } = inspected.json().custom_bot;
    expect((await send(`/api/v1/custom-bots?hash=${hash}`, 'application/zip')).status).toBe(201);
    expect((await send('/api/v1/custom-bots/inspect', 'text/html')).status).toBe(415);
  });

  it('an export ends with the key that asked for it', async () => {
    const dir = join(tempDir(), 'large');
    mkdirSync(dir);
    const written = await here.cliWith({ cwd: dir }, 'init', 'large', '--template', 'node');
    expect(written.code, written.stderr).toBe(0);
    // More than the buffers of a connection hold, and no compression makes it less.
    writeFileSync(join(dir, 'large/data.bin'), randomBytes(48 * 1024 * 1024));
    const published = await here.cliWith({ cwd: join(dir, 'large') }, 'custom-bot', 'deploy', '--json');
    expect(published.code, published.stderr).toBe(0);
    const made = await call<{ key: string; key_id: string }>(here, 'POST', '/api/v1/keys', {
      name: 'reads',
      scope: 'read',
    });
    const { version } = JSON.parse(published.stdout).custom_bot;
    const answer = await fetch(`${here.url}/api/v1/custom-bots/large/package?version=${version}`, {
      headers: { authorization: `Bearer ${made.key}` },
    });
    expect(answer.status).toBe(200);
    const reader = answer.body?.getReader();
    await reader?.read();
    await call(here, 'DELETE', `/api/v1/keys/${made.key_id}`);
    const rest = async (): Promise<void> => {
      for (;;) if ((await reader?.read())?.done !== false) return;
    };
    await expect(rest()).rejects.toThrow();
  });
});
