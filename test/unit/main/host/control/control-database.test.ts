import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createBotStore } from '../../../../../src/main/host/control/bot-store.ts';
import { MIGRATIONS, migrate, openControlDatabase } from '../../../../../src/main/host/control/control-database.ts';
import { noSeal } from '../../../../support/no-seal.ts';
import { noWishes } from '../../../../support/no-wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

function open(dir: string) {
  return openControlDatabase(join(dir, 'control.db'), { backupDir: join(dir, 'backups'), now: () => 42 });
}

describe('control database', () => {
  it('opens with the durability that money needs', () => {
    const db = open(tempDir());
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('synchronous', { simple: true })).toBe(2);
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.at(-1)?.version);
    db.close();
  });

  it('makes STRICT tables only', () => {
    const db = open(tempDir());
    const tables = db
      .prepare("select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all();
    expect(tables.length).toBeGreaterThan(8);
    expect(tables.filter((table) => !/strict/i.test(JSON.stringify(table)))).toEqual([]);
    db.close();
  });

  it('numbers migrations upwards, and gives no number that was left out', () => {
    const versions = MIGRATIONS.map(({ version }) => version);
    // One in a gap, or out of order, would never run in a database that has a later one.
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    const upToNow = Array.from({ length: versions.at(-1) ?? 0 }, (_, at) => at + 1);
    expect(upToNow.filter((version) => !versions.includes(version))).toEqual([17, 18, 19, 22, 29]);
  });

  it('opens again without touching anything', () => {
    const dir = tempDir();
    open(dir).close();
    const db = open(dir);
    db.close();
    expect(readdirSync(dir)).not.toContain('backups');
  });

  it('backs up before a further migration and rolls a broken one back', () => {
    const dir = tempDir();
    const db = open(dir);
    const newest = MIGRATIONS.at(-1)?.version ?? 0;
    const next = { version: newest + 1, sql: 'create table extra (a integer) strict; create table broken (' };
    const options = { backupDir: join(dir, 'backups'), now: () => 42 };
    expect(() => migrate(db, { ...options, migrations: [...MIGRATIONS, next] })).toThrow();
    expect(db.pragma('user_version', { simple: true })).toBe(newest);
    expect(db.prepare("select count(*) as n from sqlite_schema where name = 'extra'").get()).toEqual({ n: 0 });
    db.close();
    const [file] = readdirSync(join(dir, 'backups'));
    const copy = new Database(join(dir, 'backups', file ?? ''), { readonly: true });
    expect(copy.pragma('user_version', { simple: true })).toBe(newest);
    copy.close();
  });

  it('gives bots of an earlier release the engine that they had', () => {
    const dir = tempDir();
    const db = new Database(join(dir, 'control.db'));
    const options = { backupDir: join(dir, 'backups'), now: () => 42 };
    migrate(db, { ...options, migrations: MIGRATIONS.slice(0, 5) });
    db.exec(`
      insert into user (user_id, name, role, created_at) values ('user_1', 'u', 'owner', 0);
      insert into custom_bot_version values ('user_1', 'c', '1.0.0', '{}', '{}', '', 0);
      insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at, updated_at)
        values ('bot_1', 'user_1', 'b', 'realtime', 'c', '1.0.0', '{}', 0, '{}', 1, 'running', 0, 0);
    `);
    db.close();
    const now = open(dir);
    expect(createBotStore(now, noWishes(), noSeal).get('bot_1')).toMatchObject({
      name: 'b',
      engine: 'process',
      options: {},
    });
    now.close();
  });

  it('refuses a database of a newer release with a sentence', () => {
    const dir = tempDir();
    const db = open(dir);
    db.pragma('user_version = 999');
    db.close();
    expect(() => open(dir)).toThrow(/newer release/);
  });
});
