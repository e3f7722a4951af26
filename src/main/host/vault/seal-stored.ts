import { hkdfSync } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { ControlDatabase } from '../control/control-database.ts';
import { type ConfigOwner, type RowSeal, unitRecord } from '../control/row-seal.ts';
import { type SecretRow, secretRecord } from '../control/secret-store.ts';
import { closeWaitIncidents, stagedRecord } from '../control/staged-store.ts';
import type { VaultStore } from '../control/vault-store.ts';
import { openBytes, type SecretBox } from './secret-box.ts';

/** Records of alarms, by which their settings are sealed. */
export const channelRecord = (channelId: string): string => `alarm_channel:${channelId}`;
export const WATCH_RECORD = 'alarm_watch';

/** Form of texts that an earlier release sealed with a key derived from the data folder's own. */
const DERIVED = 'k1.';

function openDerived(hostKey: string, recordId: string, sealed: string): string | undefined {
  if (!sealed.startsWith(DERIVED)) return undefined;
  const key = Buffer.from(hkdfSync('sha256', hostKey, '', 'settings of alarm channels', 32));
  return openBytes(key, recordId, Buffer.from(sealed.slice(DERIVED.length), 'base64'));
}

export interface StoredSecrets {
  readonly box: SecretBox;
  readonly seal: RowSeal;
  /** The data folder's own key, with which an earlier release sealed the settings of alarms. */
  readonly hostKey: string;
}

const hasTable = (db: ControlDatabase, table: string): boolean =>
  db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== undefined;

function sealAlarms(db: ControlDatabase, { box, hostKey }: StoredSecrets): void {
  // What does not open stays as it is: no other key than the missing one opens it either.
  const again = (recordId: string, sealed: string): string => {
    const text = openDerived(hostKey, recordId, sealed) ?? box.open(recordId, sealed);
    return text === undefined ? sealed : box.seal(recordId, text);
  };
  if (!hasTable(db, 'alarm_channel')) return;
  const channels = db.prepare<[], { id: string; sealed: string }>('select channel_id as id, sealed from alarm_channel');
  const set = db.prepare('update alarm_channel set sealed = ? where channel_id = ?');
  for (const { id, sealed } of channels.all()) set.run(again(channelRecord(id), sealed), id);
  const watch = db.prepare<[], { sealed: string }>('select sealed from alarm_watch').get();
  if (watch !== undefined) db.prepare('update alarm_watch set sealed = ?').run(again(WATCH_RECORD, watch.sealed));
}

function sealNamed(db: ControlDatabase, { box }: StoredSecrets): void {
  if (!hasTable(db, 'secret')) return;
  const secrets = db.prepare<[], Pick<SecretRow, 'user_id' | 'name' | 'sealed'>>(
    'select user_id, name, sealed from secret',
  );
  const set = db.prepare('update secret set sealed = ? where user_id = ? and name = ?');
  for (const { user_id, name, sealed } of secrets.all()) {
    const record = secretRecord(user_id, name);
    const text = box.open(record, sealed);
    if (text !== undefined) set.run(box.seal(record, text), user_id, name);
  }
}

function sealStaged(db: ControlDatabase, { box }: StoredSecrets): void {
  if (!hasTable(db, 'staged_change')) return;
  const staged = db.prepare<[], { id: string; request: string }>('select change_id as id, request from staged_change');
  const set = db.prepare('update staged_change set request = ? where change_id = ?');
  const drop = db.prepare('delete from staged_change where change_id = ?');
  for (const { id, request } of staged.all()) {
    const text = box.open(stagedRecord(id), request);
    if (text !== undefined) set.run(box.seal(stagedRecord(id), text), id);
    // Nobody could approve it, and it can be asked for again.
    else drop.run(id);
  }
  closeWaitIncidents(db);
}

const columnsOf = (db: ControlDatabase, table: string): Set<string> =>
  new Set(
    db
      .prepare<[], { name: string }>(`pragma table_info(${table})`)
      .all()
      .map(({ name }) => name),
  );

type StoredConfig = ConfigOwner & { readonly config: string };

function sealBots(db: ControlDatabase, { seal }: StoredSecrets): void {
  if (!hasTable(db, 'bot')) return;
  const bots = db.prepare<[], StoredConfig>(
    'select bot_id as botId, user_id as userId, custom_bot as customBot, version, config from bot',
  );
  const set = db.prepare('update bot set config = ? where bot_id = ?');
  for (const bot of bots.all()) {
    // Opened first: a new key seals what an earlier one has sealed.
    const config = seal.sealConfig(bot, seal.openConfig(bot.botId, JSON.parse(bot.config)));
    set.run(JSON.stringify(config), bot.botId);
  }
}

function sealUnits(db: ControlDatabase, { seal }: StoredSecrets): void {
  if (!columnsOf(db, 'unit').has('secrets')) return;
  const units = db.prepare<[], { runId: string; role: string; secrets: string }>(
    'select run_id as runId, role, secrets from unit',
  );
  const set = db.prepare('update unit set secrets = ? where run_id = ? and role = ?');
  for (const { runId, role, secrets } of units.all()) {
    const record = unitRecord(runId, role);
    const texts = seal.openTexts(record, secrets);
    if (texts.length > 0) set.run(seal.sealTexts(record, texts), runId, role);
  }
}

/** Seals what a database holds, and leaves no earlier content in its free pages. */
function sealDatabase(db: ControlDatabase, secrets: StoredSecrets): void {
  db.pragma('secure_delete = ON');
  db.transaction(() => {
    sealAlarms(db, secrets);
    sealNamed(db, secrets);
    sealStaged(db, secrets);
    sealBots(db, secrets);
    sealUnits(db, secrets);
  })();
  db.exec('vacuum');
}

/**
 * Seals everything that an earlier release stored in the clear or under another key: in the control database, then in the copies
 * of it that the host has made. Killed in between, it begins again at the next start; sealing twice changes nothing that
 * matters.
 */
export function sealStored(
  db: ControlDatabase,
  { store, secrets, backups }: { store: VaultStore; secrets: StoredSecrets; backups: string },
  onError: (where: string, error: unknown) => void,
): void {
  if (store.get()?.state !== 'sealing') return;
  sealDatabase(db, secrets);
  db.pragma('wal_checkpoint(TRUNCATE)');
  for (const name of readdirSync(backups)) {
    if (!/^control-.*\.db$/.test(name)) continue;
    const file = join(backups, name);
    try {
      const copy = new Database(file, { fileMustExist: true });
      try {
        sealDatabase(copy, secrets);
      } finally {
        copy.close();
      }
    } catch (error) {
      // A copy that cannot be opened is of no use, and keeps no host from its work.
      onError(`sealing the secrets in ${file}`, error);
    }
  }
  store.sealed();
}
