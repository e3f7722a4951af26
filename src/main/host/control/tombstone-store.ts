import type { ControlDatabase } from './control-database.ts';

/** What is remembered of a bot that a person deleted. Times are milliseconds since the epoch. */
export interface Tombstone {
  readonly userId: string;
  readonly botId: string;
  readonly name: string;
  /** Keyed hash of what it ran. */
  readonly print: string;
  readonly at: number;
}

interface RawTombstone {
  readonly bot_id: string;
  readonly name: string;
  readonly print: string;
  readonly at: number;
}

/** Bots that persons have deleted, for as long as no key makes them again. */
export interface TombstoneStore {
  /** Stores one, and forgets those from before `since`. */
  add(tombstone: Tombstone, since: number): void;
  /** The newest of a user since a time that has this name or this content; null for none. */
  find(userId: string, like: Pick<Tombstone, 'name' | 'print'>, since: number): Tombstone | null;
  remove(userId: string, botId: string): void;
}

/** TombstoneStore over the control database. */
export function createTombstoneStore(db: ControlDatabase): TombstoneStore {
  const add = db.prepare('insert or replace into tombstone (user_id, bot_id, name, print, at) values (?, ?, ?, ?, ?)');
  const prune = db.prepare('delete from tombstone where at <= ?');
  const find = db.prepare<[string, number, string, string], RawTombstone>(
    'select * from tombstone where user_id = ? and at > ? and (name = ? or print = ?) order by at desc limit 1',
  );
  const remove = db.prepare('delete from tombstone where user_id = ? and bot_id = ?');
  return {
    add({ userId, botId, name, print, at }, since) {
      prune.run(since);
      add.run(userId, botId, name, print, at);
    },
    find(userId, { name, print }, since) {
      const row = find.get(userId, since, name, print);
      return row === undefined ? null : { userId, botId: row.bot_id, name: row.name, print: row.print, at: row.at };
    },
    remove: (userId, botId) => void remove.run(userId, botId),
  };
}
