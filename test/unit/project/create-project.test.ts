import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProject } from '../../../src/project/create-project.ts';
import { ROOT } from '../../support/platform.ts';
import { fillDisk, mountTmpfs } from '../../support/small-disk.ts';

it('leaves nothing half made on a full disk, so that the next attempt is not in its way', ({
  skip,
  onTestFinished,
}) => {
  const disk = mountTmpfs(1);
  if (disk === null) return skip('Only root may mount a small disk.');
  onTestFinished(() => disk.unmount());
  const full = join(disk.dir, 'full');
  fillDisk(full);
  truncateSync(full, statSync(full).size - 12 * 1024);
  const dir = join(disk.dir, 'bot');
  const create = () =>
    createProject({ dir, template: 'python', name: 'my-bot', resourcesDir: join(ROOT, 'resources'), nameHint: '' });
  expect(create).toThrow('ENOSPC');
  expect(readdirSync(dir)).toEqual([]);
  rmSync(full);
  expect(create()).toBe('my-bot');
});
