import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../../../src/cli/check-result.ts';
import { checkDataFolder } from '../../../../src/cli/doctor/data-folder.ts';
import { applyFixes } from '../../../../src/cli/doctor/doctor.ts';
import { tempDir } from '../../../support/temp.ts';

const levels = (checks: readonly Check[]) => Object.fromEntries(checks.map(({ id, level }) => [id, level]));

/** A data folder as a host leaves it. */
function dataFolder(): string {
  const dir = tempDir('platform-doctor-');
  for (const name of ['bots', 'catalog', 'backups']) mkdirSync(join(dir, name), { mode: 0o700 });
  for (const name of ['control.db', 'host.json']) writeFileSync(join(dir, name), '', { mode: 0o600 });
  return dir;
}

describe('the place of a data folder', () => {
  it('is fine where a host has made it, and where it is not there yet', () => {
    const dir = dataFolder();
    expect(levels(checkDataFolder(dir, join(dir, 'client')))).toMatchObject({
      data_folder: 'ok',
      owner: 'ok',
      modes: 'ok',
    });
    const absent = join(dir, 'a', 'b');
    expect(levels(checkDataFolder(absent, absent))).toMatchObject({
      data_folder: 'spare',
      disk_space: expect.any(String),
    });
    expect(existsSync(absent)).toBe(false);
  });

  it('is no file', () => {
    const file = join(tempDir(), 'file');
    writeFileSync(file, '');
    expect(levels(checkDataFolder(file, file))).toEqual({ data_folder: 'fault' });
  });

  it('is not copied to a cloud, by its path or by what stands in it', () => {
    const dropbox = join(tempDir(), 'Dropbox', 'bots');
    mkdirSync(dropbox, { recursive: true });
    expect(levels(checkDataFolder(dropbox, dropbox))).toMatchObject({ file_system: 'fault' });
    const marked = tempDir();
    mkdirSync(join(marked, '.stfolder'));
    expect(levels(checkDataFolder(marked, marked))).toMatchObject({ file_system: 'fault' });
  });

  it.runIf(process.platform === 'linux' && existsSync('/dev/shm'))('is not in memory', () => {
    expect(levels(checkDataFolder('/dev/shm', '/dev/shm/none'))).toMatchObject({ file_system: 'note' });
  });

  it.runIf(process.platform !== 'win32')(
    "that a host has never used is not closed: it is somebody else's",
    async () => {
      const dir = tempDir();
      chmodSync(dir, 0o1777);
      await applyFixes(checkDataFolder(dir, join(dir, 'client')));
      expect(statSync(dir).mode & 0o7777).toBe(0o1777);
    },
  );

  it.runIf(process.platform !== 'win32')(
    'closes files with keys to others, and makes folders that are gone',
    async () => {
      const dir = dataFolder();
      const client = join(dir, 'client');
      mkdirSync(client, { mode: 0o755 });
      writeFileSync(join(client, 'credentials.json'), '{}', { mode: 0o600 });
      const open = [dir, join(dir, 'control.db'), join(dir, 'host.json'), join(client, 'credentials.json')];
      for (const file of open) chmodSync(file, statSync(file).mode | 0o044);
      const whole = dataFolder();
      const checks = checkDataFolder(dir, client);
      const modes = checks.find(({ id }) => id === 'modes');
      expect(modes?.level).toBe('fault');
      for (const file of open) expect(modes?.message).toContain(file);
      expect(await applyFixes(checks)).toMatchObject([{ id: 'modes', error: null }]);
      expect(open.map((file) => statSync(file).mode & 0o077)).toEqual([0, 0, 0, 0]);
      expect(levels(checkDataFolder(dir, client))).toMatchObject({ modes: 'ok' });

      const { rmdirSync } = await import('node:fs');
      rmdirSync(join(whole, 'backups'));
      const gone = checkDataFolder(whole, client);
      expect(levels(gone)).toMatchObject({ folders: 'note' });
      await applyFixes(gone);
      expect(statSync(join(whole, 'backups')).mode & 0o777).toBe(0o700);
    },
  );

  it.runIf(process.getuid?.() === 0)('belongs to whoever runs the host', async () => {
    const dir = dataFolder();
    const { chownSync } = await import('node:fs');
    chownSync(dir, 65_534, 65_534);
    expect(levels(checkDataFolder(dir, dir))).toMatchObject({ owner: 'note' });
  });

  it('says what a fix could not do, and goes on', async () => {
    const broken = { what: 'break', run: () => Promise.reject(new Error('no')) };
    const check = { id: 'x', name: 'X', level: 'note', message: '', why: '', hint: null } as const;
    let done = 0;
    const works = {
      what: 'work',
      run: () => {
        done += 1;
      },
    };
    const applied = await applyFixes([
      { ...check, fix: broken },
      { ...check, fix: null },
      { ...check, fix: works },
    ]);
    expect(applied.map(({ error }) => error)).toEqual(['no', null]);
    expect(done).toBe(1);
  });
});
