import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { toTimestamp } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import { controlFault } from './control-damage.ts';
import { type ControlDatabase, MIGRATIONS } from './control-database.ts';
import { EVENTS_BEGUN } from './event-store.ts';

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
 * Brings into a control database what a killed host has left beside it, so that it is whole in one file. A damaged one
 * stays as it is. Nobody may have it open.
 */
export function foldControl(file: string): void {
  // Of a damaged one SQLite would throw away what lies beside it.
  if (!existsSync(`${file}-wal`) || controlFault(file) !== null) return;
  const db = new Database(file);
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

/** How a restored control database begins. Times are milliseconds since the epoch. */
export interface Settlement {
  readonly madeAt: number;
  readonly now: number;
  /** Bots that were enabled start with the host. Else each waits for somebody who starts it. */
  readonly startBots: boolean;
}

/**
 * Has events go on with ids that no host has given out, for nobody knows how many it gave since the backup: times in ms are
 * far above any count of events, and those of two restores of the same backup are apart.
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
 * Makes a control database of some time ago fit for now, in one transaction: no program of then is looked for, runs that
 * went on then are lost, due times up to now are over, so that none runs a second time, failures of then put off no start,
 * log-ins have ended, whoever followed events is told, and what ran waits until somebody starts it: it may have been stopped,
 * or taken back by hand, since.
 */
export function settleRestored(file: string, { madeAt, now, startBots }: Settlement): void {
  const at = toTimestamp(now);
  const waits = JSON.stringify({
    code: 'RESTORED',
    message: `It was enabled when the backup was made (${toTimestamp(madeAt)}), and waits since that was restored`,
    hint: 'Look at its configuration and state, then start it.',
    at,
  });
  const lost = JSON.stringify({
    code: 'RESTORED',
    message: 'It went on when the backup was made; nobody knows how it ended',
    hint: null,
    at,
  });
  const db = new Database(file, { fileMustExist: true });
  try {
    db.transaction(() => {
      db.exec('delete from unit; delete from session; delete from device_code;');
      beginEvents(db, now);
      db.prepare(
        "update run set status = 'lost', ended_at = ?, reason = ? where status in ('starting', 'running')",
      ).run(madeAt, lost);
      db.exec('update bot set failures = 0, next_attempt_at = null');
      db.prepare("update bot set scheduled_from = ? where type = 'scheduled'").run(now);
      db.exec("update bot set status = 'stopped' where enabled = 0 and status <> 'failed'");
      db.exec(
        "update bot set reason = null, status = iif(type = 'realtime', 'starting', 'scheduled') where enabled = 1 and deleting = 0",
      );
      if (!startBots) {
        const held = 'enabled = 1 and deleting = 0';
        db.prepare(
          `insert into bot_event (bot_id, user_id, at, kind, status, reason)
           select bot_id, user_id, ?, 'status', 'stopped', ? from bot where ${held}`,
        ).run(now, waits);
        db.prepare(`update bot set enabled = 0, status = 'stopped', reason = ?, updated_at = ? where ${held}`).run(
          waits,
          now,
        );
      }
    })();
    // One file: what moves it to its place moves all of it.
    db.pragma('journal_mode = DELETE');
  } finally {
    db.close();
  }
}
