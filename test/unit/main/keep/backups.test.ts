import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDataFolder } from '../../../../src/main/base/data-folder.ts';
import { Backups } from '../../../../src/main/keep/backups.ts';
import { openHostControl } from '../../../../src/main/store/control-database.ts';
import { tempDir } from '../../../support/temp.ts';

it('begins no backup once the host has stopped', async () => {
  const folder = openDataFolder(tempDir('backups-'));
  openHostControl(folder, () => 0).close();
  const backups = new Backups(folder, '0.1.0');
  const asked = Promise.allSettled([backups.make(false), backups.make(false)]);
  // By the next turn the first is being made.
  await new Promise((resolve) => setImmediate(resolve));
  await backups.close();
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(readdirSync(folder.backups)).toEqual([]);
});
