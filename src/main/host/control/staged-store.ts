import type { ControlDatabase } from './control-database.ts';
import { stagedChanges } from './migrations/0033-staged-changes.ts';

/** A change that waits for a person, as stored. Times are milliseconds since the epoch. */
export interface StagedRow {
  readonly botId: string;
  readonly changeId: string;
  /** Of the bot when the change was asked for. */
  readonly generation: number;
  /** The version that would run. */
  readonly version: string;
  /** Of the content of that version when the change was asked for. */
  readonly versionHash: string;
  /** The request, sealed. */
  readonly request: string;
  /** What would change, in words that quote no secret. */
  readonly changes: readonly string[];
  readonly askedBy: string;
  /** The key that asked. */
  readonly keyId: string;
  /** The program that asked, as it names itself. */
  readonly client: string | null;
  readonly askedAt: number;
  readonly expiresAt: number;
}

interface RawStaged {
  bot_id: string;
  change_id: string;
  generation: number;
  version: string;
  version_hash: string;
  request: string;
  changes: string;
  asked_by: string;
  key_id: string;
  client: string | null;
  asked_at: number;
  expires_at: number;
}

const fromRaw = (raw: RawStaged): StagedRow => ({
  botId: raw.bot_id,
  changeId: raw.change_id,
  generation: raw.generation,
  version: raw.version,
  versionHash: raw.version_hash,
  request: raw.request,
  changes: JSON.parse(raw.changes),
  askedBy: raw.asked_by,
  keyId: raw.key_id,
  client: raw.client,
  askedAt: raw.asked_at,
  expiresAt: raw.expires_at,
});

/** The record by which the request of a staged change is sealed. */
export const stagedRecord = (changeId: string): string => `staged_change:${changeId}`;

const WAITS = 'waits:';

/** The incident of what waits of a bot: while it is open, a further change that takes the place of the one that waits is not told. */
export const waitIncident = (botId: string): string => `${WAITS}${botId}`;

/** Ends the incidents of bots of which nothing waits any more. */
export function closeWaitIncidents(db: ControlDatabase): void {
  // A backup of an earlier release has no table for them.
  const has = db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'alarm_incident'").get();
  if (has === undefined) return;
  db.prepare(
    `delete from alarm_incident where substr(incident, 1, length(@waits)) = @waits
     and substr(incident, length(@waits) + 1) not in (select bot_id from staged_change)`,
  ).run({ waits: WAITS });
}

/** The staged changes in the control database: at most one of a bot. */
export interface StagedStore {
  get(botId: string): StagedRow | null;
  all(): StagedRow[];
  /** Bots of a user that wait, at this time, to run a version of a custom bot, with that version. */
  awaiting(userId: string, customBot: string, at: number): { readonly name: string; readonly version: string }[];
  put(row: StagedRow): void;
  remove(botId: string): void;
}

export function createStagedStore(db: ControlDatabase): StagedStore {
  const get = db.prepare<[string], RawStaged>('select * from staged_change where bot_id = ?');
  const all = db.prepare<[], RawStaged>('select * from staged_change order by asked_at, bot_id');
  const put = db.prepare(
    `insert or replace into staged_change
       (bot_id, change_id, generation, version, version_hash, request, changes, asked_by, key_id, client, asked_at, expires_at)
     values (@botId, @changeId, @generation, @version, @versionHash, @request, @changes, @askedBy, @keyId, @client, @askedAt, @expiresAt)`,
  );
  // What is outdated is never made, and keeps no version.
  const awaiting = db.prepare<[string, string, number], { name: string; version: string }>(
    `select bot.name, staged_change.version from staged_change join bot using (bot_id, generation)
     where user_id = ? and custom_bot = ? and deleting = 0 and expires_at > ?`,
  );
  const remove = db.prepare('delete from staged_change where bot_id = ?');
  return {
    get: (botId) => {
      const raw = get.get(botId);
      return raw === undefined ? null : fromRaw(raw);
    },
    all: () => all.all().map(fromRaw),
    awaiting: (userId, customBot, at) => awaiting.all(userId, customBot, at),
    put: (row) => void put.run({ ...row, changes: JSON.stringify(row.changes) }),
    remove: (botId) => void remove.run(botId),
  };
}

/** Drops what waited for a person in a folder that was restored or copied since. Must run within a transaction. */
export function dropStagedChanges(db: ControlDatabase): void {
  // A backup of an earlier release has no table for them.
  db.exec(stagedChanges);
  db.exec('delete from staged_change');
  closeWaitIncidents(db);
}
