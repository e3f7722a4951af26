import type { BotChange, BotEvent, BotEventKind, BotStatus, HealthState, Reason } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import type { ControlDatabase } from './control-database.ts';

/** Name of the setting that holds EventStore.begun; a restore writes it. */
export const EVENTS_BEGUN = 'events_begun';

export interface NewBotEvent {
  readonly botId: string;
  readonly userId: string;
  readonly at: number;
  readonly kind: BotEventKind;
  readonly status: BotStatus | null;
  readonly health: HealthState;
  readonly reason: Reason | null;
  readonly runId: string | null;
  readonly changes: readonly BotChange[];
}

interface RawEvent {
  event_id: number;
  bot_id: string;
  at: number;
  kind: string;
  status: BotStatus | null;
  health: HealthState | null;
  reason: string | null;
  run_id: string | null;
  changes: string | null;
}

const KEEP_PER_BOT = 1000;
/** Readers that come back later than this read the list of bots first. */
const DELETED_KEPT_MS = 30 * 86_400_000;

function fromRaw(raw: RawEvent): BotEvent {
  return {
    event_id: raw.event_id,
    bot_id: raw.bot_id,
    at: toTimestamp(raw.at),
    kind: raw.kind,
    status: raw.status,
    health: raw.health,
    reason: raw.reason === null ? null : JSON.parse(raw.reason),
    run_id: raw.run_id,
    changes: raw.changes === null ? [] : JSON.parse(raw.changes),
  };
}

/** Changes of state with their reasons. */
export interface EventStore {
  add(event: NewBotEvent): BotEvent;
  /** Removes what happened to a bot. */
  removeOf(botId: string): void;
  /** Newest first; `kind`: only those of that kind. */
  list(botId: string, limit: number, before?: number, kind?: BotEventKind): BotEvent[];
  /** Newest events of a bot that tell of a change, or that the host was stopped, at or after a time (ms). */
  changesSince(botId: string, from: number, limit: number): BotEvent[];
  /** The reason recorded for a run that others can reach; null if none. */
  exposureOf(botId: string, runId: string): Reason | null;
  /** The newest event that tells whether a run has its network; null where none does. */
  networkOf(botId: string, runId: string): BotEvent | null;
  /** True while an unfinished run of a bot has lost its network, as its newest event tells. */
  lacksNetwork(botId: string): boolean;
  /** Events of all bots of a user after a cursor, oldest first. */
  after(userId: string, eventId: number, limit: number): BotEvent[];
  /** The newest id given out, 0 before the first. */
  newest(): number;
  /** The id after which those since the last restore come, 0 without one. */
  begun(): number;
}

/** EventStore over the control database. */
export function createEventStore(db: ControlDatabase): EventStore {
  const add = db.prepare(
    'insert into bot_event (bot_id, user_id, at, kind, status, health, reason, run_id, changes) values (?,?,?,?,?,?,?,?,?)',
  );
  const prune = db.prepare(
    'delete from bot_event where bot_id = ? and event_id <= (select event_id from bot_event where bot_id = ? order by event_id desc limit 1 offset ?)',
  );
  const removeOf = db.prepare('delete from bot_event where bot_id = ?');
  const pruneDeleted = db.prepare("delete from bot_event where kind = 'deleted' and at < ?");
  const list = db.prepare<[{ bot: string; before: number | null; kind: string | null; limit: number }], RawEvent>(
    `select * from bot_event where bot_id = @bot and (@before is null or event_id < @before)
     and (@kind is null or kind = @kind) order by event_id desc limit @limit`,
  );
  const changed = db.prepare<[string, number, number], RawEvent>(
    `select * from bot_event where bot_id = ? and at >= ? and (changes is not null or reason ->> '$.code' = 'HOST_STOPPED')
     order by event_id desc limit ?`,
  );
  const exposed = db.prepare<[string, string], { reason: string }>(
    "select reason from bot_event where bot_id = ? and run_id = ? and kind = 'exposed' order by event_id desc limit 1",
  );
  const network = db.prepare<[string, string], RawEvent>(
    `select * from bot_event where bot_id = ? and run_id = ? and kind in ('network_lost', 'network_back')
     order by event_id desc limit 1`,
  );
  const lacksNetwork = db.prepare<[string], unknown>(
    `select 1 from run where bot_id = ? and status in ('starting', 'running') and 'network_lost' =
       (select kind from bot_event e where e.bot_id = run.bot_id and e.run_id = run.run_id
        and kind in ('network_lost', 'network_back') order by event_id desc limit 1) limit 1`,
  );
  const after = db.prepare<[string, number, number], RawEvent>(
    'select * from bot_event where user_id = ? and event_id > ? order by event_id limit ?',
  );
  const newest = db.prepare<[], { seq: number }>("select seq from sqlite_sequence where name = 'bot_event'");
  const begun = db.prepare<[string], { value: string }>('select value from setting where name = ?');
  return {
    newest: () => newest.get()?.seq ?? 0,
    begun: () => Number(begun.get(EVENTS_BEGUN)?.value ?? 0),
    add(e) {
      const reason = e.reason === null ? null : JSON.stringify(e.reason);
      const changes = e.changes.length === 0 ? null : JSON.stringify(e.changes);
      const { lastInsertRowid } = add.run(
        e.botId,
        e.userId,
        e.at,
        e.kind,
        e.status,
        e.health,
        reason,
        e.runId,
        changes,
      );
      prune.run(e.botId, e.botId, KEEP_PER_BOT);
      if (e.kind === 'deleted') pruneDeleted.run(e.at - DELETED_KEPT_MS);
      return {
        event_id: Number(lastInsertRowid),
        bot_id: e.botId,
        at: toTimestamp(e.at),
        kind: e.kind,
        status: e.status,
        health: e.health,
        reason: e.reason,
        run_id: e.runId,
        changes: [...e.changes],
      };
    },
    removeOf: (botId) => {
      removeOf.run(botId);
    },
    list: (bot, limit, before, kind) =>
      list.all({ bot, limit, before: before ?? null, kind: kind ?? null }).map(fromRaw),
    changesSince: (botId, from, limit) => changed.all(botId, from, limit).map(fromRaw),
    exposureOf: (botId, runId) => {
      const row = exposed.get(botId, runId);
      return row === undefined ? null : JSON.parse(row.reason);
    },
    networkOf: (botId, runId) => {
      const row = network.get(botId, runId);
      return row === undefined ? null : fromRaw(row);
    },
    lacksNetwork: (botId) => lacksNetwork.get(botId) !== undefined,
    after: (userId, eventId, limit) => after.all(userId, eventId, limit).map(fromRaw),
  };
}
