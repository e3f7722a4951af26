import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { BotEventBy } from '../../src/contract/bot-actor.ts';
import type { KeyRestored } from '../../src/contract/secrets.ts';
import { CANARY, holders, keyOf, liveHost, PIN, said } from '../support/live-bot.ts';
import { pidsOfBot, type TestHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { botUntil, call, getBot, publish } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const BOT = 'setInterval(() => {}, 1000);';
const TINY = {
  name: 'trades',
  bot: BOT,
  query: 'console.log(1)',
  schema: { type: 'object', properties: { key: { type: 'string' } } },
};
const USES = { config: { key: { $secret: 'LIVE' } } };

/** The events of arming, newest first, with how the one behind each has proved who they are. */
const told = async (host: TestHost, at: string): Promise<(readonly [string, string | null])[]> =>
  (await call<{ items: BotEventBy[] }>(host, 'GET', `${at}/events`)).items
    .filter(({ kind }) => /arm/.test(kind))
    .map(({ kind, by }) => [kind, by?.method ?? null]);

/** Leaves the control database of a host that does not run as the release before armings did. */
function beforeArmings(host: TestHost): void {
  const db = new Database(join(host.dataDir, 'control.db'));
  db.exec("drop table arming; delete from setting where name = 'arm_existing'");
  db.exec('alter table bot drop column trash; alter table bot drop column trash_name; drop table tombstone');
  db.pragma('user_version = 31');
  db.close();
}

it('a live secret enters no program before a person has armed its bot, and none after they disarmed it', async ({
  onTestFinished,
}) => {
  const { host, id, at, confirmed } = await liveHost(onTestFinished, TINY, USES);
  const waiting = await getBot(host, id);
  expect(waiting).toMatchObject({
    enabled: false,
    status: 'stopped',
    reason: { code: 'NEEDS_ARMING' },
    arming: { state: 'unarmed' },
  });
  const arm = { for_sec: 86_400, if_generation: waiting.generation };
  for (const [path, body] of [
    [`${at}/start`, {}],
    [`/bot/${id}/query`, { path: '/status' }],
  ] as const)
    expect([path, (await said(host, 'POST', path, body)).code]).toEqual([path, 'NEEDS_ARMING']);
  expect((await said(host, 'PATCH', at, { enabled: true })).code).toBe('NEEDS_ARMING');
  const { asKey: keyed } = await keyOf(host, 'all', confirmed);
  const asKey = async (method: string, path: string, body: object): Promise<string> =>
    (await keyed(method, path, body)).code;
  expect(await asKey('POST', `${at}/arm`, arm)).toBe('SESSION_REQUIRED');
  expect(await asKey('POST', `${at}/disarm`, {})).toBe('SESSION_REQUIRED');
  expect((await said(host, 'POST', `${at}/arm`, arm)).code).toBe('PIN_REQUIRED');
  expect((await said(host, 'POST', `${at}/arm`, { ...arm, if_generation: 99 }, confirmed)).code).toBe(
    'STALE_GENERATION',
  );
  expect(pidsOfBot(host, id)).toEqual([]);

  expect((await said(host, 'POST', `${at}/arm`, arm, confirmed)).code).toBe('ok');
  const running = await botUntil(host, id, 'running', ({ status }) => status === 'running');
  expect(running).toMatchObject({
    arming: { state: 'armed', version: '1.0.0', for_review: false },
    last_run: { mode: 'live' },
  });
  await until('the secret in its program', () => holders(host, id).length > 0);

  // What a key and a log-in alone change leaves the program as it is.
  await publish(host, { ...TINY, version: '1.0.1' });
  expect((await keyed('PATCH', at, { version: '1.0.1' })).body).toMatchObject({ outcome: 'waiting', version: '1.0.0' });
  expect((await said(host, 'PATCH', at, { version: '1.0.1' })).code).toBe('PIN_REQUIRED');
  expect(await getBot(host, id)).toMatchObject({ run_id: running.run_id, version: '1.0.0', status: 'running' });
  expect((await said(host, 'PATCH', at, { name: 'renamed' })).code).toBe('ok');
  expect(await asKey('POST', `${at}/restart`, {})).toBe('ok');
  // Nor may its network become looser without the PIN.
  const network = async (mode: string, headers = {}): Promise<string> =>
    (await said(host, 'PUT', `${at}/network`, { mode }, headers)).code;
  expect(await network('observe')).toBe('ok');
  expect(await asKey('PUT', `${at}/network`, { mode: 'open' })).toBe('SESSION_REQUIRED');
  expect(await network('open')).toBe('PIN_REQUIRED');
  expect(await network('open', confirmed)).toBe('ok');
  // A person with their PIN changes it, and its arming follows.
  expect((await said(host, 'PATCH', at, { version: '1.0.1' }, confirmed)).code).toBe('ok');
  await botUntil(
    host,
    id,
    'running the new version',
    ({ status, last_run, version }) => status === 'running' && version === '1.0.1' && last_run?.mode === 'live',
  );
  expect((await getBot(host, id)).arming).toMatchObject({ state: 'armed', version: '1.0.1' });

  // A new value is the same secret.
  await call(host, 'POST', '/api/v1/secrets/LIVE/rotate', { value: `${CANARY}-2` });
  expect((await getBot(host, id)).arming).toMatchObject({ state: 'armed' });

  // A killed host and a killed program need no person.
  await host.kill();
  await host.start();
  const adopted = await botUntil(host, id, 'running', ({ status }) => status === 'running');
  for (const pid of pidsOfBot(host, id)) process.kill(pid, 'SIGKILL');
  await until('the new value in its program', () => holders(host, id, `${CANARY}-2`).length > 0);
  await botUntil(host, id, 'running again', ({ status, run_id }) => status === 'running' && run_id !== adopted.run_id);

  expect((await said(host, 'POST', `${at}/disarm`)).code).toBe('ok');
  await botUntil(host, id, 'stopped', ({ status }) => status === 'stopped');
  await until('no program', () => holders(host, id).length === 0);
  expect((await said(host, 'POST', `${at}/start`, {})).code).toBe('NEEDS_ARMING');
  expect(await told(host, at)).toEqual([
    ['disarmed', 'local'],
    ['armed', 'local'],
  ]);
});

it('bots from before armings go on, armed for 90 days; those of a backup are not armed', async ({ onTestFinished }) => {
  const { host, id, at, confirmed } = await liveHost(onTestFinished, TINY, USES);
  const { generation } = await getBot(host, id);
  expect((await said(host, 'POST', `${at}/arm`, { for_sec: 3600, if_generation: generation }, confirmed)).code).toBe(
    'ok',
  );
  const before = await botUntil(host, id, 'running', ({ status }) => status === 'running');
  const file = join(tempDir('backup-'), 'all.tar.gz');
  expect(await host.cli('backup', '--out', file)).toMatchObject({ code: 0 });
  await host.kill();
  beforeArmings(host);
  await host.start();
  const upgraded = await botUntil(host, id, 'running', ({ status }) => status === 'running');
  expect(upgraded).toMatchObject({ run_id: before.run_id, restarts: before.restarts });
  expect(upgraded.arming).toMatchObject({ state: 'armed', for_review: true, armed_by: 'the upgrade' });
  expect((await told(host, at))[0]).toEqual(['armed', null]);
  const days = (Date.parse(upgraded.arming?.until ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89.9);
  for (const pid of pidsOfBot(host, id)) process.kill(pid, 'SIGKILL');
  const again = await botUntil(
    host,
    id,
    'running again',
    ({ status, run_id }) => status === 'running' && run_id !== before.run_id,
  );
  // No person has armed it: its books go on as they were.
  expect(again.last_run?.mode).toBe('unverified');
  await host.stop();

  expect(await host.cli('restore', file, '--start-bots', '-y')).toMatchObject({ code: 0 });
  await host.start();
  const restored = await botUntil(host, id, 'failed', ({ status }) => status === 'failed');
  expect(restored).toMatchObject({ reason: { code: 'NEEDS_ARMING' }, arming: { state: 'unarmed' } });
  expect(holders(host, id)).toEqual([]);
});

it('a host that gets its key back starts what was armed or is from before armings, and has the rest wait', async ({
  onTestFinished,
}) => {
  const { host, id, at, confirmed } = await liveHost(onTestFinished, TINY, USES);
  const { generation } = await getBot(host, id);
  const arm = { for_sec: 3600, if_generation: generation };
  expect((await said(host, 'POST', `${at}/arm`, arm, confirmed)).code).toBe('ok');
  await botUntil(host, id, 'running', ({ status }) => status === 'running');
  const { recovery_key } = await call<{ recovery_key: string }>(host, 'POST', '/api/v1/vault/recovery-key', {});
  const keys = host.env.PLATFORM_KEY_FOLDER ?? '';
  const sealed = async (change: () => void): Promise<void> => {
    await host.stop();
    for (const name of readdirSync(keys)) renameSync(join(keys, name), join(tempDir('gone-'), name));
    change();
    await host.start();
    const bot = await botUntil(host, id, 'sealed', ({ reason }) => reason?.code === 'SECRETS_SEALED');
    expect(bot.enabled).toBe(true);
  };
  const restored = async (): Promise<readonly string[]> => {
    const { started, waiting } = await call<KeyRestored>(host, 'POST', '/api/v1/vault/restore-key', { recovery_key });
    expect(waiting.map(({ bot_id, reason }) => [bot_id, reason.code])).toEqual(
      started.length > 0 ? [] : [[id, 'NEEDS_ARMING']],
    );
    return started.map(({ bot_id }) => bot_id);
  };
  await sealed(() => beforeArmings(host));
  expect(await restored()).toEqual([id]);
  const upgraded = await botUntil(host, id, 'running', ({ status }) => status === 'running');
  expect(upgraded.arming).toMatchObject({ state: 'armed', for_review: true });

  const inControl = (sql: string) => (): void => {
    const db = new Database(join(host.dataDir, 'control.db'));
    db.exec(sql);
    db.close();
  };
  // One whose arming has ended goes on, as at every start by the host.
  await sealed(inControl('update arming set until = armed_at + 1'));
  expect(await restored()).toEqual([id]);
  const ended = await botUntil(host, id, 'running', ({ status }) => status === 'running');
  expect(ended.arming).toMatchObject({ state: 'expired' });

  await sealed(inControl('delete from arming'));
  expect(await restored()).toEqual([]);
  const waiting = await getBot(host, id);
  expect(waiting).toMatchObject({ reason: { code: 'NEEDS_ARMING' }, arming: { state: 'unarmed' } });
  expect(holders(host, id)).toEqual([]);
  const again = await said(host, 'POST', '/api/v1/pin/confirm', { pin: PIN });
  const { confirmation } = again.body as unknown as { confirmation: string };
  const anew = await said(
    host,
    'POST',
    `${at}/arm`,
    { for_sec: 3600, if_generation: waiting.generation },
    { 'x-platform-confirmation': confirmation },
  );
  expect(anew.code).toBe('ok');
  await botUntil(host, id, 'running', ({ status }) => status === 'running');
});
