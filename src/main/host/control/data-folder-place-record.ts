import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Reason } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import {
  comparePlaces,
  type FoundPlace,
  findPlace,
  isSameFolder,
  originalAt,
  type Place,
} from '../../../node/data-folder-place.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { renewHostId } from '../../../node/host-id.ts';
import { COPIED } from '../../../shared/waiting-reasons.ts';
import { voidArmings } from './arming-store.ts';
import { controlFault } from './control-damage.ts';
import type { ControlDatabase } from './control-database.ts';
import { haveBotsWait, loseRuns } from './make-bots-wait.ts';
import { dropStagedChanges } from './staged-store.ts';

const PLACE = 'place';

/** A program of the original of this folder, as far as the records of this folder know. */
export interface OriginalProgram {
  readonly botId: string;
  readonly engine: string;
  /** Handle as stored by the engine, JSON. */
  readonly handle: string;
}

/** The folder came from another place, and its owner has not confirmed the move yet. */
export interface Arrival {
  /** Time at which a host found out, in ms since the epoch. */
  readonly at: number;
  /** Every place of the folder since its owner last confirmed one, the oldest first. */
  readonly from: readonly string[];
  readonly programs: readonly OriginalProgram[];
}

/** The place where a data folder belongs, as recorded in its control database. */
export interface PlaceRecord {
  readonly place: Place;
  readonly arrival: Arrival | null;
  /** Set while the folder still has the `host-id` of its original. */
  readonly hasOriginalId?: true;
}

/** Earlier releases stored only the last place. */
type StoredArrival = Omit<Arrival, 'from'> & { readonly from: string | readonly string[] };
type StoredRecord = Omit<PlaceRecord, 'arrival'> & { readonly arrival: StoredArrival | null };

function read(db: ControlDatabase): PlaceRecord | null {
  const row = db.prepare<[string], { value: string }>('select value from setting where name = ?').get(PLACE);
  if (row === undefined) return null;
  const { arrival, ...stored }: StoredRecord = JSON.parse(row.value);
  return { ...stored, arrival: arrival === null ? null : { ...arrival, from: [arrival.from].flat() } };
}

const programsIn = (db: ControlDatabase): OriginalProgram[] =>
  db.prepare<[], OriginalProgram>('select bot_id as botId, engine, handle from unit order by created_at').all();

function write(db: ControlDatabase, record: PlaceRecord): void {
  db.prepare('insert into setting (name, value) values (?, ?) on conflict do update set value = excluded.value').run(
    PLACE,
    JSON.stringify(record),
  );
}

/**
 * Has the next host record the place of a restored folder without asking: a restore has its own way to keep bots waiting. If
 * the folder itself waits for its owner's answer, as its record `held` tells, the question stays, and bots that are to start
 * wait for the answer.
 */
export function restorePlace(db: ControlDatabase, held: PlaceRecord | null, startBots: boolean, now: number): void {
  if (held?.arrival == null) {
    db.prepare('delete from setting where name = ?').run(PLACE);
    return;
  }
  write(db, held);
  if (startBots) haveBotsWait(db, waitsSince(now), now);
}

/** Reads from a control database that no process is writing; null if there is none or it is unreadable. */
function peek<T>(file: string, look: (db: ControlDatabase) => T): T | null {
  // A missing folder raises an error of another class than a missing file.
  if (!existsSync(file)) return null;
  try {
    // Only a connection that may write removes its `-wal` and `-shm` files again; those of a killed host stay as they
    // are.
    const db = new Database(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true });
    try {
      return look(db);
    } finally {
      db.close();
    }
  } catch (error) {
    // The next process that opens the database for writing reports the fault.
    if (error instanceof Database.SqliteError) return null;
    throw error;
  }
}

/** The record in a control database that no process is writing; null if there is none or it is unreadable. */
export const peekPlace = (file: string): PlaceRecord | null => peek(file, read);

/** The programs that are recorded in a control database that no process is writing; none if it is unreadable. */
export const peekPrograms = (file: string): readonly OriginalProgram[] => peek(file, programsIn) ?? [];

/**
 * Folders other than this one in which its bots may run, the oldest first: a link or a mount may lead back to this
 * folder.
 */
export function originsOf({ place, arrival }: PlaceRecord): readonly string[] {
  return (arrival?.from ?? []).filter((path) => !isSameFolder(path, place.path));
}

/** True if a folder lies elsewhere than its record says. */
export function isElsewhere(recorded: PlaceRecord, now: Place): boolean {
  return originalAt(recorded.place, now) !== null || comparePlaces(recorded.place, now) === 'other';
}

/** Returns the present place with the recorded value of each part that is unknown now. */
function merged(recorded: Place, now: Place): Place {
  return { ...now, machine: now.machine ?? recorded.machine, file: now.file ?? recorded.file };
}

function waitsSince(now: number): Reason {
  return {
    code: COPIED,
    message: 'The data folder of this host was copied or moved here; the bot may still run in the original',
    hint: 'Stop the host of the original first. Then start all waiting bots here: `platform moved-here`.',
    at: toTimestamp(now),
  };
}

/**
 * Records the arrival of the folder here: all bots wait and none is armed, no program of the records is searched for, and the programs of
 * the originals are stored for the question to the owner.
 */
function arrive(db: ControlDatabase, recorded: PlaceRecord, place: Place, now: number): PlaceRecord {
  const before = recorded.arrival;
  const at = toTimestamp(now);
  const lost = {
    code: COPIED,
    message: 'It was running when the data folder was copied or moved; its outcome is unknown',
    hint: null,
    at,
  };
  return db.transaction(() => {
    const from = [...new Set([...(before?.from ?? []), recorded.place.path])];
    const programs = [...(before?.programs ?? []), ...programsIn(db)];
    const record: PlaceRecord = { place, arrival: { at: now, from, programs }, hasOriginalId: true };
    db.exec('delete from unit');
    loseRuns(db, lost, now);
    db.exec("update bot set status = 'stopped' where enabled = 0 and status not in ('failed', 'stopped')");
    haveBotsWait(db, waitsSince(now), now);
    voidArmings(db);
    dropStagedChanges(db);
    write(db, record);
    return record;
  })();
}

/**
 * Compares the place of a data folder with its record, before the host looks at anything outside of the folder. The
 * bots of a folder that lies elsewhere wait, and the folder gets a fresh `host-id`, so that the host takes nothing of
 * the original for its own. A folder without a record, of an earlier release or after a restore, is recorded at its
 * present place.
 */
export async function settlePlace(
  db: ControlDatabase,
  dataDir: string,
  name: string | null,
  now: () => number,
): Promise<PlaceRecord & Pick<FoundPlace, 'weak'>> {
  const found = await findPlace(dataDir, name);
  const recorded = read(db);
  if (recorded !== null && isElsewhere(recorded, found.place)) {
    const arrived = arrive(db, recorded, found.place, now());
    faultPoint('place:arrived');
    return ownId(db, arrived, dataDir);
  }
  if (recorded?.hasOriginalId === true) return ownId(db, recorded, dataDir);
  const record =
    recorded === null
      ? { place: found.place, arrival: null }
      : { ...recorded, place: merged(recorded.place, found.place) };
  if (JSON.stringify(record) !== JSON.stringify(recorded)) write(db, record);
  return { ...record, weak: found.weak };
}

/**
 * Called after the record that the bots wait is stored: on some disks only the old `host-id` distinguishes the folder
 * from its original.
 */
async function ownId(
  db: ControlDatabase,
  { arrival, place: { name, path } }: PlaceRecord,
  dataDir: string,
): Promise<PlaceRecord & Pick<FoundPlace, 'weak'>> {
  renewHostId(path);
  faultPoint('place:renewed');
  const { place, weak } = await findPlace(dataDir, name);
  write(db, { place, arrival });
  return { place, arrival, weak };
}

/**
 * As `settlePlace`, before a backup replaces a control database that no process has open. A database that is unreadable
 * or has no record stays unchanged.
 */
export async function settleUnopened(
  file: string,
  dataDir: string,
  name: string | null,
  now: () => number,
): Promise<void> {
  if (peekPlace(file) === null || controlFault(file) !== null) return;
  const db = new Database(file, { fileMustExist: true });
  try {
    await settlePlace(db, dataDir, name, now);
  } finally {
    db.close();
  }
}

/** Record of the folder's place, for a host that runs on it. */
export interface PlaceStore {
  get(): PlaceRecord;
  /** Records the present place as the one where the folder belongs. */
  accept(): void;
}

/** Creates the PlaceStore; must be called after `settlePlace`. */
export function createPlaceStore(db: ControlDatabase): PlaceStore {
  const get = (): PlaceRecord => {
    const record = read(db);
    if (record === null) throw new Error('The place of the data folder was not recorded');
    return record;
  };
  return { get, accept: () => write(db, { place: get().place, arrival: null }) };
}
