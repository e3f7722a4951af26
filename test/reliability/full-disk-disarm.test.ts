import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endOf, pidsOfBot, procText, TestHost } from '../support/platform.ts';
import { fillDisk, freeBytes, mountTmpfs } from '../support/small-disk.ts';
import { tempDir } from '../support/temp.ts';
import { botUntil, call, deployTiny, getBot } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const CANARY = 'canary-of-a-live-key-full-disk';

describe.runIf(process.platform === 'linux')('an armed bot on a disk without a free byte', () => {
  it('is stopped for good by a disarming that cannot be stored, which says so', async ({ onTestFinished, skip }) => {
    const disk = mountTmpfs(96);
    if (disk === null) return skip('only root may mount a small disk here');
    onTestFinished(() => disk.unmount(), 180_000);
    const host = new TestHost(disk.dir);
    host.env = { PLATFORM_KEY_FOLDER: tempDir('keys-') };
    onTestFinished(() => endOf(host), 180_000);
    await host.start();
    await call(host, 'POST', '/api/v1/secrets', { name: 'LIVE', class: 'live', value: CANARY });
    const { bot_id: id, generation } = await deployTiny(
      host,
      {
        name: 'trades',
        bot: 'setInterval(() => {}, 1000);',
        schema: { type: 'object', properties: { key: { type: 'string' } } },
      },
      { config: { key: { $secret: 'LIVE' } } },
    );
    const { confirmation } = await call<{ confirmation: string }>(host, 'PUT', '/api/v1/pin', { pin: '4815162342' });
    const at = `/api/v1/bots/${id}`;
    const send = (path: string, body: object) =>
      host.fetch(path, {
        method: 'POST',
        headers: { 'x-platform-confirmation': confirmation },
        body: JSON.stringify(body),
      });
    const codeOf = async (answer: Response): Promise<string> => JSON.parse(await answer.text()).error?.code ?? 'ok';
    const holders = () => pidsOfBot(host, id).filter((pid) => procText(pid, 'environ').includes(CANARY));
    expect(await codeOf(await send(`${at}/arm`, { for_sec: 86_400, if_generation: generation }))).toBe('ok');
    await until('the secret in its program', () => holders().length > 0);

    fillDisk(join(disk.dir, 'filler'));
    // Until the control database has no room left, not even in its log.
    const refused = async () => (await send('/api/v1/keys', { name: 'filler' })).status === 507;
    await until('the control database to be full', refused);
    expect(freeBytes(disk.dir)).toBeLessThan(64 * 1024);

    // The record cannot say that it is disarmed. That keeps no program trading, and the person hears of it.
    expect(await codeOf(await send(`${at}/disarm`, {}))).toBe('STORAGE_FULL');
    await until('its program to end', () => pidsOfBot(host, id).length === 0);
    const stopped = await botUntil(host, id, 'stopped', ({ status }) => status === 'stopped');
    expect(stopped).toMatchObject({ enabled: false, arming: { state: 'armed' } });

    // Killed, and started on the disk that is as full as before.
    await host.kill();
    fillDisk(join(disk.dir, 'filler again'));
    await host.start();
    expect(await getBot(host, id)).toMatchObject({ enabled: false, status: 'stopped', arming: { state: 'armed' } });
    expect(pidsOfBot(host, id)).toEqual([]);

    // With space it can be disarmed, and then nothing starts it.
    execFileSync('find', [disk.dir, '-maxdepth', '1', '-name', 'filler*', '-delete']);
    await until('the record', async () => (await codeOf(await send(`${at}/disarm`, {}))) === 'ok');
    expect(await codeOf(await send(`${at}/start`, {}))).toBe('NEEDS_ARMING');
    await host.stop();
    await host.start();
    await botUntil(host, id, 'stopped', ({ status, enabled }) => status === 'stopped' && !enabled);
    expect(await getBot(host, id)).toMatchObject({ arming: { state: 'unarmed' } });
    expect(pidsOfBot(host, id)).toEqual([]);
  }, 300_000);
});
