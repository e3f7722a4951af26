import type { ControlDatabase } from './control-database.ts';

/** A guard as stored; `spec` and `state` belong to guards/. The symbol of a guard for all symbols is the empty text. */
export interface GuardRow {
  readonly guardId: string;
  readonly botId: string;
  readonly kind: string;
  readonly symbol: string;
  readonly spec: unknown;
  readonly state: unknown;
}

interface RawGuard {
  guard_id: string;
  bot_id: string;
  kind: string;
  symbol: string;
  spec: string;
  state: string;
}

const fromRaw = (raw: RawGuard): GuardRow => ({
  guardId: raw.guard_id,
  botId: raw.bot_id,
  kind: raw.kind,
  symbol: raw.symbol,
  spec: JSON.parse(raw.spec),
  state: JSON.parse(raw.state),
});

/** Guards in the control database, and how far the rows of their bots are judged. */
export interface GuardStore {
  all(): GuardRow[];
  /** Takes the place of the guard with this id. */
  put(row: GuardRow): void;
  setState(guardId: string, state: unknown): void;
  remove(guardId: string): void;
  /** Seq of the last row that the guards of a bot have judged; null where none was set. */
  cursor(botId: string): number | null;
  setCursor(botId: string, seq: number): void;
  removeCursor(botId: string): void;
}

export function createGuardStore(db: ControlDatabase): GuardStore {
  const all = db.prepare<[], RawGuard>('select * from guard order by bot_id, guard_id');
  const put = db.prepare(
    'insert or replace into guard (guard_id, bot_id, kind, symbol, spec, state) values (?, ?, ?, ?, ?, ?)',
  );
  const state = db.prepare('update guard set state = ? where guard_id = ?');
  const remove = db.prepare('delete from guard where guard_id = ?');
  const cursor = db.prepare<[string], { seq: number }>('select seq from guard_cursor where bot_id = ?');
  const setCursor = db.prepare('insert or replace into guard_cursor (bot_id, seq) values (?, ?)');
  const removeCursor = db.prepare('delete from guard_cursor where bot_id = ?');
  return {
    all: () => all.all().map(fromRaw),
    put: ({ guardId, botId, kind, symbol, spec, state: now }) =>
      void put.run(guardId, botId, kind, symbol, JSON.stringify(spec), JSON.stringify(now)),
    setState: (guardId, now) => void state.run(JSON.stringify(now), guardId),
    remove: (guardId) => void remove.run(guardId),
    cursor: (botId) => cursor.get(botId)?.seq ?? null,
    setCursor: (botId, seq) => void setCursor.run(botId, seq),
    removeCursor: (botId) => void removeCursor.run(botId),
  };
}

/** Has the guards of a restored host go on from the rows that come next: they have judged those of the log, or a later host has. */
export function dropGuardCursors(db: ControlDatabase): void {
  // A backup of an earlier release has no guards.
  if (db.prepare("select 1 from sqlite_schema where name = 'guard_cursor'").get() === undefined) return;
  db.exec('delete from guard_cursor');
}
