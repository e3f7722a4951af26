import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compareWithPublished } from '../../../../../src/main/host/projects/compare-with-published.ts';
import { tempDir } from '../../../../support/temp.ts';

const MIB = 2 ** 20;

it('compares files without holding one of them in memory', async ({ onTestFinished }) => {
  const dir = tempDir();
  const [own, published] = [join(dir, 'own'), join(dir, 'published')];
  for (const one of [own, published]) {
    mkdirSync(one);
    // Nothing but its size is on the disk.
    writeFileSync(join(one, 'model.bin'), '');
    truncateSync(join(one, 'model.bin'), 150 * MIB);
  }
  writeFileSync(join(own, 'bot.py'), 'x = 1\n');
  writeFileSync(join(published, 'bot.py'), 'x = 2\n');
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }, 5);
  onTestFinished(() => clearInterval(watching));
  expect(await compareWithPublished(own, [], published)).toEqual([{ path: 'bot.py', change: 'changed' }]);
  expect(most).toBeLessThan(100 * MIB);
});
