import type { Reason } from '../../../contract/bot.ts';
import type { ControlDatabase } from './control-database.ts';

/** Has every bot that is enabled wait until a person starts it; its reason says why. Must run within a transaction. */
export function haveBotsWait(db: ControlDatabase, why: Reason, now: number): void {
  const waits = JSON.stringify(why);
  const held = 'enabled = 1 and deleting = 0';
  db.prepare(
    `insert into bot_event (bot_id, user_id, at, kind, status, reason)
     select bot_id, user_id, ?, 'status', 'stopped', ? from bot where ${held}`,
  ).run(now, waits);
  db.prepare(
    `update bot set enabled = 0, status = 'stopped', reason = ?, next_attempt_at = null, updated_at = ? where ${held}`,
  ).run(waits, now);
}

/** Records runs that went on as lost. Must run within a transaction. */
export function loseRuns(db: ControlDatabase, why: Reason, endedAt: number): void {
  db.prepare("update run set status = 'lost', ended_at = ?, reason = ? where status in ('starting', 'running')").run(
    endedAt,
    JSON.stringify(why),
  );
}
