import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Restored } from '../../src/contract/backup.ts';
import { writeBackup } from '../../src/main/host/backup/backup.ts';
import { knownFolders } from '../../src/main/host/control/backup-source.ts';
import { openHostControl } from '../../src/main/host/control/control-database.ts';
import { type DataFolder, openDataFolder } from '../../src/node/data-folder.ts';
import type { FaultPoint } from '../../src/node/fault-point.ts';
import { Fault } from '../support/fault.ts';
import { LogHere, readerOf } from '../support/log-here.ts';
import { prove } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';

const PROGRAM = join(import.meta.dirname, '../support/restore-here.ts');
const BOTS = ['bot_1', 'bot_2'];
const LINES = ['first', 'second'];

function put(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Three bots with a state, the code of one version, and settings. */
function folderOfHost(name: string): DataFolder {
  const folder = openDataFolder(tempDir('restore-cut-'));
  const db = openHostControl(folder, Date.now);
  db.exec(`
    insert into user (user_id, name, role, created_at) values ('user_1', 'u', 'owner', 0);
    insert into custom_bot_version values ('user_1', 'cbot', '1.0.0', '{}', '{}', '', 0);`);
  const add = db.prepare(`
    insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at)
      values (?, 'user_1', ?, 'realtime', 'cbot', '1.0.0', '{}', 0, '{}', 1, 'running', 0, 0)`);
  for (const botId of BOTS) add.run(botId, `${botId} ${name}`);
  db.close();
  fill(folder, name);
  return folder;
}

function fill(folder: DataFolder, name: string): void {
  put(join(folder.root, 'settings.json'), `{"retention_days": ${name.length}}`);
  put(join(folder.catalog, 'user_1/cbot/1.0.0/bot.mjs'), `// ${name}`);
  for (const botId of BOTS) put(join(folder.bot(botId).state, 'kept.json'), `"${name}"`);
}

function addLogs(folder: DataFolder): void {
  for (const botId of BOTS) {
    const log = new LogHere(folder.bot(botId).root);
    for (const [at, line] of LINES.entries()) {
      log.write(Date.now(), [{ line, level: 1, run: 'r' }]);
      if (at < LINES.length - 1) log.next();
    }
    log.close();
  }
}

/** The content of a data folder, or of a set-aside one; null for missing parts. */
function told(root: string) {
  const text = (path: string): string | null =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null;
  const none = { minLevel: undefined, source: undefined, run: undefined, search: undefined };
  return {
    names: knownFolders(join(root, 'control.db')).bots.map(({ name }) => name),
    settings: text('settings.json'),
    code: text('catalog/user_1/cbot/1.0.0/bot.mjs'),
    bots: BOTS.map((botId) => {
      const log = readerOf(join(root, 'bots', botId));
      const lines = log.refresh() ? log.logs({ lo: 0, hi: 1e6 }, none, 'asc', 10).map(({ line }) => line) : [];
      log.release();
      return { state: text(`bots/${botId}/state/kept.json`), lines };
    }),
  };
}

function restore(folder: DataFolder, file: string, point: FaultPoint | null = null, nth = 1) {
  const fault = new Fault();
  fault.set(point, nth);
  const args = ['--disable-warning=ExperimentalWarning', PROGRAM, folder.root, file];
  const { signal, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, ...fault.env },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return signal === null ? Restored.parse(JSON.parse(stdout)) : null;
}

/** A folder that holds one thing now, with logs, and a backup of another. */
async function changedSince(): Promise<{ folder: DataFolder; backup: string }> {
  const folder = folderOfHost('then');
  const made = await writeBackup({ folder, withLogs: false, version: '0.1.0', now: Date.now });
  const backup = join(tempDir('restore-cut-'), 'backup.tar.gz');
  renameSync(made.file, backup);
  const db = openHostControl(folder, Date.now);
  db.exec("update bot set name = bot_id || ' now'");
  db.close();
  fill(folder, 'now');
  addLogs(folder);
  return { folder, backup };
}

const holds = (name: string, lines: readonly string[]) => ({
  names: BOTS.map((botId) => `${botId} ${name}`),
  settings: `{"retention_days": ${name.length}}`,
  code: `// ${name}`,
  bots: BOTS.map(() => ({ state: `"${name}"`, lines })),
});

/** Restores again and again, each time killed behind the next step, until it is done; tells how often it was killed. */
function killedAtEachStep(folder: DataFolder, file: string): { kills: number; restored: Restored } {
  for (let kills = 0; kills < 40; kills++) {
    const restored = restore(folder, file, 'restore:moved');
    if (restored !== null) return { kills, restored };
  }
  throw new Error('it comes to no end');
}

const asideIn = (folder: DataFolder): string[] => readdirSync(folder.aside).map((name) => join(folder.aside, name));

describe('a restore that is killed', () => {
  it('at each of its steps, and repeated, leaves all of before in the one place that it names', async () => {
    const { folder, backup } = await changedSince();
    const { kills, restored } = killedAtEachStep(folder, backup);
    expect(kills).toBeGreaterThan(10);
    expect(told(folder.root)).toEqual(holds('then', LINES));
    const aside = restored.aside ?? '';
    expect([asideIn(folder), restored.finished]).toEqual([[aside], null]);
    expect(told(aside)).toEqual(holds('now', []));
    expect(readdirSync(folder.root).filter((name) => name.startsWith('restoring-'))).toEqual([]);

    const back = restore(folder, aside);
    expect(told(folder.root)).toEqual(holds('now', LINES));
    expect(told(back?.aside ?? '')).toEqual(holds('then', []));
    await prove('R5', 'restore killed at each step', { kills, lost: 0 }, 'R5-killed');
  });

  it.each([1, 7])('after %i steps is completed before another one begins', async (steps) => {
    const { folder, backup } = await changedSince();
    const other = join(tempDir(), 'backup.tar.gz');
    cpSync(backup, other);
    restore(folder, backup, 'restore:moved', steps);
    const [first = ''] = asideIn(folder);
    const restored = restore(folder, other);
    expect(restored).toMatchObject({ file: other, finished: { file: backup, aside: first } });
    expect(told(folder.root)).toEqual(holds('then', LINES));
    expect(told(first)).toEqual(holds('now', []));
    restore(folder, first);
    expect(told(folder.root)).toEqual(holds('now', LINES));
  });

  it('starts nothing, and the host says with which restore to go on, whatever other backups there are', async () => {
    const { folder, backup } = await changedSince();
    const other = await writeBackup({ folder, withLogs: false, version: '0.1.0', now: Date.now });
    restore(folder, backup, 'restore:moved', 7);
    const hint = (said: string) =>
      expect.objectContaining({ code: 'DATA_DAMAGED', hint: expect.stringContaining(said) });
    expect(() => openHostControl(folder, Date.now)).toThrow(
      hint(`platform restore "${backup}" --data "${folder.root}"`),
    );
    restore(folder, backup);
    rmSync(folder.controlDatabase);
    expect(() => openHostControl(folder, Date.now)).toThrow(hint(`platform restore "${other.file}"`));
  });

  it('and whose plan is damaged then is done anew once its folder is away, as the host says', async () => {
    const { folder, backup } = await changedSince();
    restore(folder, backup, 'restore:moved', 3);
    const [name = ''] = readdirSync(folder.root).filter((one) => one.startsWith('restoring-'));
    writeFileSync(join(folder.root, name, 'plan.json'), '');
    const hint = expect.stringMatching(`Move ${join(folder.root, name)} out of the data folder`);
    expect(() => openHostControl(folder, Date.now)).toThrow(expect.objectContaining({ code: 'DATA_DAMAGED', hint }));
    renameSync(join(folder.root, name), join(tempDir(), name));
    restore(folder, backup);
    expect(told(folder.root)).toEqual(holds('then', LINES));
  });

  it('after some steps goes back when that is what is asked for', async () => {
    const { folder, backup } = await changedSince();
    restore(folder, backup, 'restore:moved', 8);
    const [aside = ''] = asideIn(folder);
    restore(folder, aside);
    expect(told(folder.root)).toEqual(holds('now', LINES));
  });

  it('after its last step is done, and says where what was before lies when it is repeated', async () => {
    const { folder, backup } = await changedSince();
    restore(folder, backup, 'restore:placed');
    const [aside = ''] = asideIn(folder);
    expect(restore(folder, backup)?.finished).toEqual({ file: backup, aside });
    expect(told(aside)).toEqual(holds('now', []));
    expect(told(folder.root)).toEqual(holds('then', LINES));
  });

  it('before anything was moved is forgotten: a host may have run since', async () => {
    const { folder, backup } = await changedSince();
    restore(folder, backup, 'restore:moved');
    const [aside = ''] = asideIn(folder);
    renameSync(join(aside, 'control.db'), folder.controlDatabase);
    rmSync(aside, { recursive: true });
    put(join(folder.bot('bot_1').state, 'kept.json'), '"later"');
    const restored = restore(folder, backup);
    expect(restored?.finished).toBeNull();
    expect(told(restored?.aside ?? '').bots[0]?.state).toBe('"later"');
  });
});
