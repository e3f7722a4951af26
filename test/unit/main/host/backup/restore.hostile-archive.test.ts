import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { isPlain } from '../../../../../src/main/host/backup/archive-reader.ts';
import { ArchiveWriter } from '../../../../../src/main/host/backup/archive-writer.ts';
import { removeCutBackups, writeBackup } from '../../../../../src/main/host/backup/backup.ts';
import { restoreBackup } from '../../../../../src/main/host/backup/restore.ts';
import { runArchive } from '../../../../../src/main/host/compose/backup-restore-commands.ts';
import { copyDatabase, knownFolders } from '../../../../../src/main/host/control/backup-source.ts';
import { openHostControl } from '../../../../../src/main/host/control/control-database.ts';
import { type DataFolder, openDataFolder } from '../../../../../src/node/data-folder.ts';
import { tempDir } from '../../../../support/temp.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const CODE = 'user_1/cbot/1.0.0';

function put(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function folderWithBot(): DataFolder {
  const folder = openDataFolder(tempDir('keep-'));
  const db = openHostControl(folder, () => NOW);
  db.exec(`
    insert into user (user_id, name, role, created_at) values ('user_1', 'u', 'owner', 0);
    insert into custom_bot_version values ('user_1', 'cbot', '1.0.0', '{}', '{}', '', 0);
    insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at)
      values ('bot_1', 'user_1', 'mine', 'realtime', 'cbot', '1.0.0', '{}', 0, '{}', 1, 'running', 0, 0);
  `);
  db.close();
  put(join(folder.catalog, CODE, 'bot.mjs'), '// code');
  put(join(folder.bot('bot_1').state, 'kept.json'), '1');
  return folder;
}

const make = (folder: DataFolder, withLogs = false) =>
  writeBackup({ folder, withLogs, version: '0.1.0', now: () => NOW });

let restores = 0;
const restore = (folder: DataFolder, file: string) => {
  restores += 1;
  return restoreBackup({ folder, file, startBots: false, now: () => NOW + restores, endPrograms: async () => [] });
};

type Given = Parameters<ReturnType<typeof pack>['entry']>[0] & { readonly content?: string };

async function archive(entries: readonly Given[]): Promise<string> {
  const tar = pack();
  const about = { format: 1, version: '0.1.0', made_at: '2026-11-21T20:00:00.000Z', with_logs: false };
  tar.entry({ name: 'backup.json' }, JSON.stringify(about));
  for (const { content, ...header } of entries) tar.entry(header, content ?? '');
  tar.finalize();
  const file = join(tempDir('hostile-'), 'backup.tar.gz');
  writeFileSync(file, gzipSync(await buffer(tar)));
  return file;
}

describe('an archive that somebody else has made', () => {
  it('writes nothing through a link that it brings along', async () => {
    const outside = tempDir('outside-');
    const link = `catalog/${CODE}/result.json`;
    const file = await archive([
      { name: `catalog/${CODE}`, type: 'directory' },
      { name: link, type: 'symlink', linkname: outside },
      { name: `${link}/evil`, content: 'x' },
    ]);
    await expect(restore(folderWithBot(), file)).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
    expect(existsSync(join(outside, 'evil'))).toBe(false);
  });

  it('is refused where its link leads elsewhere than that of the catalogue', async () => {
    const file = await archive([
      { name: `catalog/${CODE}`, type: 'directory' },
      { name: `catalog/${CODE}/result.json`, type: 'symlink', linkname: '/etc' },
      { name: 'manifest.json', content: '{"files":[]}' },
    ]);
    await expect(restore(folderWithBot(), file)).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
  });

  it.each(['bots/bot_1/..\\..\\..\\evil', 'catalog/C:\\evil', 'bots/bot_1/state/a:b'])(
    'cannot lead out of the folder on Windows by %s, which is the name of a file elsewhere',
    (path) => {
      expect(isPlain(path, 'win32')).toBe(false);
      expect(isPlain(path, 'linux')).toBe(true);
    },
  );
});

it('what is set aside is whole in control.db alone: a cut between two renames parts it from nothing', async () => {
  const folder = folderWithBot();
  const { file } = await make(folder);
  // As a host that is killed leaves it: what it has written last is not in control.db itself.
  const db = openHostControl(folder, () => NOW);
  db.exec("update bot set name = 'written last'");
  const killed = openDataFolder(tempDir('killed-'));
  for (const name of readdirSync(folder.root).filter((one) => one.startsWith('control.db'))) {
    copyFileSync(join(folder.root, name), join(killed.root, name));
  }
  db.close();
  expect(existsSync(`${killed.controlDatabase}-wal`)).toBe(true);
  const { aside } = await restore(killed, file);
  const alone = join(tempDir(), 'control.db');
  copyFileSync(join(aside ?? '', 'control.db'), alone);
  expect(knownFolders(alone).bots.map(({ name }) => name)).toEqual(['written last']);

  // One that is damaged is set aside as it is.
  writeFileSync(killed.controlDatabase, Buffer.alloc(8192, 7));
  writeFileSync(`${killed.controlDatabase}-wal`, 'x');
  const { aside: damaged } = await restore(killed, file);
  expect(readdirSync(damaged ?? '').sort()).toEqual(expect.arrayContaining(['control.db', 'control.db-wal']));
});

describe('going back', () => {
  const copyOf = (folder: DataFolder): string => {
    const copy = join(tempDir(), 'control.db');
    copyDatabase(folder.controlDatabase, copy);
    return copy;
  };

  it('from the restore of a control database brings back the code that was set aside, and leaves state in its place', async () => {
    const folder = folderWithBot();
    const copy = copyOf(folder);
    const db = openHostControl(folder, () => NOW);
    db.exec("insert into custom_bot_version values ('user_1', 'cbot', '2.0.0', '{}', '{}', '', 0)");
    db.close();
    const later = join(folder.catalog, 'user_1/cbot/2.0.0/bot.mjs');
    put(later, '// later');
    const { aside } = await restore(folder, copy);
    expect(existsSync(later)).toBe(false);
    await restore(folder, aside ?? '');
    expect(readFileSync(join(folder.bot('bot_1').state, 'kept.json'), 'utf8')).toBe('1');
    expect(existsSync(join(folder.catalog, CODE, 'bot.mjs'))).toBe(true);
    expect(readFileSync(later, 'utf8')).toBe('// later');
  });

  it('goes on where it was cut short between two folders', async () => {
    const folder = folderWithBot();
    const { file } = await make(folder);
    put(join(folder.bot('bot_1').state, 'kept.json'), '2');
    const { aside } = await restore(folder, file);
    if (aside === null) throw new Error('nothing was set aside');
    // Code was moved back, then the power went.
    rmSync(folder.controlDatabase);
    renameSync(folder.catalog, join(aside, 'other'));
    renameSync(join(aside, 'catalog'), folder.catalog);
    await restore(folder, aside);
    expect(readFileSync(join(folder.bot('bot_1').state, 'kept.json'), 'utf8')).toBe('2');
    expect(existsSync(join(folder.catalog, CODE, 'bot.mjs'))).toBe(true);
  });
});

describe('a backup', () => {
  it('leaves out what lies too deep to be restored, and says so', async () => {
    const folder = folderWithBot();
    const before = process.cwd();
    process.chdir(folder.bot('bot_1').state);
    try {
      for (let depth = 0; depth < 30; depth++) {
        mkdirSync('d'.repeat(200));
        process.chdir('d'.repeat(200));
      }
      writeFileSync('deep', 'x');
    } finally {
      process.chdir(before);
    }
    const { file, left_out } = await make(folder);
    const fresh = openDataFolder(tempDir('fresh-'));
    await restore(fresh, file);
    expect(readFileSync(join(fresh.bot('bot_1').state, 'kept.json'), 'utf8')).toBe('1');
    expect(left_out).toEqual([expect.stringMatching(/^bots\/bot_1\/state\/d{200}\//)]);
  });

  it.runIf(process.platform === 'linux')('names a file that it cannot name', async () => {
    const folder = folderWithBot();
    const { state } = folder.bot('bot_1');
    writeFileSync(Buffer.concat([Buffer.from(`${state}/`), Buffer.from([0xff, 0xfe])]), 'x');
    mkdirSync(Buffer.concat([Buffer.from(`${state}/`), Buffer.from([0xfd])]));
    expect((await make(folder)).left_out).toHaveLength(2);
  });

  it.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)('names what it may not read', async () => {
    const folder = folderWithBot();
    const { state } = folder.bot('bot_1');
    put(join(state, 'closed.json'), '1');
    chmodSync(join(state, 'closed.json'), 0);
    mkdirSync(join(state, 'closed'), { mode: 0 });
    expect((await make(folder)).left_out).toEqual(['bots/bot_1/state/closed', 'bots/bot_1/state/closed.json']);
    chmodSync(state, 0);
    expect((await make(folder)).left_out).toEqual(['bots/bot_1/state']);
    chmodSync(state, 0o700);
  });

  it.runIf(process.platform === 'linux')(
    'leaves out a file that says to be as large as the disk, and says so',
    async () => {
      const folder = folderWithBot();
      const { state } = folder.bot('bot_1');
      const { bavail, bsize } = statfsSync(state);
      put(join(state, 'holes'), '');
      truncateSync(join(state, 'holes'), Math.floor(bavail * bsize * 0.9));
      expect((await make(folder)).left_out).toEqual(['bots/bot_1/state/holes']);
    },
  );

  it.runIf(process.platform === 'linux')('takes of a file that grows as it is read what it was at first', async () => {
    const dir = tempDir();
    const archived = new ArchiveWriter(join(dir, 'archive'), dir);
    const handle = await open('/dev/zero');
    put(join(dir, 'two-mb'), Buffer.alloc(2 * 1024 * 1024));
    const stat = statSync(join(dir, 'two-mb'));
    expect(await archived.met('bots/bot_1/state', { kind: 'file', path: 'endless', stat, handle })).toBe(true);
    await handle.close();
    await archived.end();
    const tar = gunzipSync(readFileSync(join(dir, 'archive'))).toString('latin1');
    expect(tar).toContain('"path":"bots/bot_1/state/endless","size":2097152');
  });

  it('with logs is made although one of them is damaged, and says which is not in it', async () => {
    const folder = folderWithBot();
    put(join(folder.bot('bot_1').root, 'log.db'), Buffer.alloc(8192, 7));
    const { left_out } = await make(folder, true);
    expect(left_out).toEqual(['bots/bot_1/log.db']);
  });

  it.runIf(process.getuid?.() === 0)('gives files back to users with large numbers', async () => {
    const folder = folderWithBot();
    const state = folder.bot('bot_1').state;
    chownSync(join(state, 'kept.json'), 1_000_123_456, 1_000_123_457);
    const { file } = await make(folder);
    const fresh = openDataFolder(tempDir('fresh-'));
    await restore(fresh, file);
    const { uid, gid } = statSync(join(fresh.bot('bot_1').state, 'kept.json'));
    expect([uid, gid]).toEqual([1_000_123_456, 1_000_123_457]);
  });
});

it('removes what a backup that was cut short has left, but not what another process is making', async () => {
  const folder = folderWithBot();
  for (const pid of [process.pid, process.ppid, 4_000_000]) put(join(folder.backups, `.tmp-${pid}-1/part`), 'half');
  put(join(folder.backups, 'notes/of-the-owner'), 'x');
  await removeCutBackups(folder);
  expect(readdirSync(folder.backups).sort()).toEqual([`.tmp-${process.ppid}-1`, 'notes']);
});

it.runIf(process.platform !== 'win32')('a look for backups changes nothing in a folder that holds none', async () => {
  const dir = tempDir('not-of-a-host-');
  chmodSync(dir, 0o755);
  const ask = (command: string) => runArchive({ command, dataDir: dir, file: '', withLogs: false, startBots: false });
  expect(await ask('list')).toEqual({ items: [] });
  await expect(ask('backup')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect(readdirSync(dir)).toEqual([]);
  expect(statSync(dir).mode & 0o777).toBe(0o755);
});
