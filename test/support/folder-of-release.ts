import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type ControlDatabase, MIGRATIONS, openControlDatabase } from '../../src/main/host/control/control-database.ts';
import { tempDir } from './temp.ts';

/** Opens a control database as a host does, which brings it to the present schema. */
export const openControl = (file: string): ControlDatabase =>
  openControlDatabase(file, { backupDir: join(file, '..', 'backups'), now: () => 0 });

/**
 * The file of a control database as the release left it whose migrations end below `before` (default: this release), with a user,
 * a custom bot and these bots.
 */
export function folderOfRelease(given: { readonly bots: readonly string[]; readonly before?: number }): string {
  const { bots, before = Number.POSITIVE_INFINITY } = given;
  const file = join(tempDir('folder-of-release-'), 'control.db');
  const db = new Database(file);
  // A folder that no crash can reach need not wait for the disk.
  db.pragma('synchronous = off');
  for (const { version, sql } of MIGRATIONS.filter((step) => step.version < before)) {
    db.exec(sql);
    db.pragma(`user_version = ${version}`);
  }
  db.exec(`
    insert into user values ('user_1', 'ann', 'owner', null, 0);
    insert into custom_bot_version values ('user_1', 'c', '1.0.0', '{}', '{}', 'h', 0);
  `);
  const add = db.prepare(
    `insert into bot (bot_id, user_id, name, type, custom_bot, version, config, flat, options, enabled, status, created_at,
       updated_at)
     values (?, 'user_1', ?, 'realtime', 'c', '1.0.0', '{}', 0, '{}', 0, 'stopped', 0, 0)`,
  );
  for (const id of bots) add.run(id, id);
  db.close();
  return file;
}
