import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { PlatformError } from '../../../contract/errors.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { databaseHasTables } from '../../../node/database-has-tables.ts';
import { closeDatabasesIn, isOpenToOthers, makePrivate } from '../../../node/private-database-file.ts';
import { isDamaged } from '../../../node/storage-error.ts';
import { refuseToGuess, signOfUse } from './control-damage.ts';
import { initial } from './migrations/0001-initial.ts';
import { keyScopes } from './migrations/0002-key-scopes.ts';
import { unitSecrets } from './migrations/0003-unit-secrets.ts';
import { eventChanges } from './migrations/0004-event-changes.ts';
import { eventsOutliveBots } from './migrations/0005-events-outlive-bots.ts';
import { botEngine } from './migrations/0006-bot-engine.ts';
import { preferences } from './migrations/0007-preferences.ts';
import { projects } from './migrations/0008-projects.ts';
import { unitBotIndex } from './migrations/0009-unit-bot-index.ts';
import { isolationException } from './migrations/0010-isolation-exception.ts';
import { botHealth } from './migrations/0011-bot-health.ts';
import { sessionOriginLastUsed } from './migrations/0012-session-origin-last-used.ts';
import { deviceGrants } from './migrations/0013-device-grant-columns.ts';
import { auditNames } from './migrations/0014-audit-names.ts';
import { logBlocks } from './migrations/0015-empty-for-log-blocks.ts';
import { runModeVersionHash } from './migrations/0016-run-mode-version-hash.ts';
import { alarms } from './migrations/0020-alarms.ts';
import { vault } from './migrations/0021-vault.ts';
import { holds } from './migrations/0023-holds.ts';
import { guards } from './migrations/0024-guards.ts';
import { botTimezone } from './migrations/0025-bot-timezone.ts';
import { idempotencyKeysChangeCount } from './migrations/0026-idempotency-keys-change-count.ts';
import { botEpoch } from './migrations/0027-rename-bot-counters.ts';
import { alarmMarksDefaultRules } from './migrations/0028-alarm-marks-default-rules.ts';
import { botNetwork } from './migrations/0030-bot-network.ts';
import { pins } from './migrations/0031-pins.ts';
import { armings } from './migrations/0032-armings.ts';
import { stagedChanges } from './migrations/0033-staged-changes.ts';
import { removedVersions } from './migrations/0034-removed-versions.ts';
import { trash } from './migrations/0035-trash.ts';

export type ControlDatabase = Database.Database;

interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** Forward only, never edited once released: `user_version` of a database tells which ones it has. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: initial },
  { version: 2, sql: keyScopes },
  { version: 3, sql: unitSecrets },
  { version: 4, sql: eventChanges },
  { version: 5, sql: eventsOutliveBots },
  { version: 6, sql: botEngine },
  { version: 7, sql: preferences },
  { version: 8, sql: projects },
  { version: 9, sql: unitBotIndex },
  { version: 10, sql: isolationException },
  { version: 11, sql: botHealth },
  { version: 12, sql: sessionOriginLastUsed },
  { version: 13, sql: deviceGrants },
  { version: 14, sql: auditNames },
  { version: 15, sql: logBlocks },
  { version: 16, sql: runModeVersionHash },
  { version: 20, sql: alarms },
  { version: 21, sql: vault },
  { version: 23, sql: holds },
  { version: 24, sql: guards },
  { version: 25, sql: botTimezone },
  { version: 26, sql: idempotencyKeysChangeCount },
  { version: 27, sql: botEpoch },
  { version: 28, sql: alarmMarksDefaultRules },
  { version: 30, sql: botNetwork },
  { version: 31, sql: pins },
  { version: 32, sql: armings },
  { version: 33, sql: stagedChanges },
  { version: 34, sql: removedVersions },
  { version: 35, sql: trash },
];

function versionOf(db: ControlDatabase): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/** Brings a database to the newest version, one transaction per step, with a copy of it in `backupDir` before each. */
export function migrate(
  db: ControlDatabase,
  options: { readonly backupDir: string; readonly now: () => number; readonly migrations?: readonly Migration[] },
): void {
  const migrations = options.migrations ?? MIGRATIONS;
  const newest = migrations.at(-1)?.version ?? 0;
  const current = versionOf(db);
  if (current > newest) {
    throw new PlatformError(
      'INTERNAL',
      `The data folder was written by a newer release (schema ${current}, this release knows ${newest})`,
      { hint: 'Start the newer release again, or restore a backup made by this one.' },
    );
  }
  for (const step of migrations) {
    if (step.version <= versionOf(db)) continue;
    if (current > 0) backup(db, options.backupDir, `before-schema-${step.version}-${options.now()}`);
    db.transaction(() => {
      db.exec(step.sql);
      db.pragma(`user_version = ${step.version}`);
    })();
  }
}

/** Writes a consistent copy of the database as `<name>.db` into the folder and returns its path. */
export function backup(db: ControlDatabase, dir: string, name: string): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, `control-${name}.db`);
  if (existsSync(file)) return file;
  // An incomplete copy must never pass for a whole one.
  const part = `${file}.part`;
  rmSync(part, { force: true });
  // The copy goes into this empty file and so keeps its mode.
  makePrivate(part);
  db.prepare('vacuum into ?').run(part);
  renameSync(part, file);
  return file;
}

/** The check of the whole file found something. */
class DamagedControl extends Error {
  override readonly name = 'DamagedControl';
}

/**
 * Earlier releases left databases open to others inside the closed folder. The control database is closed last, so it
 * shows that the rest is done.
 */
function closeOldDatabases(folder: DataFolder): void {
  if (!isOpenToOthers(folder.controlDatabase)) return;
  for (const entry of readdirSync(folder.bots, { withFileTypes: true })) {
    if (entry.isDirectory()) closeDatabasesIn(join(folder.bots, entry.name));
  }
  closeDatabasesIn(folder.backups);
  makePrivate(folder.controlDatabase);
}

/**
 * Opens the control database of a data folder. Throws DATA_DAMAGED with a way out when it is damaged, or missing from a
 * folder that was in use: a fresh one would orphan all bots.
 */
export function openHostControl(folder: DataFolder, now: () => number): ControlDatabase {
  const file = folder.controlDatabase;
  const isThere = existsSync(file);
  // A host that was killed at once leaves an empty file, and nothing else.
  if (!isThere || statSync(file).size === 0) {
    const sign = signOfUse(folder);
    const what = isThere ? 'empty' : 'missing';
    if (sign !== null) throw refuseToGuess(folder, `The control database ${file} is ${what}, but ${sign}`);
  }
  closeOldDatabases(folder);
  try {
    return openControlDatabase(file, { backupDir: folder.backups, now });
  } catch (error) {
    if (!(error instanceof DamagedControl) && !isDamaged(error)) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw refuseToGuess(folder, `The control database ${file} is damaged (${said})`);
  }
}

/**
 * Opens the control database: everything the host must not lose. WAL with synchronous=FULL, so that a committed change
 * survives a power cut.
 */
export function openControlDatabase(
  file: string,
  options: { readonly backupDir: string; readonly now: () => number },
): ControlDatabase {
  makePrivate(file);
  const db = new Database(file);
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('busy_timeout = 5000');
    const check = db.pragma('quick_check', { simple: true });
    if (check !== 'ok') throw new DamagedControl(String(check).replaceAll('\n', '; '));
    if (versionOf(db) === 0 && databaseHasTables(db)) throw new DamagedControl('the version of its schema is gone');
    migrate(db, options);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}
