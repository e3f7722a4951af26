import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import { TestHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { fillDisk, freeBytes, mountTmpfs } from '../support/small-disk.ts';
import { tempDir } from '../support/temp.ts';
import { call, publishFolder } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const CONFIG = `name: waits
version: "1.0.0"
type: realtime
runtime: gcc13
entrypoints:
  bot: bin/waits
schema:
  bot: bot-schema.json
`;

/** A compiled bot that takes next to no memory, so that there can be many. */
function packageOfWaits(): string {
  const dir = tempDir('waits-');
  mkdirSync(join(dir, 'bin'));
  const source = join(dir, 'waits.c');
  writeFileSync(source, '#include <unistd.h>\nint main(void) { for (;;) pause(); }\n');
  execFileSync('gcc', ['-O1', source, '-o', join(dir, 'bin/waits')]);
  writeFileSync(join(dir, 'bot-config.yaml'), CONFIG);
  const schema = { type: 'object', title: 'waits', description: 'Waits.', properties: {} };
  writeFileSync(join(dir, 'bot-schema.json'), JSON.stringify(schema));
  return dir;
}

/** The bots that have a program now, by the environment that each was started with. */
function withPrograms(bots: readonly Bot[]): string[] {
  const shown = execFileSync('ps', ['axeww', '-o', 'args'], { maxBuffer: 1 << 28 }).toString();
  return bots.flatMap(({ bot_id, name }) => (shown.includes(`BOT_ID=${bot_id}`) ? [name] : []));
}

/** Sends a request again while the host says that there were too many: those of a person who clicks are fewer. */
function inTurn(send: () => Promise<Response>): Promise<Response> {
  return until('its turn', async () => {
    const response = await send();
    return response.status === 429 ? null : response;
  });
}

/** Each on a disk without a free byte. */
const WAYS = {
  stop: (host: TestHost, id: string) => host.fetch(`/api/v1/bots/${id}/stop`, { method: 'POST', body: '{}' }),
  disable: (host: TestHost, id: string) =>
    host.fetch(`/api/v1/bots/${id}`, { method: 'PATCH', body: '{"enabled":false}' }),
  delete: (host: TestHost, id: string) => host.fetch(`/api/v1/bots/${id}`, { method: 'DELETE' }),
} as const;
const ASKED = Object.keys(WAYS) as (keyof typeof WAYS)[];

describe.runIf(process.platform === 'linux')('a disk without a free byte', () => {
  it('keeps no bot from being stopped, disabled and deleted, nor from staying so over a crash', async ({
    onTestFinished,
    skip,
  }) => {
    const count = rounds(24, 300);
    const disk = mountTmpfs(64 + count);
    if (disk === null) return skip('only root may mount a small disk here');
    onTestFinished(() => disk.unmount(), 180_000);
    const host = new TestHost(disk.dir);
    onTestFinished(() => host.stop(), 300_000);
    await host.start();
    expect((await publishFolder(host, packageOfWaits())).status).toBe(201);
    const bots: Bot[] = [];
    for (let number = 0; number < count; number++) {
      const body = { name: `bot ${number}`, type: 'realtime/waits', version: '1.0.0', config: {} };
      const send = () => host.fetch('/api/v1/bots', { method: 'POST', body: JSON.stringify(body) });
      const deployed = await inTurn(send);
      expect(deployed.status).toBe(201);
      const bot: Bot = JSON.parse(await deployed.text());
      bots.push(bot);
    }
    await until('every program', () => withPrograms(bots).length === count);
    fillDisk(join(disk.dir, 'filler'));
    const reserved = statSync(join(disk.dir, 'reserve')).size;
    await expect(new TestHost(disk.dir).start()).rejects.toThrow(/HOST_RUNNING/);
    expect(statSync(join(disk.dir, 'reserve')).size, 'the reserve, after a second host was refused').toBe(reserved);

    const asked = bots.map((bot, index) => ({ bot, way: ASKED[index % 4] }));
    const slowest = { ms: 0 };
    for (const { bot, way } of asked) {
      if (way === undefined) continue;
      const from = performance.now();
      const answer = await inTurn(() => WAYS[way](host, bot.bot_id));
      slowest.ms = Math.max(slowest.ms, Math.round(performance.now() - from));
      expect([answer.status, way, answer.ok ? '' : await answer.text()]).toEqual([200, way, '']);
      if (way === 'delete') fillDisk(join(disk.dir, `filler ${bot.name}`));
    }
    const goOn = asked.flatMap(({ bot, way }) => (way === undefined ? [bot.name] : []));
    await until('the programs that were stopped to end', () => withPrograms(bots).length === goOn.length);
    expect(withPrograms(bots)).toEqual(goOn);
    const shown = async (): Promise<unknown[]> =>
      (await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items.map(({ name, enabled, status }) => [
        name,
        enabled,
        status,
      ]);
    const expected = asked.flatMap(({ bot, way }) =>
      way === 'delete' ? [] : [[bot.name, way === undefined, way === undefined ? 'running' : 'stopped']],
    );
    const saysSo = async (): Promise<boolean> => JSON.stringify(await shown()) === JSON.stringify(expected);
    const says = async (): Promise<string> => `it says ${JSON.stringify(await shown())}`;
    await until('the list to say so', saysSo, 90_000, says);

    // Killed, and started on the disk that is as full as before.
    await host.kill();
    fillDisk(join(disk.dir, 'filler again'));
    expect(freeBytes(disk.dir)).toBeLessThan(64 * 1024);
    await host.start();
    await until('the list to say so again', saysSo, 90_000, says);
    expect(withPrograms(bots)).toEqual(goOn);
    // One more, by this host.
    const last = bots.find(({ name }) => name === goOn[0]);
    expect((await WAYS.stop(host, last?.bot_id ?? '')).status).toBe(200);
    await until('its program to end', () => withPrograms(bots).length === goOn.length - 1);

    // With space everything is recorded, and stopped bots can start.
    execFileSync('find', [disk.dir, '-maxdepth', '1', '-name', 'filler*', '-delete']);
    const stopped = bots[0]?.bot_id ?? '';
    await until(
      'the record',
      async () => (await host.fetch(`/api/v1/bots/${stopped}/start`, { method: 'POST', body: '{}' })).ok,
    );
    await until('the program', () => withPrograms(bots).includes('bot 0'));
    await host.stop();
    await host.start();
    await until('it to be up again', () => withPrograms(bots).includes('bot 0'));
    expect((await shown()).length).toBe(expected.length);
    await prove('R3', 'stops on a full disk', { bots: count, 'slowest answer (ms)': slowest.ms }, 'R3-stops');
  }, 900_000);
});
