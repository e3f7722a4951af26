import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { COPIED, RESTORED } from '../../../shared/waiting-reasons.ts';
import { dropWaitingAlarms } from './alarm-store.ts';
import { voidArmings } from './arming-store.ts';
import { knowsTrash } from './backup-source.ts';
import { controlFault } from './control-damage.ts';
import { type ControlDatabase, MIGRATIONS } from './control-database.ts';
import { type PlaceRecord, restorePlace } from './data-folder-place-record.ts';
import { EVENTS_BEGUN } from './event-store.ts';
import { dropGuardCursors } from './guard-store.ts';
import { haveBotsWait, loseRuns } from './make-bots-wait.ts';
import { type HeldAccess, keepAccess } from './restored-access.ts';
import { type HeldGuards, keepGuards } from './restored-guards.ts';
import { type HeldBots, keepHolds } from './restored-holds.ts';
import { type HeldIsolation, keepIsolation } from './restored-isolation.ts';
import { type HeldNetworks, keepNetworks } from './restored-networks.ts';
import { type HeldPins, keepPins } from './restored-pins.ts';
import { dropStagedChanges } from './staged-store.ts';

/** Throws DATA_DAMAGED for a control database that is not sound, INVALID_REQUEST for one of a newer release. */
export function checkRestorable(file: string, shownAs: string): void {
  const fault = controlFault(file);
  if (fault !== null) {
    throw new PlatformError('DATA_DAMAGED', `${shownAs} is damaged (${fault})`, {
      hint: 'Nothing was changed. Take another backup: `platform backup --list` shows them.',
    });
  }
  const db = new Database(file, { readonly: true });
  try {
    const schema = Number(db.pragma('user_version', { simple: true }));
    const newest = MIGRATIONS.at(-1)?.version ?? 0;
    if (schema <= newest) return;
    throw new PlatformError(
      'INVALID_REQUEST',
      `${shownAs} was made by a newer release (schema ${schema}, this release knows ${newest})`,
      { hint: 'Nothing was changed. Install that release, then restore.' },
    );
  } finally {
    db.close();
  }
}

/**
 * Merges the write-ahead log of a killed host into its control database, so that one file holds everything. A damaged
 * database stays unchanged. No process may have it open.
 */
export function foldControl(file: string): void {
  // SQLite would discard the write-ahead log of a damaged database.
  if (!existsSync(`${file}-wal`) || controlFault(file) !== null) return;
  const db = new Database(file);
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

/** Settings for the first start of a restored control database. Times are milliseconds since the epoch. */
export interface Settlement {
  readonly madeAt: number;
  readonly now: number;
  /** Enabled bots start with the host; otherwise each waits for its user. */
  readonly startBots: boolean;
  /** Isolation that the target folder of the restore demands; null if its database is missing or unreadable. */
  readonly held: HeldIsolation | null;
  /** Bots that are kept stopped there. */
  readonly holds: HeldBots;
  /** Guards of bots there. */
  readonly guards: HeldGuards;
  /** Network modes of bots there. */
  readonly networks: HeldNetworks;
  /** Access that was taken back in that folder since the backup. */
  readonly access: HeldAccess;
  /** PINs of that folder; null if its database is missing, unreadable or older than PINs. */
  readonly pins: HeldPins | null;
  /**
   * Place record of that folder, which also tells whether its bots wait for a person to confirm the place; null if
   * unknown.
   */
  readonly place: PlaceRecord | null;
}

/**
 * Continues events with ids that no host has given out. The number of events since the backup is unknown, so the ids
 * start at a time in ms, which is far above any count of events and differs between two restores of one backup.
 */
function beginEvents(db: ControlDatabase, now: number): void {
  const held = db
    .prepare<[], { seq: number }>("select coalesce(max(seq), 0) as seq from sqlite_sequence where name = 'bot_event'")
    .get();
  const begun = Math.max(now, (held?.seq ?? 0) + 1);
  db.exec("delete from sqlite_sequence where name = 'bot_event'");
  db.prepare("insert into sqlite_sequence (name, seq) values ('bot_event', ?)").run(begun);
  db.prepare('insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value').run(
    EVENTS_BEGUN,
    String(begun),
  );
}

/**
 * Continues the generations of bots above any that a client has read since the backup, for the reason of `beginEvents`: a
 * change that names such a generation must be refused. Backups of earlier releases have none.
 */
function beginGenerations(db: ControlDatabase, now: number): void {
  const columns = db.prepare<[], string>("select name from pragma_table_info('bot')").pluck().all();
  // Before schema 27 `generation` was the name of what is `epoch` now.
  const column = columns.includes('epoch') ? 'generation' : columns.find((name) => name === 'change_count');
  if (column !== undefined) db.prepare(`update bot set ${column} = max(${column} + 1, ?)`).run(now);
}

/**
 * Prepares a restored control database for the present, in one transaction. Its programs are forgotten and their runs
 * lost; due times up to now count as past, so that no due time runs twice; old failures delay no start; sessions are
 * ended; access that was taken back stays so; deleted bots stay in the trash for as long as after their deletion; guards and network modes are as strict as before; no bot is
 * armed, and no change waits for a person; and followers of events notice the break. Bots that ran wait for their
 * user, who may have stopped them or undone an update by hand since the backup.
 */
export function settleRestored(
  file: string,
  { madeAt, now, startBots, held, holds, guards, networks, access, pins, place }: Settlement,
): void {
  const at = toTimestamp(now);
  const waits = {
    code: RESTORED,
    message: `It was enabled when the backup was made (${toTimestamp(madeAt)}), and waits since that was restored`,
    hint: 'Look at its configuration and state, then start it.',
    at,
  };
  const lost = {
    code: RESTORED,
    message: 'It was running when the backup was made; its outcome is unknown',
    hint: null,
    at,
  };
  const db = new Database(file, { fileMustExist: true });
  try {
    db.transaction(() => {
      db.exec('delete from unit; delete from session; delete from device_code;');
      beginEvents(db, now);
      beginGenerations(db, now);
      keepIsolation(db, held);
      keepAccess(db, access, { now, madeAt });
      keepPins(db, pins);
      dropWaitingAlarms(db, now);
      dropGuardCursors(db);
      loseRuns(db, lost, madeAt);
      // They were enabled before their folder was copied.
      db.prepare("update bot set enabled = 1 where enabled = 0 and json_extract(reason, '$.code') = ?").run(COPIED);
      keepHolds(db, holds);
      keepGuards(db, guards);
      keepNetworks(db, networks, now);
      voidArmings(db);
      dropStagedChanges(db);
      db.exec('update bot set failures = 0, next_attempt_at = null');
      db.prepare("update bot set scheduled_from = ? where type = 'scheduled'").run(now);
      db.exec("update bot set status = 'stopped' where enabled = 0 and status <> 'failed'");
      db.exec(
        "update bot set reason = null, status = iif(type = 'realtime', 'starting', 'scheduled') where enabled = 1 and deleting = 0",
      );
      // Their time goes on from now: an old backup would bring them back only to be removed.
      if (knowsTrash(db))
        db.prepare("update bot set trash = json_set(trash, '$.at', ?) where trash is not null").run(now);
      if (!startBots) haveBotsWait(db, waits, now);
      restorePlace(db, place, startBots, now);
    })();
    // A single file, so that one rename moves the whole database.
    db.pragma('journal_mode = DELETE');
  } finally {
    db.close();
  }
}
