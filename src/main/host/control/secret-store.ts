import type { SecretClass } from '../../../contract/secrets.ts';
import type { ControlDatabase } from './control-database.ts';

/** A named secret as stored. Times are milliseconds since the epoch. */
export interface SecretRow {
  readonly user_id: string;
  readonly name: string;
  readonly class: SecretClass;
  readonly sealed: string;
  readonly created_at: number;
  readonly created_by: string;
  readonly rotated_at: number | null;
  readonly rotated_by: string | null;
}

/** The record by which the value of a named secret is sealed. */
export const secretRecord = (userId: string, name: string): string => `secret:${userId}:${name}`;

/** Named secrets in the control database. */
export interface SecretStore {
  list(userId: string): SecretRow[];
  get(userId: string, name: string): SecretRow | null;
  /** False if there is one of this name. */
  add(row: SecretRow): boolean;
  rotate(row: Pick<SecretRow, 'user_id' | 'name' | 'sealed' | 'rotated_at' | 'rotated_by'>): void;
  remove(userId: string, name: string): void;
}

/** SecretStore over the control database. */
export function createSecretStore(db: ControlDatabase): SecretStore {
  const list = db.prepare<[string], SecretRow>('select * from secret where user_id = ? order by name');
  const get = db.prepare<[string, string], SecretRow>('select * from secret where user_id = ? and name = ?');
  const add = db.prepare(
    `insert into secret (user_id, name, class, sealed, created_at, created_by, rotated_at, rotated_by)
     values (@user_id, @name, @class, @sealed, @created_at, @created_by, @rotated_at, @rotated_by) on conflict do nothing`,
  );
  const rotate = db.prepare(
    `update secret set sealed = @sealed, rotated_at = @rotated_at, rotated_by = @rotated_by
     where user_id = @user_id and name = @name`,
  );
  const remove = db.prepare('delete from secret where user_id = ? and name = ?');
  return {
    list: (userId) => list.all(userId),
    get: (userId, name) => get.get(userId, name) ?? null,
    add: (row) => add.run(row).changes === 1,
    rotate: (row) => {
      rotate.run(row);
    },
    remove: (userId, name) => {
      remove.run(userId, name);
    },
  };
}
