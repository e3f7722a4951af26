import type { JsonObject } from '../../../contract/common.ts';
import type { CustomBotVersion } from '../../../contract/custom-bot.ts';
import type { ControlDatabase } from './control-database.ts';

/** One published version as it is stored. Immutable: there is no update. */
export interface CatalogRow {
  readonly userId: string;
  /** All fields that clients see of the version; `record.name` and `record.version` are its key. */
  readonly record: CustomBotVersion;
  /** The parsed bot-schema.json. */
  readonly schema: JsonObject;
}

/**
 * Records of the catalogue: one row per user, custom bot name and version. Synchronous, so that no other work comes
 * between a check and the write that follows it.
 */
export interface CatalogStore {
  /** Adds a row; throws when the user already has that name and version. */
  insertVersion(row: CatalogRow): void;
  getVersion(userId: string, name: string, version: string): CatalogRow | null;
  /** Versions of one custom bot, unordered; empty for an unknown one. */
  listVersions(userId: string, name: string): readonly string[];
  /** Every record of a user, in any order. */
  list(userId: string): readonly CustomBotVersion[];
  /** Removes a row, and remembers its hash; false when there was none. Throws when an instance still refers to it. */
  deleteVersion(userId: string, name: string, version: string): boolean;
  /** Hash of the content of a version that was removed; null for one that never was. */
  removedHash(userId: string, name: string, version: string): string | null;
  /** Keys of all rows of all users, to find folders that no row knows. */
  keys(): Iterable<{ readonly userId: string; readonly name: string; readonly version: string }>;
}

interface RawVersion {
  user_id: string;
  record: string;
  schema: string;
}

/** CatalogStore over the control database. */
export function createCatalogStore(db: ControlDatabase): CatalogStore {
  const insert = db.prepare(
    'insert into custom_bot_version (user_id, name, version, record, schema, hash, created_at) values (?,?,?,?,?,?,?)',
  );
  const one = db.prepare<[string, string, string], RawVersion>(
    'select user_id, record, schema from custom_bot_version where user_id = ? and name = ? and version = ?',
  );
  const versions = db.prepare<[string, string], { version: string }>(
    'select version from custom_bot_version where user_id = ? and name = ?',
  );
  const ofUser = db.prepare<[string], { record: string }>('select record from custom_bot_version where user_id = ?');
  const drop = db.prepare('delete from custom_bot_version where user_id = ? and name = ? and version = ?');
  const remember = db.prepare(
    `insert or replace into removed_version (user_id, name, version, hash)
     select user_id, name, version, hash from custom_bot_version where user_id = ? and name = ? and version = ?`,
  );
  const removed = db.prepare<[string, string, string], { hash: string }>(
    'select hash from removed_version where user_id = ? and name = ? and version = ?',
  );
  const deleteVersion = db.transaction((...key: [string, string, string]): boolean => {
    remember.run(...key);
    return drop.run(...key).changes === 1;
  });
  const keys = db.prepare<[], { userId: string; name: string; version: string }>(
    'select user_id as userId, name, version from custom_bot_version',
  );
  return {
    insertVersion({ userId, record, schema }: CatalogRow) {
      const { name, version, hash } = record;
      insert.run(
        userId,
        name,
        version,
        JSON.stringify(record),
        JSON.stringify(schema),
        hash,
        Date.parse(record.created_at),
      );
    },
    getVersion(userId, name, version) {
      const raw = one.get(userId, name, version);
      if (raw === undefined) return null;
      return { userId: raw.user_id, record: JSON.parse(raw.record), schema: JSON.parse(raw.schema) };
    },
    listVersions: (userId, name) => versions.all(userId, name).map((row) => row.version),
    list: (userId) => ofUser.all(userId).map((row) => JSON.parse(row.record)),
    deleteVersion: (userId, name, version) => deleteVersion(userId, name, version),
    removedHash: (userId, name, version) => removed.get(userId, name, version)?.hash ?? null,
    keys: () => keys.all(),
  };
}
