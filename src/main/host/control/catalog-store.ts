import type { CatalogRow, CatalogStore } from '../catalog/catalog-store.ts';
import type { ControlDatabase } from './control-database.ts';

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
    deleteVersion: (userId, name, version) => drop.run(userId, name, version).changes === 1,
    keys: () => keys.all(),
  };
}
