import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import { systemErrorCode } from '../../src/node/system-error.ts';
import { endOf, pidsOfBot, procText, TestHost, testHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { botUntil, call, deployTiny, getBot, lineUntil } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/**
 * A canary secret, by name and in a marked setting, is deployed, run, rotated, updated and backed up, and is found nowhere but in the
 * environment of its program. On another machine it stays sealed until the recovery key is given.
 */
const canary = (): string => `canary${randomBytes(16).toString('hex')}`;
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

const BOT = `
import { createHash } from 'node:crypto';
const config = JSON.parse(process.env.BOT_CONFIG);
const hash = (text) => createHash('sha256').update(text).digest('hex').slice(0, 12);
console.log('named ' + hash(config.login) + ' marked ' + hash(config.account.pin));
console.log('the value is ' + config.login + ', and in JSON ' + JSON.stringify(config));
setInterval(() => {}, 1000);
`;
const SCHEMA = {
  type: 'object',
  properties: {
    login: { type: 'string', minLength: 10 },
    account: { type: 'object', properties: { pin: { type: 'string', 'x-secret': true } } },
    symbol: { type: 'string' },
  },
};

/** A file of the folder, which is empty if the host has removed it since it was listed. */
function readUnlessGone(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Everything that a folder holds in files, also packed, that includes one of the texts. */
function filesHolding(dir: string, texts: readonly string[]): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readUnlessGone(file);
      const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
      return texts.some((text) => plain.includes(text));
    });
}

/** Programs, but for the bot's own, that have one of the texts in their arguments or environment. */
function programsHolding(own: ReadonlySet<number>, texts: readonly string[]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !own.has(Number(name)) && Number(name) !== process.pid)
    .filter((name) => {
      const pid = Number(name);
      const seen = `${procText(pid, 'cmdline')} ${procText(pid, 'environ')}`;
      return texts.some((text) => seen.includes(text));
    });
}

const answer = <T>(host: TestHost, method: string, path: string, body?: object): Promise<T> =>
  call<T>(host, method, `/api/v1${path}`, body);

it('is in no file, process listing, log, answer or backup, and opens elsewhere with the recovery key alone', async () => {
  const host = await testHost(onTestFinished, undefined, null, { PLATFORM_KEY_FOLDER: tempDir('keys-') });
  const [named, rotated, marked, changed] = [canary(), canary(), canary(), canary()];
  const texts = [named, rotated, marked, changed];
  const told: string[] = [];
  const stored = await host.cliWith({ input: `${named}\n` }, 'secrets', 'set', 'LOGIN', '--paper');
  expect(stored).toMatchObject({ code: 0, stdout: expect.stringContaining('{"$secret": "LOGIN"}') });
  told.push(stored.stdout, stored.stderr);
  const bot = await deployTiny(
    host,
    { name: 'keeps', bot: BOT, schema: SCHEMA },
    { config: { login: { $secret: 'LOGIN' }, account: { pin: marked }, symbol: 'BTC' } },
  );
  expect(bot.config).toEqual({ login: { $secret: 'LOGIN' }, account: { pin: '********' }, symbol: 'BTC' });
  await lineUntil(host, bot.bot_id, `named ${hashOf(named)} marked ${hashOf(marked)}`);
  const line = await lineUntil(host, bot.bot_id, 'the value is');
  expect(line.message).not.toContain(named);
  expect(programsHolding(new Set(pidsOfBot(host, bot.bot_id)), texts)).toEqual([]);

  const removal = await host.cli('secrets', 'remove', 'LOGIN');
  expect(removal).toMatchObject({ code: 5, stderr: expect.stringContaining('"keeps"') });
  told.push((await host.cliWith({ input: rotated }, 'secrets', 'rotate', 'LOGIN')).stdout);
  await answer(host, 'PATCH', `/bots/${bot.bot_id}`, { config_patch: { account: { pin: changed } } });
  await lineUntil(host, bot.bot_id, `named ${hashOf(rotated)} marked ${hashOf(changed)}`);
  const plain = await deployTiny(host, { name: 'plain', bot: 'setInterval(() => console.log("works"), 500)' });

  for (const path of [
    '/secrets',
    '/secrets/LOGIN/used-by',
    `/bots/${bot.bot_id}`,
    '/bots',
    '/audit',
    `/bots/${bot.bot_id}/events`,
    `/bots/${bot.bot_id}/logs?limit=1000`,
    `/bots/${bot.bot_id}/diagnosis`,
  ])
    told.push(JSON.stringify(await answer(host, 'GET', path)));
  const { recovery_key } = await answer<{ recovery_key: string }>(host, 'POST', '/vault/recovery-key', {});
  await expect(answer(host, 'POST', '/vault/recovery-key', {})).rejects.toThrow('RECOVERY_KEY_SHOWN');
  const file = join(tempDir('backup-'), 'all.tar.gz');
  expect(await host.cli('backup', '--with-logs', '--out', file)).toMatchObject({ code: 0 });
  await host.kill();
  // A crash leaves the write-ahead log; the next host adopts what runs, whose secrets it knows from its own records alone.
  await host.start();
  await answer(host, 'POST', `/bots/${bot.bot_id}/stop`);
  await botUntil(host, bot.bot_id, 'stopped', ({ status }) => status === 'stopped');
  // What the bot printed of its own key goes with the files of its run, soon after its end.
  await until('the files of the run to be removed', () => filesHolding(host.dataDir, texts).length === 0, 15_000);
  expect(filesHolding(host.dataDir, texts)).toEqual([]);
  await host.stop();
  expect(filesHolding(host.dataDir, texts)).toEqual([]);
  expect(filesHolding(join(file, '..'), texts)).toEqual([]);
  expect(told.filter((text) => texts.some((one) => text.includes(one)))).toEqual([]);

  const elsewhere = new TestHost();
  elsewhere.env = { PLATFORM_KEY_FOLDER: tempDir('keys-') };
  onTestFinished(() => endOf(elsewhere), 180_000);
  expect(await elsewhere.cli('restore', file, '--start-bots', '-y')).toMatchObject({ code: 0 });
  await elsewhere.start();
  const sealed = await botUntil(elsewhere, bot.bot_id, 'failed', ({ status }) => status === 'failed');
  expect(sealed.reason).toMatchObject({ code: 'SECRETS_SEALED', hint: expect.stringContaining('restore-key') });
  expect(sealed.config).toEqual({ login: { $secret: 'LOGIN' }, account: { pin: '********' }, symbol: 'BTC' });
  await lineUntil(elsewhere, plain.bot_id, 'works');
  expect(await answer(elsewhere, 'GET', '/secrets')).toMatchObject({
    vault: { open: false },
    items: [{ opens: false }],
  });
  const doctor = await elsewhere.json('doctor').catch((error: Error) => error.message);
  expect(JSON.stringify(doctor)).toContain('sealed with the key');
  const refused = await elsewhere.cliWith({ input: named }, 'secrets', 'set', 'OTHER');
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('sealed') });
  expect(readdirSync(elsewhere.env.PLATFORM_KEY_FOLDER ?? '')).toEqual([]);
  // A change that touches no secret keeps what is sealed.
  await answer<Bot>(elsewhere, 'PATCH', `/bots/${bot.bot_id}`, { config_patch: { symbol: 'ETH' } });

  const restored = await elsewhere.cliWith({ input: recovery_key.toLowerCase() }, 'secrets', 'restore-key');
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('Started keeps') });
  await lineUntil(elsewhere, bot.bot_id, `named ${hashOf(rotated)} marked ${hashOf(changed)}`);
  expect((await getBot(elsewhere, bot.bot_id)).config).toMatchObject({ symbol: 'ETH', account: { pin: '********' } });
});

it('a key stores paper secrets and no live ones, gets no live one into a program, and learns no value by a schema of its own', async () => {
  const host = await testHost(onTestFinished);
  const live = canary();
  await answer(host, 'POST', '/secrets', { name: 'LIVE', class: 'live', value: live });
  const { key } = await answer<{ key: string }>(host, 'POST', '/keys', { name: 'full', scope: 'full' });
  const asKey = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${host.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(text).not.toContain(live);
    return { status: response.status, code: JSON.parse(text).error?.code as string | undefined, text };
  };
  expect(await asKey('POST', '/secrets', { name: 'MINE', class: 'live', value: 'x' })).toMatchObject({ status: 403 });
  expect(await asKey('POST', '/secrets/LIVE/rotate', { value: 'x' })).toMatchObject({ code: 'SESSION_REQUIRED' });
  expect(await asKey('DELETE', '/secrets/LIVE')).toMatchObject({ code: 'SESSION_REQUIRED' });
  for (const what of ['recovery-key', 'new-key'])
    expect(await asKey('POST', `/vault/${what}`, {})).toMatchObject({ code: 'SESSION_REQUIRED' });
  expect(await asKey('GET', '/secrets')).toMatchObject({ status: 200 });
  expect(await asKey('POST', '/secrets', { name: 'TEST', class: 'paper', value: 'a paper value' })).toMatchObject({
    status: 201,
  });

  const schema = {
    type: 'object',
    properties: { login: { type: 'string', pattern: '^never$', maxLength: 1, enum: ['a'] } },
  };
  const bot = await deployTiny(host, { name: 'probe', bot: 'setInterval(() => {}, 1000)', schema }, { enabled: false });
  const use = (name: string) => asKey('PATCH', `/bots/${bot.bot_id}`, { config: { login: { $secret: name } } });
  expect(await use('NONE')).toMatchObject({ code: 'SECRET_NOT_FOUND' });
  expect(await use('TEST')).toMatchObject({ status: 200 });
  expect(await asKey('PATCH', `/bots/${bot.bot_id}`, { config: { login: { $sealed: 'v1.x' } } })).toMatchObject({
    code: 'INVALID_CONFIG',
  });
  // The rules are checked with the value at the start, whose reason quotes nothing of it.
  await asKey('POST', `/bots/${bot.bot_id}/start`);
  const failed = await botUntil(host, bot.bot_id, 'failed', ({ status }) => status === 'failed');
  expect(failed.reason?.code).toBe('INVALID_CONFIG');
  expect(JSON.stringify(failed)).not.toContain('a paper value');
  // It may refer to a live one: that bot waits until a person has armed it.
  expect(await use('LIVE')).toMatchObject({ status: 200 });
  expect(await asKey('POST', `/bots/${bot.bot_id}/start`)).toMatchObject({ code: 'NEEDS_ARMING' });
  expect(await asKey('POST', `/bots/${bot.bot_id}/stop`)).toMatchObject({ status: 200 });
});
