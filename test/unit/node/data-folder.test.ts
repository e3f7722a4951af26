import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolderAt, defaultDataDir, openDataFolder } from '../../../src/node/data-folder.ts';
import { tempDir } from '../../support/temp.ts';

describe('defaultDataDir', () => {
  it.each([
    ['linux', {}, '/home/ann/.local/share/bot-platform'],
    ['linux', { XDG_DATA_HOME: '/data/ann' }, '/data/ann/bot-platform'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ann/.local/share/bot-platform'],
    ['darwin', {}, '/home/ann/Library/Application Support/bot-platform'],
    ['win32', { LOCALAPPDATA: '/home/ann/AppData/Local' }, '/home/ann/AppData/Local\\bot-platform'],
    ['win32', {}, '/home/ann\\AppData\\Local\\bot-platform'],
    ['linux', { PLATFORM_DATA_DIR: '/srv/bots' }, '/srv/bots'],
    ['darwin', { PLATFORM_DATA_DIR: '' }, '/home/ann/Library/Application Support/bot-platform'],
  ] as const)('on %s with %j is %s', (platform, env, dir) => {
    expect(defaultDataDir(env, platform, '/home/ann')).toBe(dir);
  });

  it('takes a relative setting from the working directory', () => {
    expect(defaultDataDir({ PLATFORM_DATA_DIR: 'here' }, 'linux', '/home/ann')).toBe(resolve('here'));
  });
});

describe('the data folder', () => {
  it('has the documented layout', () => {
    const folder = dataFolderAt('/d');
    const bot = folder.bot('bot_1');
    expect([
      folder.controlDatabase,
      folder.backups,
      folder.catalog,
      folder.hostFile,
      folder.lockFile,
      folder.logFile,
    ]).toEqual(['/d/control.db', '/d/backups', '/d/catalog', '/d/host.json', '/d/host.lock', '/d/host.log']);
    expect([bot.root, bot.state, bot.run('run_2')]).toEqual([
      '/d/bots/bot_1',
      '/d/bots/bot_1/state',
      '/d/bots/bot_1/runs/run_2',
    ]);
  });

  it.each(['..', '', 'a/b', 'a\\b', 'a\0', '.', 'x'.repeat(129)])('refuses %j as an id', (id) => {
    expect(() => dataFolderAt('/d').bot(id)).toThrow('folder name');
    expect(() => dataFolderAt('/d').bot('bot_1').run(id)).toThrow('folder name');
  });

  it('is closed to other users, also when it was open before', () => {
    const dir = join(tempDir(), 'data');
    mkdirSync(dir);
    chmodSync(dir, 0o755);
    const folder = openDataFolder(dir);
    for (const each of [dir, folder.backups, folder.catalog, folder.bots])
      expect(statSync(each).mode & 0o777).toBe(0o700);
    expect(existsSync(folder.controlDatabase)).toBe(false);
  });

  it('is no folder that others may look into and that holds other things: that is left as it is', () => {
    const home = join(tempDir(), 'home');
    mkdirSync(join(home, 'documents'), { recursive: true });
    chmodSync(home, 0o755);
    expect(() => openDataFolder(home)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', hint: expect.stringContaining(join(home, 'bot-platform')) }),
    );
    expect([statSync(home).mode & 0o777, readdirSync(home)]).toEqual([0o755, ['documents']]);
    expect(openDataFolder(join(home, 'bot-platform')).root).toBe(join(home, 'bot-platform'));
  });

  it.each([
    [['control.db', 'notes']],
    [['bots', 'catalog', 'backups', 'notes']],
    [['catalog', 'backups', 'set-aside', 'restoring-1']],
    [['settings.json', 'lost+found', 'desktop', 'serve.log']],
  ])('is one that holds %j', (names) => {
    const dir = join(tempDir(), 'data');
    for (const name of names) mkdirSync(join(dir, name), { recursive: true });
    chmodSync(dir, 0o755);
    expect(openDataFolder(dir).root).toBe(dir);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('may hold other things when nobody else can look into it', () => {
    const dir = join(tempDir(), 'data');
    mkdirSync(join(dir, 'notes'), { recursive: true });
    chmodSync(dir, 0o700);
    expect(openDataFolder(dir).root).toBe(dir);
  });

  it('says what to do when it cannot be made', () => {
    const file = join(tempDir(), 'file');
    writeFileSync(file, '');
    expect(() => openDataFolder(join(file, 'data'))).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('cannot be used: '),
        hint: expect.stringContaining('--data DIR'),
      }),
    );
  });
});
