import type { ControlDatabase } from './control-database.ts';
import { armingTable } from './migrations/0032-armings.ts';

/** Keyed hashes of what a program with live secrets is started with. */
export interface ArmedHashes {
  /** Way in which the hashes are made. No release reinterprets a number. */
  readonly algorithm: number;
  readonly versionHash: string;
  readonly configHash: string;
  readonly permitsHash: string;
}

/** With what a person has allowed a bot to use its live secrets. Times are milliseconds since the epoch. */
export interface ArmingRow extends ArmedHashes {
  readonly botId: string;
  /** Specs of the guards that the bot had, as guards/ stores them. */
  readonly guards: readonly unknown[];
  readonly version: string;
  readonly armedAt: number;
  readonly armedBy: string;
  readonly until: number;
  /** The highest clock seen since it was armed. */
  readonly seenAt: number;
  /** Its end keeps the host, too, from starting the bot. */
  readonly stopsAtEnd: boolean;
  /** The upgrade has armed it, and no person. */
  readonly isForReview: boolean;
  /** How often its end was told of ahead. */
  readonly told: number;
}

interface RawArming {
  bot_id: string;
  algorithm: number;
  version_hash: string;
  config_hash: string;
  permits_hash: string;
  guards: string;
  version: string;
  armed_at: number;
  armed_by: string;
  until: number;
  seen_at: number;
  stops_at_end: number;
  for_review: number;
  told: number;
}

const fromRaw = (raw: RawArming): ArmingRow => ({
  botId: raw.bot_id,
  algorithm: raw.algorithm,
  versionHash: raw.version_hash,
  configHash: raw.config_hash,
  permitsHash: raw.permits_hash,
  guards: JSON.parse(raw.guards),
  version: raw.version,
  armedAt: raw.armed_at,
  armedBy: raw.armed_by,
  until: raw.until,
  seenAt: raw.seen_at,
  stopsAtEnd: raw.stops_at_end === 1,
  isForReview: raw.for_review === 1,
  told: raw.told,
});

const EXISTING = 'arm_existing';
const DONE = 'done';

/** How often a bot had changed. */
export interface ExistingBot {
  readonly epoch: number;
  readonly generation: number;
}

/** The armings in the control database. A row stays the same object until it is written. */
export interface ArmingStore {
  get(botId: string): ArmingRow | null;
  all(): ArmingRow[];
  put(row: ArmingRow): void;
  remove(botId: string): void;
  /** What each bot from before armings was at the upgrade, by id; null once they are armed. */
  existing(): ReadonlyMap<string, ExistingBot> | null;
  existingArmed(): void;
}

export function createArmingStore(db: ControlDatabase): ArmingStore {
  const get = db.prepare<[string], RawArming>('select * from arming where bot_id = ?');
  const all = db.prepare<[], RawArming>('select * from arming order by bot_id');
  const put = db.prepare(
    `insert or replace into arming (bot_id, algorithm, version_hash, config_hash, permits_hash, guards, version, armed_at, armed_by,
       until, seen_at, stops_at_end, for_review, told)
     values (@botId, @algorithm, @versionHash, @configHash, @permitsHash, @guards, @version, @armedAt, @armedBy,
       @until, @seenAt, @stopsAtEnd, @isForReview, @told)`,
  );
  const remove = db.prepare('delete from arming where bot_id = ?');
  const existing = db.prepare<[string], { value: string }>('select value from setting where name = ?');
  const armed = db.prepare('update setting set value = ? where name = ?');
  return {
    get: (botId) => {
      const raw = get.get(botId);
      return raw === undefined ? null : fromRaw(raw);
    },
    all: () => all.all().map(fromRaw),
    put: (row) =>
      void put.run({
        ...row,
        guards: JSON.stringify(row.guards),
        stopsAtEnd: row.stopsAtEnd ? 1 : 0,
        isForReview: row.isForReview ? 1 : 0,
      }),
    remove: (botId) => void remove.run(botId),
    existing: () => {
      const value = existing.get(EXISTING)?.value ?? '';
      if (!value.startsWith('{')) return null;
      const bots = Object.entries<readonly [number, number]>(JSON.parse(value));
      return new Map(bots.map(([botId, [epoch, generation]]) => [botId, { epoch, generation }]));
    },
    existingArmed: () => void armed.run(DONE, EXISTING),
  };
}

/**
 * Has no bot of a restored or copied folder use its live secrets before a person has armed it there. Must run within a transaction.
 */
export function voidArmings(db: ControlDatabase): void {
  // A backup of an earlier release has no place for them; its migration then finds the table, and arms nothing.
  db.exec(`${armingTable} delete from arming;`);
  db.prepare('insert or replace into setting (name, value) values (?, ?)').run(EXISTING, DONE);
}
