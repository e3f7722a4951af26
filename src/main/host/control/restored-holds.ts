import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { BotHold } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { HELD } from '../../../shared/hold-words.ts';
import { RESTORED } from '../../../shared/waiting-reasons.ts';
import { unrecordedHold } from './bot-store.ts';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { Wishes } from './wishes.ts';

/** A stop that the disk refused to record. */
interface UnrecordedStop {
  /** Milliseconds since the epoch. */
  readonly stoppedAt: number;
}

/** What keeps bots of a data folder stopped, by their ids. */
export type HeldBots = ReadonlyMap<string, BotHold | UnrecordedStop>;

/** False for a database of a release that knew no holds. */
function knowsHolds(db: ControlDatabase): boolean {
  return db.prepare("select 1 from pragma_table_info('bot') where name = 'hold'").get() !== undefined;
}

/** Reads the holds of a control database; none where it is missing or damaged. */
function recordedHolds(file: string): Map<string, BotHold> {
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
 * Reads what keeps bots stopped in a data folder before a backup replaces its control database, with holds and stops that a full disk
 * kept out of that. Other stops are not among them: whoever restores chooses whether bots start.
 */
export function heldBots(file: string, wishFile: string): HeldBots {
  const recorded = recordedHolds(file);
  if (!existsSync(wishFile)) return recorded;
  const wishes = new Wishes(wishFile);
  try {
    const held = new Map<string, BotHold | UnrecordedStop>(recorded);
    for (const [botId, kept] of wishes.all('bot')) {
      const hold = recorded.get(botId) ?? null;
      if (kept.wish === 'hold') held.set(botId, unrecordedHold({ hold }, kept));
      else if (kept.wish === 'stop' && hold === null) held.set(botId, { stoppedAt: kept.at });
    }
    return held;
  } finally {
    wishes.close();
  }
}

/**
 * Keeps a restore from releasing bots that were held after the backup was made, and from starting those whose stop no backup has. A
 * backup of a release that knew no holds has no place for them: its bots only stay stopped.
 */
export function keepHolds(db: ControlDatabase, held: HeldBots): void {
  const set = knowsHolds(db) ? db.prepare('update bot set hold = ? where bot_id = ?') : null;
  const stop = db.prepare('update bot set enabled = 0, reason = ? where bot_id = ?');
  const stopEnabled = db.prepare('update bot set enabled = 0, reason = ? where bot_id = ? and enabled = 1');
  for (const [botId, hold] of held) {
    if ('stoppedAt' in hold) {
      const message = 'It was stopped after the backup was made, while the disk refused to record that';
      const hint = 'Look at its configuration and state, then start it.';
      stopEnabled.run(JSON.stringify({ code: RESTORED, message, hint, at: toTimestamp(hold.stoppedAt) }), botId);
      continue;
    }
    set?.run(JSON.stringify(hold), botId);
    const hint = 'Only a person can start it again: `platform bot start`.';
    stop.run(JSON.stringify({ code: HELD, message: hold.message, hint, at: hold.since }), botId);
  }
}
