import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import { PAUSE_AT_BYTES } from '../../src/main/host/engine/output-back-pressure.ts';
import { pidsOfBot, procText, testHost } from '../support/platform.ts';
import { call, deployTiny, getBot } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const MB = 1024 * 1024;
const WRITTEN = 150 * MB;
const SOON_MS = 3000;

/** Short lines, because storing costs by the line: a flood that the host needs the better part of a minute to store. */
const FLOOD = `
import { writeSync } from 'node:fs';
const block = Buffer.from('short line of a flood\\n'.repeat(47_663));
for (let sent = 0; sent < ${WRITTEN}; ) sent += writeSync(1, block);
setInterval(() => {}, 1000);`;

/** 100 MB a second at most: a look comes about each second, and the limit below leaves room for two of them. */
const ENDLESS = `
import { writeSync } from 'node:fs';
const block = Buffer.from('short line of a flood\\n'.repeat(47_663));
const still = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  writeSync(1, block);
  Atomics.wait(still, 0, 0, 10);
}`;

/** Bytes of the disk that a folder takes; a file may go meanwhile. */
function bytesOf(dir: string): number {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return files.reduce(
    (sum, file) => sum + 512 * (statSync(join(dir, file), { throwIfNoEntry: false })?.blocks ?? 0),
    0,
  );
}

// Elsewhere a program is not paused (docs/architecture.md).
it.runIf(process.platform === 'linux')(
  'deletes a bot while it floods and while it is paused for that, and never lets it fill the disk',
  async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const begin = async (bot: Bot): Promise<{ id: string; folder: string; written: () => number }> => {
      const folder = join(host.dataDir, 'bots', bot.bot_id);
      const runId = await until('its run', async () => (await getBot(host, bot.bot_id)).run_id);
      const output = join(folder, 'runs', runId, 'bot.out');
      return { id: bot.bot_id, folder, written: () => statSync(output, { throwIfNoEntry: false })?.size ?? 0 };
    };
    const remove = async ({ id, folder }: { id: string; folder: string }): Promise<void> => {
      const from = performance.now();
      expect((await host.fetch(`/api/v1/bots/${id}`, { method: 'DELETE' })).ok).toBe(true);
      const took = performance.now() - from;
      expect(pidsOfBot(host, id)).toEqual([]);
      // It ends before its grace is over; nothing of what waits is stored first.
      expect(took).toBeLessThan(LIMITS.stopGraceMs);
      await call(host, 'POST', '/api/v1/trash/empty', { bot_ids: [id] });
      expect(existsSync(folder)).toBe(false);
    };
    const first = await begin(await deployTiny(host, { name: 'endless', bot: ENDLESS }));
    await until('the flood', () => first.written() > 64 * MB);
    await remove(first);

    const request = { name: 'again', type: 'realtime/endless', version: '1.0.0', config: {} };
    const second = await begin(await call<Bot>(host, 'POST', '/api/v1/bots', request));
    let most = 0;
    await until(
      'the pause',
      () => {
        most = Math.max(most, bytesOf(second.folder));
        // Stopped by a signal.
        return pidsOfBot(host, second.id).some((pid) => /^\d+ \(.*\) T/s.test(procText(pid, 'stat')));
      },
      180_000,
      async () => `${second.written()} bytes are written`,
    );
    expect(Math.max(most, bytesOf(second.folder))).toBeLessThan(PAUSE_AT_BYTES * 1.5);
    await remove(second);
  },
);

it('deletes a bot that has flooded its output at once, whatever of it is not stored yet', async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished);
  const { bot_id: id } = await deployTiny(host, { name: 'flood', bot: FLOOD });
  const folder = join(host.dataDir, 'bots', id);
  const runId = await until('its run', async () => (await getBot(host, id)).run_id);
  const output = join(folder, 'runs', runId, 'bot.out');
  await until('the flood', () => (statSync(output, { throwIfNoEntry: false })?.size ?? 0) >= WRITTEN);
  // Stored output is given back to the disk: most of the flood still waits.
  if (process.platform === 'linux') expect(statSync(output).blocks * 512).toBeGreaterThan(WRITTEN / 2);

  const from = performance.now();
  expect((await host.fetch(`/api/v1/bots/${id}`, { method: 'DELETE' })).ok).toBe(true);
  const took = performance.now() - from;
  expect(took).toBeLessThan(SOON_MS);
  await call(host, 'POST', '/api/v1/trash/empty', { bot_ids: [id] });
  expect(existsSync(folder)).toBe(false);
});
