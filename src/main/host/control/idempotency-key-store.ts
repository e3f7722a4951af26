import type { ControlDatabase } from './control-database.ts';

/** The bot that a request with an idempotency key made. */
export interface KeyedBot {
  /** Keyed hash of the request. */
  readonly print: string;
  readonly botId: string;
}

/** The idempotency keys of deployments, each user's own. Times are milliseconds since the epoch. */
export function createIdempotencyKeyStore(db: ControlDatabase) {
  const find = db.prepare<[string, string, number], { print: string; bot_id: string }>(
    'select print, bot_id from deploy_key where user_id = ? and key = ? and at > ?',
  );
  const prune = db.prepare<[number]>('delete from deploy_key where at <= ?');
  const add = db.prepare('insert into deploy_key (user_id, key, print, bot_id, at) values (?, ?, ?, ?, ?)');
  return {
    /** A key that was used after `since`. */
    find(userId: string, key: string, since: number): KeyedBot | null {
      const row = find.get(userId, key, since);
      return row === undefined ? null : { print: row.print, botId: row.bot_id };
    },
    /** Stores a use, and forgets those up to `since`. */
    add(
      userId: string,
      key: string,
      { print, botId }: KeyedBot,
      at: { readonly now: number; readonly since: number },
    ): void {
      prune.run(at.since);
      add.run(userId, key, print, botId, at.now);
    },
  };
}

export type IdempotencyKeyStore = ReturnType<typeof createIdempotencyKeyStore>;
