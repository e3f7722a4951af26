import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { TinyBot } from './tiny-bot.ts';

/** Tells of each of its runs in a file, in which a run that was started twice stands twice. */
export const DUE: TinyBot = {
  name: 'due',
  type: 'scheduled',
  runtime: 'nodejs24',
  bot: `
import { appendFileSync } from 'node:fs';
appendFileSync(process.env.STATE_DIR + '/ran', process.env.RUN_ID + '\\n');`,
};

/** A due time and its recorded run. */
export interface DueTime {
  readonly run_id: string;
  /** Milliseconds since the epoch. */
  readonly slot: number;
  readonly trigger: string;
  readonly status: string;
  /** Number of its programs that started. */
  readonly began: number;
}

/** All due times of a bot that the host has a record of, oldest first; of each there is one at most unless one is doubled. */
export function dueTimes(dataDir: string, botId: string): DueTime[] {
  const db = new Database(join(dataDir, 'control.db'), { readonly: true });
  const sql = 'select run_id, slot, trigger, status from run where bot_id = ? and slot is not null order by slot';
  const rows = db.prepare<[string], Omit<DueTime, 'began'>>(sql).all(botId);
  db.close();
  const file = join(dataDir, 'bots', botId, 'state/.platform/ran');
  const ran = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return rows.map((row) => ({ ...row, began: ran.filter((run) => run === row.run_id).length }));
}

/** Due times with more than one record or more than one program. */
export function doubledDueTimes(times: readonly DueTime[]): number {
  return times.filter(({ began }) => began > 1).length + times.length - new Set(times.map(({ slot }) => slot)).size;
}
