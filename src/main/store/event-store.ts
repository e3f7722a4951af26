import type { BotEvent, BotStatus, Reason } from '../../contract/bot.ts';
import { toTimestamp } from '../../contract/common.ts';
import type { ControlDatabase } from './control-database.ts';

export interface NewBotEvent {
  readonly botId: string;
  readonly userId: string;
  readonly at: number;
  readonly kind: 'deployed' | 'status' | 'run' | 'updated' | 'deleted';
  readonly status: BotStatus | null;
  readonly reason: Reason | null;
  readonly runId: string | null;
}

interface RawEvent {
  event_id: number;
  bot_id: string;
  at: number;
  kind: string;
  status: BotStatus | null;
  reason: string | null;
  run_id: string | null;
}

const KEEP_PER_BOT = 1000;

function fromRaw(raw: RawEvent): BotEvent {
  return {
    event_id: raw.event_id,
    bot_id: raw.bot_id,
    at: toTimestamp(raw.at),
    kind: raw.kind,
    status: raw.status,
    reason: raw.reason === null ? null : JSON.parse(raw.reason),
    run_id: raw.run_id,
  };
}

/** Changes of state with their reasons. */
export interface EventStore {
  add(event: NewBotEvent): BotEvent;
  list(botId: string, limit: number, before?: number): BotEvent[];
  /** Events of all bots of a user after a cursor, oldest first. */
  after(userId: string, eventId: number, limit: number): BotEvent[];
}

/** EventStore over the control database. */
export function createEventStore(db: ControlDatabase): EventStore {
  const add = db.prepare(
    'insert into bot_event (bot_id, user_id, at, kind, status, reason, run_id) values (?,?,?,?,?,?,?)',
  );
  const prune = db.prepare(
    'delete from bot_event where bot_id = ? and event_id <= (select event_id from bot_event where bot_id = ? order by event_id desc limit 1 offset ?)',
  );
  const list = db.prepare<[string, number | null, number | null, number], RawEvent>(
    'select * from bot_event where bot_id = ? and (? is null or event_id < ?) order by event_id desc limit ?',
  );
  const after = db.prepare<[string, number, number], RawEvent>(
    'select * from bot_event where user_id = ? and event_id > ? order by event_id limit ?',
  );
  return {
    add(e) {
      const reason = e.reason === null ? null : JSON.stringify(e.reason);
      const { lastInsertRowid } = add.run(e.botId, e.userId, e.at, e.kind, e.status, reason, e.runId);
      prune.run(e.botId, e.botId, KEEP_PER_BOT);
      return {
        event_id: Number(lastInsertRowid),
        bot_id: e.botId,
        at: toTimestamp(e.at),
        kind: e.kind,
        status: e.status,
        reason: e.reason,
        run_id: e.runId,
      };
    },
    list: (botId, limit, before) => list.all(botId, before ?? null, before ?? null, limit).map(fromRaw),
    after: (userId, eventId, limit) => after.all(userId, eventId, limit).map(fromRaw),
  };
}
