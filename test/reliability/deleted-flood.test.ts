import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testHost } from '../support/platform.ts';
import { deployTiny, getBot } from '../support/tiny-bot.ts';
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
  expect(existsSync(folder)).toBe(false);
  expect(took).toBeLessThan(SOON_MS);
});
