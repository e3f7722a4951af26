import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { restoreBackup } from '../../../../../src/main/host/backup/restore.ts';
import { checkSameFilesystem } from '../../../../../src/main/host/backup/same-filesystem.ts';
import { openDataFolder } from '../../../../../src/node/data-folder.ts';
import { mountTmpfs } from '../../../../support/small-disk.ts';
import { tempDir } from '../../../../support/temp.ts';

const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;
const refused = expect.objectContaining({
  code: 'INVALID_REQUEST',
  hint: expect.stringMatching(/^Nothing was changed/),
});

describe('what a restore moves', () => {
  it('lies in the data folder itself', () => {
    expect(() => checkSameFilesystem(openDataFolder(tempDir('one disk ')))).not.toThrow();
  });

  it.runIf(isRootOnLinux)('is refused where it is a mount of the same disk', ({ skip }) => {
    const folder = openDataFolder(tempDir('one disk '));
    const elsewhere = tempDir();
    try {
      execFileSync('mount', ['--bind', elsewhere, folder.bots], { stdio: 'pipe' });
    } catch {
      skip('nothing can be mounted here');
    }
    onTestFinished(() => void execFileSync('umount', ['-l', folder.bots]));
    expect(() => checkSameFilesystem(folder)).toThrow(refused);
  });

  it.runIf(isRootOnLinux)('is refused where it lies on another disk', async ({ skip }) => {
    const disk = mountTmpfs(1);
    if (disk === null) skip('nothing can be mounted here');
    else onTestFinished(() => disk.unmount());
    const folder = openDataFolder(tempDir('one disk '));
    const catalog = join(disk?.dir ?? '', 'catalog');
    mkdirSync(catalog);
    renameSync(folder.catalog, join(folder.root, 'before'));
    symlinkSync(catalog, folder.catalog);
    expect(() => checkSameFilesystem(folder)).toThrow(refused);
    const restored = { folder, file: join(folder.root, 'backup.tar.gz'), startBots: false, now: Date.now };
    await expect(restoreBackup({ ...restored, endPrograms: async () => [] })).rejects.toThrow(refused);
  });
});
