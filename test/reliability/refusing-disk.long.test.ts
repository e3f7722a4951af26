import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewApiKey } from '../../src/contract/account.ts';
import type { Bot } from '../../src/contract/bot.ts';
import { faultyDiskLibrary, whyNoFaultyDisk } from '../support/faulty-disk.ts';
import { endOf, ONCE, pidsOfBot, TestHost } from '../support/platform.ts';
import { call, deployTiny, getBot, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const { EDQUOT, EIO, EROFS } = constants.errno;
const BOT = `
console.log('up');
setInterval(() => {}, 60_000);`;

/** A host whose disk takes no writes to some of its files from the moment on that a test says so. */
async function hostOnRefusingDisk(): Promise<{ host: TestHost; refuse: (error: number, names: string[]) => void }> {
  const host = new TestHost();
  const refuses = join(host.dataDir, 'refuses');
  host.env = { LD_PRELOAD: await faultyDiskLibrary(), FAULTY_DISK_REFUSES: refuses };
  const refuse = (error: number, names: string[]): void => {
    if (names.length === 0) rmSync(refuses, { force: true });
    else writeFileSync(refuses, names.map((name) => `${error} ${join(host.dataDir, name)}\n`).join(''));
  };
  return { host, refuse };
}

/** Status, code and message of an answer. */
async function answerOf(host: TestHost, method: string, path: string, body: object = {}): Promise<string> {
  const init = method === 'DELETE' ? { method } : { method, body: JSON.stringify(body) };
  const response = await host.fetch(path, init);
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return error === undefined ? String(response.status) : `${response.status} ${error.code} ${error.message}`;
}

const ended = (host: TestHost, { bot_id, name }: Bot): Promise<unknown> =>
  until(`the end of ${name}`, () => pidsOfBot(host, bot_id).length === 0);

describe.skipIf(whyNoFaultyDisk() !== null)('a disk that refuses writes', () => {
  it('keeps no program from being ended, says what it did not record, and records that later', async ({
    onTestFinished,
  }) => {
    const { host, refuse } = await hostOnRefusingDisk();
    onTestFinished(() => endOf(host), 180_000);
    // A folder that is first opened on such a disk has no slot for a wish yet.
    refuse(EDQUOT, ['wishes']);
    await host.start();
    const quota = await deployTiny(host, { name: 'quota', bot: BOT });
    const another = (name: string): Promise<Bot> =>
      call<Bot>(host, 'POST', '/api/v1/bots', { name, type: 'realtime/quota', version: '1.0.0', config: {} });
    const stopped = [await another('over quota'), await another('faulty'), await another('read-only')];
    const disabled = await another('disabled');
    const deleted = await another('deleted');
    const due = await deployTiny(host, { name: 'due', type: 'scheduled', bot: BOT });
    await call(host, 'POST', `/api/v1/bots/${due.bot_id}/run`);
    const all = [quota, ...stopped, disabled, deleted, due];
    await until('every program', () => all.every(({ bot_id }) => pidsOfBot(host, bot_id).length > 0));
    const key = await call<NewApiKey>(host, 'POST', '/api/v1/keys', { name: 'leaked' });

    // The usual case: wishes have their space, or get it now.
    refuse(EDQUOT, ['control.db']);
    expect(await answerOf(host, 'POST', `/api/v1/bots/${quota.bot_id}/stop`)).toBe('200');
    await ended(host, quota);
    expect(await getBot(host, quota.bot_id)).toMatchObject({ enabled: false, reason: { code: 'UNRECORDED' } });
    expect(await answerOf(host, 'POST', '/api/v1/keys', { name: 'new' })).toMatch(/^507 STORAGE_FULL The disk refuses/);

    // Nor do they take a write.
    const nothing = ['control.db', 'wishes'];
    for (const [index, error] of [EDQUOT, EIO, EROFS].entries()) {
      const bot = stopped[index] ?? quota;
      refuse(error, nothing);
      expect(await answerOf(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`)).toBe(
        `507 STORAGE_FULL ${bot.name} was ended, but the disk prevented recording it`,
      );
      await ended(host, bot);
    }
    for (const [bot, method, path] of [
      [disabled, 'PATCH', ''],
      [deleted, 'DELETE', ''],
      [due, 'POST', '/stop'],
    ] as const) {
      expect(
        await answerOf(host, method, `/api/v1/bots/${bot.bot_id}${path}`, method === 'PATCH' ? { enabled: false } : {}),
      ).toMatch(/^507 STORAGE_FULL .* was ended, but/);
      await ended(host, bot);
    }
    // The next host would start it again: it must find its state.
    const folderOf = ({ bot_id }: Bot): string => join(host.dataDir, 'bots', bot_id);
    expect(existsSync(folderOf(deleted))).toBe(true);
    const shown = async (): Promise<unknown> =>
      (await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items.map(({ name, enabled, status }) => [
        name,
        enabled,
        status,
      ]);
    const expected = [quota, ...stopped, disabled, due].map(({ name }) => [name, false, 'stopped']);
    const says = async (): Promise<boolean> => JSON.stringify(await shown()) === JSON.stringify(expected);
    await until('the list to say so', says, undefined, async () => JSON.stringify(await shown()));
    const asKey = async (): Promise<number> =>
      (await fetch(`${host.url}/api/v1/bots`, { headers: { ...ONCE, authorization: `Bearer ${key.key}` } })).status;
    expect(await asKey()).toBe(200);
    expect(await answerOf(host, 'DELETE', `/api/v1/keys/${key.key_id}`)).toMatch(
      /^507 STORAGE_FULL It is no longer valid/,
    );
    expect(await asKey()).toBe(401);

    // On the disk as soon as that takes it: the next host knows.
    refuse(0, []);
    const unrecorded = async (): Promise<string[]> =>
      (await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items
        .filter(({ reason }) => reason?.code === 'UNRECORDED')
        .map(({ name }) => name);
    await until(
      'all of it to be recorded',
      async () => (await unrecorded()).length === 0,
      undefined,
      async () => `${await unrecorded()} ${host.log}`,
    );
    const trashed = () => call<{ items: { bot_id: string }[] }>(host, 'GET', '/api/v1/trash');
    await until('the deleted bot to be in the trash', async () =>
      (await trashed()).items.some(({ bot_id }) => bot_id === deleted.bot_id),
    );
    await until('the run to be recorded', async () => (await runsOf(host, due.bot_id))[0]?.ended_at !== null);
    await until('every slot to be free', () => readFileSync(join(host.dataDir, 'wishes'), 'utf8').trim() === '');
    await host.kill();
    await host.start();
    expect(await shown()).toEqual(expected);
    expect(all.flatMap(({ bot_id }) => pidsOfBot(host, bot_id))).toEqual([]);
    expect(await asKey()).toBe(401);
  });
});
