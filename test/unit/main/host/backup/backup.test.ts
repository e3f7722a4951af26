import {
  createWriteStream,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import type { BotStatus } from '../../../../../src/contract/bot.ts';
import { listBackups, writeBackup } from '../../../../../src/main/host/backup/backup.ts';
import { restoreBackup } from '../../../../../src/main/host/backup/restore.ts';
import { type ControlDatabase, openHostControl } from '../../../../../src/main/host/control/control-database.ts';
import { createEventStore } from '../../../../../src/main/host/control/event-store.ts';
import { createGuardStore } from '../../../../../src/main/host/control/guard-store.ts';
import { createNetworkStore } from '../../../../../src/main/host/control/network-store.ts';
import { readSpec } from '../../../../../src/main/host/guards/guard-spec.ts';
import { ledgerFile, openLedger } from '../../../../../src/main/host/ledger/ledger-database.ts';
import { LedgerWriter } from '../../../../../src/main/host/ledger/ledger-writer.ts';
import { type DataFolder, openDataFolder } from '../../../../../src/node/data-folder.ts';
import { LogHere, readerOf } from '../../../../support/log-here.ts';
import { tempDir } from '../../../../support/temp.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const MB = 1024 * 1024;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NO_FILTER = { minLevel: undefined, source: undefined, run: undefined, search: undefined };

/** A data folder with one scheduled bot that was enabled. */
function withBot(): DataFolder {
  const folder = openDataFolder(tempDir('keep-'));
  const db = openHostControl(folder, () => NOW);
  db.exec(`
    insert into user (user_id, name, role, created_at) values ('user_1', 'u', 'owner', 0);
    insert into custom_bot_version values ('user_1', 'cbot', '1.0.0', '{}', '{}', '', 0);
    insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, scheduled_from, created_at, updated_at)
      values ('bot_1', 'user_1', 'mine', 'scheduled', 'cbot', '1.0.0', '{}', 0, '{}', 1, 'running', 5, 0, 0);
    insert into run (run_id, bot_id, version, trigger, status, slot, started_at, created_at)
      values ('run_1', 'bot_1', '1.0.0', 'schedule', 'running', 7, 7, 7);
    insert into unit (run_id, role, bot_id, engine, epoch, handle, created_at) values ('run_1', 'bot', 'bot_1', 'process', 1, '{}', 7);
    insert into session (session_id, user_id, secret_hash, created_at, expires_at) values ('s', 'user_1', x'00', 0, 1);
  `);
  db.close();
  put(join(folder.catalog, 'user_1/cbot/1.0.0/src/bot.mjs'), '// code');
  symlinkSync('/query/run.json', join(folder.catalog, 'user_1/cbot/1.0.0/result.json'));
  put(join(folder.bot('bot_1').state, '.platform/key.json'), '{"a":1}');
  return folder;
}

function put(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const make = (folder: DataFolder, withLogs = false) =>
  writeBackup({ folder, withLogs, version: '0.1.0', now: () => NOW });

const restore = (folder: DataFolder, file: string, startBots = false) =>
  restoreBackup({ folder, file, startBots, now: () => NOW + 1000, endPrograms: async () => [] });

/** Works on the control database of a data folder. */
function inControl<T>(folder: DataFolder, use: (db: ControlDatabase) => T): T {
  const db = openHostControl(folder, () => NOW);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

/** One row of what was restored. */
const rowOf = (folder: DataFolder, sql: string): unknown => inControl(folder, (db) => db.prepare(sql).get());

async function archive(entries: readonly { name: string; type?: 'file' | 'symlink'; linkname?: string }[]) {
  const file = join(tempDir('hostile-'), 'backup.tar.gz');
  const tar = pack();
  const about = { format: 1, version: '0.1.0', made_at: '2026-11-21T20:00:00.000Z', with_logs: false };
  tar.entry({ name: 'backup.json' }, JSON.stringify(about));
  for (const entry of entries) tar.entry(entry, entry.type === 'symlink' ? '' : 'x');
  tar.finalize();
  await pipeline(tar, createGzip(), createWriteStream(file));
  return file;
}

describe('a backup', () => {
  it('keeps content, times and modes, and nothing that a link leads to', async () => {
    const folder = withBot();
    const { state } = folder.bot('bot_1');
    const outside = join(tempDir(), 'outside');
    put(outside, 'of somebody else');
    symlinkSync(outside, join(state, 'link'));
    symlinkSync(dirname(outside), join(state, 'folder'));
    const large = Buffer.alloc(3 * MB, 'large');
    put(join(state, 'deep/large.bin'), large);
    put(join(state, 'deep/äöü €.txt'), '');
    utimesSync(join(state, 'deep/large.bin'), 1000, 1000);
    put(join(folder.bot('bot_1').root, 'log.db'), 'no database');
    const made = await make(folder);
    expect(made.left_out.sort()).toEqual(['bots/bot_1/state/folder', 'bots/bot_1/state/link']);
    expect(statSync(made.file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.backups)).toHaveLength(1);

    const fresh = openDataFolder(tempDir('fresh-'));
    await restore(fresh, made.file);
    const restored = fresh.bot('bot_1').state;
    expect(readFileSync(join(restored, 'deep/large.bin')).equals(large)).toBe(true);
    expect(statSync(join(restored, 'deep/large.bin')).mtimeMs).toBe(1_000_000);
    expect(readFileSync(join(restored, '.platform/key.json'), 'utf8')).toBe('{"a":1}');
    expect(readdirSync(restored).sort()).toEqual(['.platform', 'deep']);
    expect(readdirSync(join(restored, 'deep')).sort()).toEqual(['large.bin', 'äöü €.txt']);
    expect(lstatSync(join(fresh.catalog, 'user_1/cbot/1.0.0/result.json')).isSymbolicLink()).toBe(true);
    expect(readdirSync(fresh.root).sort()).toEqual(['backups', 'bots', 'catalog', 'control.db', 'set-aside']);
  });

  describe('of a folder with a ledger', () => {
    const booked = (folder: DataFolder): unknown => {
      const db = openLedger(ledgerFile(folder.root));
      try {
        return db.prepare('select bot, seq from cursor order by bot').all();
      } finally {
        db.close();
      }
    };
    const trade = (folder: DataFolder, bot: string): void => {
      const db = openLedger(ledgerFile(folder.root));
      const text = JSON.stringify({ fill_id: 'f', symbol: 'A', side: 'BUY', quantity: 1, price: 1 });
      new LedgerWriter(db, 'fifo').apply(bot, [{ seq: 7, at: NOW, mode: 'paper', type: 'fill', text }], 7);
      db.close();
    };

    it('holds it, for a folder that has none', async () => {
      const folder = withBot();
      trade(folder, 'bot_1');
      const { file, left_out } = await make(folder);
      expect(left_out).toEqual([]);
      const fresh = openDataFolder(tempDir('fresh-'));
      // SQLite left it of a ledger that was moved away.
      put(`${ledgerFile(fresh.root)}-wal`, 'what is left of another');
      await restore(fresh, file);
      expect(booked(fresh)).toEqual([{ bot: 'bot_1', seq: 7 }]);
    });

    it('holds it, for a folder in which a host has made an empty one', async () => {
      const folder = withBot();
      trade(folder, 'bot_1');
      const { file } = await make(folder);
      const fresh = openDataFolder(tempDir('fresh-'));
      openLedger(ledgerFile(fresh.root)).close();
      await restore(fresh, file);
      expect(booked(fresh)).toEqual([{ bot: 'bot_1', seq: 7 }]);
    });

    it('takes nothing from one that has its own', async () => {
      const folder = withBot();
      trade(folder, 'bot_1');
      const { file } = await make(folder);
      trade(folder, 'bot_2');
      await restore(folder, file);
      expect(booked(folder)).toEqual([
        { bot: 'bot_1', seq: 7 },
        { bot: 'bot_2', seq: 7 },
      ]);
    });

    it('names it among what is left out when it is damaged', async () => {
      const folder = withBot();
      put(ledgerFile(folder.root), 'no database, but long enough to be taken for one that is damaged');
      expect((await make(folder)).left_out).toEqual(['ledger.db']);
    });
  });

  it('takes the state of a bot from where its engine says that it is', async () => {
    const folder = withBot();
    const copy = tempDir('elsewhere-');
    put(join(copy, '.platform/key.json'), '{"from":"elsewhere"}');
    const made = await writeBackup({
      folder,
      withLogs: false,
      version: '0.1.0',
      states: { bot_1: copy },
      now: () => NOW,
    });
    const fresh = openDataFolder(tempDir('fresh-'));
    await restore(fresh, made.file);
    const key = join(fresh.bot('bot_1').state, '.platform/key.json');
    expect(readFileSync(key, 'utf8')).toBe('{"from":"elsewhere"}');
  });

  it('begins anew where it is put: nothing runs, nothing is due, nobody is logged in', async () => {
    const folder = withBot();
    const { file } = await make(folder);
    for (const startBots of [false, true]) {
      await restore(folder, file, startBots);
      expect(rowOf(folder, 'select enabled, status, scheduled_from from bot')).toEqual({
        enabled: startBots ? 1 : 0,
        status: startBots ? 'scheduled' : 'stopped',
        scheduled_from: NOW + 1000,
      });
      expect(rowOf(folder, 'select status, ended_at from run')).toEqual({ status: 'lost', ended_at: NOW });
      expect(rowOf(folder, 'select (select count(*) from unit) + (select count(*) from session) as n')).toEqual({
        n: 0,
      });
      expect(rowOf(folder, "select count(*) as n from bot_event where reason like '%RESTORED%'")).toEqual({
        n: startBots ? 0 : 1,
      });
    }
  });

  it('keeps guards and network modes as strict as they were', async () => {
    const folder = withBot();
    const { file } = await make(folder);
    const spec = readSpec({ bot_id: 'bot_1', kind: 'daily_loss', limit: '100' });
    const row = { guardId: 'guard_1', botId: 'bot_1', kind: spec.kind, symbol: '', spec, state: {} };
    inControl(folder, (db) => {
      createGuardStore(db).put(row);
      createNetworkStore(db).set('bot_1', 'enforce', NOW);
    });
    await restore(folder, file);
    expect(inControl(folder, (db) => createGuardStore(db).all())).toEqual([row]);
    expect(inControl(folder, (db) => createNetworkStore(db).get('bot_1'))).toBe('enforce');
  });

  it('gives changes ids that none before had: one who has read on after the backup is told, however many bots wait', async () => {
    const folder = withBot();
    const change = (status: BotStatus) =>
      inControl(folder, (db) => {
        const none = { at: NOW, kind: 'status', health: 'ok', reason: null, runId: null, changes: [] } as const;
        return createEventStore(db).add({ ...none, botId: 'bot_1', userId: 'user_1', status }).event_id;
      });
    inControl(folder, (db) =>
      db.exec(`insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, scheduled_from, created_at, updated_at)
        select 'bot_' || value, user_id, 'mine ' || value, bot.type, custom_bot, version, config, flat, options, 1, status, 5, 0, 0
          from bot, json_each('[2, 3, 4, 5]')`),
    );
    change('running');
    const { file } = await make(folder);
    const seen = [change('stopped'), change('running')].at(-1) ?? 0;
    for (let restores = 1; restores <= 2; restores++) {
      const at = NOW + restores * 1000;
      await restoreBackup({ folder, file, startBots: false, now: () => at, endPrograms: async () => [] });
      const { begun, after } = inControl(folder, (db) => {
        const events = createEventStore(db);
        return { begun: events.begun(), after: events.after('user_1', events.begun(), 10) };
      });
      expect(begun).toBeGreaterThan(seen);
      expect(begun).toBe(at);
      expect(after.map(({ event_id }) => event_id - begun)).toEqual([1, 2, 3, 4, 5]);
    }
    const again = await make(folder);
    await restoreBackup({ folder, file: again.file, startBots: true, now: () => NOW, endPrograms: async () => [] });
    // The clock was set back: ids are not given out twice.
    expect(change('running')).toBeGreaterThan(NOW + 2005);
  });

  it('lets a bot that waited for its next attempt then not wait for it now', async () => {
    const folder = withBot();
    const db = openHostControl(folder, () => NOW);
    db.exec(`
      insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, failures, next_attempt_at, created_at, updated_at)
        values ('bot_2', 'user_1', 'crashes', 'realtime', 'cbot', '1.0.0', '{}', 0, '{}', 1, 'backing_off', 9, ${NOW + 300_000}, 0, 0);
    `);
    db.close();
    const { file } = await make(folder);
    for (const startBots of [false, true]) {
      await restore(folder, file, startBots);
      expect(rowOf(folder, "select status, failures, next_attempt_at from bot where bot_id = 'bot_2'")).toEqual({
        status: startBots ? 'starting' : 'stopped',
        failures: 0,
        next_attempt_at: null,
      });
    }
  });

  it('names the code of a version that is gone from the catalogue', async () => {
    const folder = withBot();
    rmSync(join(folder.catalog, 'user_1/cbot/1.0.0'), { recursive: true });
    expect((await make(folder)).left_out).toEqual(['catalog/user_1/cbot/1.0.0']);
  });

  it('takes the log in all its segments, with the rollups of those that are gone, or leaves all of it with its bot', async () => {
    const folder = withBot();
    const { root } = folder.bot('bot_1');
    const log = new LogHere(root);
    const price = { type: 'price', symbol: null, values: { value: 1 }, time: null, run: 'r' } as const;
    for (let day = 0; day < 4; day++) {
      log.write(NOW + day * DAY, [{ line: `day ${day}`, level: 1, run: 'r' }, price]);
      if (day < 3) log.next();
    }
    log.retainAll({ days: 1, bytes: MB }, NOW + 3 * DAY);
    expect(log.segments()).toEqual([2, 3]);
    const told = (at: DataFolder) => {
      const reader = readerOf(at.bot('bot_1').root);
      const lines = reader.logs({ lo: 0, hi: 1e6 }, NO_FILTER, 'asc', 100).map(({ line }) => line);
      const hours = reader.charts.rollups('hour', { type: 'price', field: 'value', symbol: '' }, 0, NOW * 2);
      reader.release();
      return [lines, hours.length];
    };
    expect(told(folder)).toEqual([['day 2', 'day 3'], 4]);
    const [full, plain] = [await make(folder, true), await make(folder)];
    log.close();
    const fresh = openDataFolder(tempDir('fresh-'));
    await restore(fresh, full.file);
    expect(told(fresh)).toEqual([['day 2', 'day 3'], 4]);
    const again = new LogHere(fresh.bot('bot_1').root);
    again.write(NOW + 4 * DAY, [{ line: 'day 4', level: 1, run: 'r' }, price]);
    expect([again.segments(), again.next()]).toEqual([[2, 3], true]);
    again.close();
    expect(told(fresh)).toEqual([['day 2', 'day 3', 'day 4'], 5]);
    // Without logs: those that are there stay.
    await restore(fresh, plain.file);
    expect(told(fresh)).toEqual([['day 2', 'day 3', 'day 4'], 5]);
  });

  it('whose log loses its oldest segments meanwhile holds the rest without a gap, and each metric once', async () => {
    const folder = withBot();
    const log = new LogHere(folder.bot('bot_1').root);
    const price = { type: 'price', symbol: null, values: { value: 1 }, time: null, run: 'r' } as const;
    for (let hour = 0; hour < 6; hour++) {
      log.write(NOW + hour * HOUR, [{ line: `hour ${hour}`, level: 1, run: 'r' }, price]);
      if (hour < 5) log.next();
    }
    log.retain({ days: 30, bytes: 100 * MB }, NOW + 6 * HOUR);
    const made = make(folder, true);
    // Each copy of a database lies beside the archive until it is in there: two were made once it is another one.
    const copies = new Set<bigint>();
    while (copies.size < 2) {
      await new Promise((resolve) => setImmediate(resolve));
      const [temporary] = readdirSync(folder.backups).filter((name) => name.startsWith('.tmp-'));
      const copy = statSync(join(folder.backups, temporary ?? '', 'log.db'), { throwIfNoEntry: false, bigint: true });
      if (copy !== undefined) copies.add(copy.ctimeNs);
    }
    log.retainAll({ days: 1 / 24, bytes: 100 * MB }, NOW + 5.5 * HOUR);
    expect(log.segments()).toEqual([5]);
    const { file, left_out } = await made;
    log.close();
    expect(left_out).toEqual([]);
    const fresh = openDataFolder(tempDir('fresh-'));
    await restore(fresh, file);
    const reader = readerOf(fresh.bot('bot_1').root);
    const lines = reader.logs({ lo: 0, hi: 1e6 }, NO_FILTER, 'asc', 100).map(({ line }) => line);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines).toEqual(Array.from({ length: lines.length }, (_, at) => `hour ${6 - lines.length + at}`));
    const series = { type: 'price', field: 'value', symbol: '' };
    expect(reader.charts.rollups('hour', series, 0, NOW * 2).map(({ n }) => n)).toEqual(Array(6).fill(1));
    reader.release();
  });

  it('names a part of a log that was put aside while it was made', async () => {
    const folder = withBot();
    const { root } = folder.bot('bot_1');
    const log = new LogHere(root);
    for (let at = 0; at < 3; at++) {
      log.write(NOW, [{ line: `${at} ${'x'.repeat(3 * MB)}`, level: 1, run: 'r' }]);
      if (at < 2) log.next();
    }
    log.close();
    const made = make(folder, true);
    while (!readdirSync(folder.backups, { recursive: true }).some((name) => String(name).endsWith('log.db'))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    renameSync(join(root, 'log-1.db'), join(root, 'log-1.db.corrupt-1'));
    expect((await made).left_out).toEqual(['bots/bot_1/log-1.db']);
  });

  it('of a damaged control database is not made', async () => {
    const folder = withBot();
    writeFileSync(folder.controlDatabase, Buffer.alloc(8192, 7));
    await expect(make(folder)).rejects.toThrow(/not a database/);
    expect(readdirSync(folder.backups)).toEqual([]);
  });

  it('is listed beside the copies that the host makes', async () => {
    const folder = withBot();
    const { file } = await make(folder, true);
    renameSync(file, file.replace('backup-', 'backup-2-'));
    put(join(folder.backups, 'control-daily-2026-01-02.db'), 'x');
    put(join(folder.backups, 'notes.txt'), 'x');
    const kinds = (await listBackups(folder)).map(({ kind, with_logs }) => [kind, with_logs]).sort();
    expect(kinds).toEqual([
      ['control', false],
      ['full', true],
    ]);
  });

  it.each([
    [{ name: '../evil' }],
    [{ name: 'bots/bot_1/../../evil' }],
    [{ name: '/etc/evil' }],
    [{ name: 'host.json' }],
    [{ name: 'bots/bot_1/state/link', type: 'symlink' as const, linkname: '/etc' }],
  ])('that somebody made with %j is refused, and nothing is changed', async (entry) => {
    const folder = withBot();
    const before = readdirSync(folder.root, { recursive: true }).sort();
    await expect(restore(folder, await archive([entry]))).rejects.toMatchObject({ code: 'DATA_DAMAGED' });
    expect(readdirSync(folder.root, { recursive: true }).sort()).toEqual(before);
  });
});
