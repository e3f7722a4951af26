import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { BotHold } from '../../../contract/bot.ts';
import { HELD } from '../../../shared/hold-words.ts';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';

/** What holds bots in a data folder, by their ids. */
export type HeldBots = ReadonlyMap<string, BotHold>;

/** False for a database of a release that knew no holds. */
function knowsHolds(db: ControlDatabase): boolean {
  return db.prepare("select 1 from pragma_table_info('bot') where name = 'hold'").get() !== undefined;
}

/** Reads the holds of a control database before a backup replaces it; none where it is missing or damaged. */
export function heldBots(file: string): HeldBots {
  if (!existsSync(file) || controlFault(file) !== null) return new Map();
  const db = new Database(file, { fileMustExist: true });
  try {
    if (!knowsHolds(db)) return new Map();
    const rows = db
      .prepare<[], { bot_id: string; hold: string }>('select bot_id, hold from bot where hold is not null')
      .all();
    return new Map(rows.map(({ bot_id, hold }) => [bot_id, JSON.parse(hold)]));
  } finally {
    db.close();
  }
}

/**
 * Keeps a restore from releasing bots that were held after the backup was made. A backup of a release that knew no holds has no
 * place for them: its bots only stay stopped.
 */
export function keepHolds(db: ControlDatabase, held: HeldBots): void {
  const set = knowsHolds(db) ? db.prepare('update bot set hold = ? where bot_id = ?') : null;
  const stop = db.prepare('update bot set enabled = 0, reason = ? where bot_id = ?');
  for (const [botId, hold] of held) {
    set?.run(JSON.stringify(hold), botId);
    const hint = 'Only a person can start it again: `platform bot start`.';
    stop.run(JSON.stringify({ code: HELD, message: hold.message, hint, at: hold.since }), botId);
  }
}
