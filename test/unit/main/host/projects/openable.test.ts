import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkAllowed,
  creatableFolder,
  folderFault,
  openableFolder,
} from '../../../../../src/main/host/projects/openable.ts';
import { tempDir } from '../../../../support/temp.ts';

describe('hosts that open folders', () => {
  it('are those that only this machine reaches, unless settings.json says otherwise', () => {
    expect(() => checkAllowed('local', false)).not.toThrow();
    expect(() => checkAllowed('local', true)).toThrow('other machines can reach it');
    expect(() => checkAllowed('always', true)).not.toThrow();
    expect(() => checkAllowed('never', false)).toThrow('opens no project folders');
  });
});

describe('folders that are opened', () => {
  it.each([
    ['/', 'root of a disk'],
    ['/home/me', 'home folder'],
    ['/home', 'home folder'],
    ['/home/me/.ssh', '.ssh'],
    ['/home/me/.local/share/x', '.local'],
    ['/home/me/AppData/Roaming', 'AppData'],
    ['/home/other/.ssh', '.ssh'],
    ['/srv/bots/one/.git/hooks', '.git'],
    ['/proc/1', 'system'],
    ['/dev', 'system'],
    ['/etc/cron.d', 'system'],
    ['/srv/data', 'data of this host'],
    ['/srv/data/bots', 'data of this host'],
    ['/srv', 'data of this host'],
  ])('are not %s', (dir, why) => {
    expect(folderFault(dir, '/srv/data', '/home/me')).toContain(why);
  });

  it.each(['/home/me/bots/one', '/home/mean/.x', '/srv/database', '/tmp/x', '/usr/local/bots', '/device'])(
    'may be %s',
    (dir) => {
      expect(folderFault(dir, '/srv/data', '/home/me')).toBeNull();
    },
  );

  it('are told without links, so that no link leads around the rules', async () => {
    const dir = realpathSync(tempDir());
    const data = join(dir, 'data');
    mkdirSync(join(dir, 'bot'));
    mkdirSync(data);
    writeFileSync(join(dir, 'file'), '');
    symlinkSync(join(dir, 'bot'), join(dir, 'link'));
    symlinkSync(data, join(dir, 'innocent'));
    expect(await openableFolder(join(dir, 'link'), data)).toBe(join(dir, 'bot'));
    await expect(openableFolder(join(dir, 'innocent'), data)).rejects.toThrow('data of this host');
    await expect(openableFolder(join(dir, 'file'), data)).rejects.toThrow('is a file');
    await expect(openableFolder(join(dir, 'none'), data)).rejects.toThrow('no such folder');
    await expect(openableFolder('bot', data)).rejects.toThrow('no absolute path');
    await expect(openableFolder('\\\\server\\share', data)).rejects.toThrow('in the network');
    await expect(openableFolder('//server/share', data)).rejects.toThrow('in the network');
    symlinkSync('nowhere', join(dir, 'dangling'));
    symlinkSync('loop', join(dir, 'loop'));
    for (const path of ['file/below', 'dangling', 'dangling/below', 'loop', 'loop/below', 'x'.repeat(300)]) {
      const refused = expect.objectContaining({ code: 'INVALID_REQUEST' });
      await expect(openableFolder(join(dir, path), data), path).rejects.toEqual(refused);
      await expect(creatableFolder(join(dir, path), data), path).rejects.toEqual(refused);
    }
    expect(await creatableFolder(join(dir, 'link', 'new', 'one'), data)).toBe(join(dir, 'bot', 'new', 'one'));
    await expect(creatableFolder(join(dir, 'innocent', 'new'), data)).rejects.toThrow('data of this host');
  });
});
