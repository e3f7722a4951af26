import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Backups } from '../../../../../src/main/host/backup/backup-runner.ts';
import { openHostControl } from '../../../../../src/main/host/control/control-database.ts';
import { openDataFolder } from '../../../../../src/node/data-folder.ts';
import { tempDir } from '../../../../support/temp.ts';

it('begins no backup once the host has stopped', async () => {
  const folder = openDataFolder(tempDir('backups-'));
  openHostControl(folder, () => 0).close();
  const told: unknown[] = [];
  const listener = { begun: () => void told.push('begun'), ended: (error: unknown) => void told.push(error) };
  const backups = new Backups(folder, '0.1.0', async () => ({}), listener);
  const asked = Promise.allSettled([backups.make(false), backups.make(false)]);
  // By the next turn the first is being made.
  await new Promise((resolve) => setImmediate(resolve));
  await backups.close();
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(readdirSync(folder.backups)).toEqual([]);
  const cut = expect.objectContaining({ message: 'The backup was cut short' });
  expect(told).toEqual(['begun', cut, 'begun', cut]);
});
