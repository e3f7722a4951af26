import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Reason } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import type { Inspection } from '../../../contract/doctor-inspection.ts';
import { IsolationLevel } from '../../../contract/isolation.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { strangeDatabase } from '../../../node/private-database-file.ts';
import { signOfUse } from '../control/control-damage.ts';
import { MIGRATIONS } from '../control/control-database.ts';
import { interruptedRestoreHint } from '../control/stored-restore-plan.ts';
import { ledgerFile } from '../ledger/ledger-database.ts';
import { BLOCK_KINDS } from '../logs/blocks/block-table.ts';
import { allBlocks, checkBlocks, ENDS, faultOfEnd, type StoredBlock } from '../logs/blocks/check-blocks.ts';
import { logFilesIn } from '../logs/log-segments.ts';
import { withReadOnlyDatabase } from './read-only-database.ts';

/** Time limit for checking log databases, which may hold hundreds of megabytes each: the newest are checked first. */
const LOGS_MS = 20_000;
const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;

/** The fault of a database; null if it is sound. */
function problemOf(db: DatabaseSync): string | null {
  const found = String(db.prepare('pragma quick_check(1)').get()?.quick_check);
  return found === 'ok' ? null : found;
}

/** The fault of a segment of a log, in its database or in the blocks that it holds; null if it is sound. */
function problemOfLog(db: DatabaseSync): string | null {
  const problem = problemOf(db);
  if (problem !== null) return problem;
  const table = db.prepare('select 1 from sqlite_schema where name = ?');
  let last = 0;
  for (const kind of BLOCK_KINDS) {
    if (table.get(`${kind}_block`) === undefined) return null;
    // The columns are those of the query.
    const blocks = db.prepare(allBlocks(kind)).iterate() as Iterable<unknown> as Iterable<StoredBlock>;
    const checked = checkBlocks(kind, blocks);
    if (checked.fault !== null) return checked.fault;
    last = Math.max(last, checked.last);
  }
  return faultOfEnd(db.prepare(ENDS).get() ?? {}, last);
}

const namesIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir) : []);

type Found = Pick<Inspection, 'control' | 'ledger' | 'logs' | 'unknown_folders' | 'set_aside' | 'missing_code'>;

interface Rows {
  readonly problem: string | null;
  readonly schema: number;
  readonly bots: readonly string[];
  readonly versions: readonly { readonly user_id: string; readonly name: string; readonly version: string }[];
  readonly guarded: Guarded;
}

type Guarded = Pick<NonNullable<Inspection['control']>, 'isolation' | 'exposed' | 'trash'>;

const UNKNOWN: Guarded = { isolation: null, exposed: [], trash: [] };

/**
 * Returns what control.db of this release says of all bots: the least isolation, its exceptions, exposed bots and deleted
 * ones.
 */
function guardedRows(db: DatabaseSync): Guarded {
  const all = (sql: string): Record<string, unknown>[] => db.prepare(sql).all();
  const least = all("select value from setting where name = 'least_isolation'")[0]?.value;
  const exceptions = all(
    'select name from bot where isolation_exception is not null and deleting = 0 and trash is null',
  );
  const exposed = all(
    `select b.name, max(e.event_id), e.reason from bot_event e join run r on r.run_id = e.run_id join bot b on b.bot_id = e.bot_id
     where e.kind = 'exposed' and r.ended_at is null and b.deleting = 0 and b.trash is null group by e.run_id`,
  );
  const trashed = all(
    `select trash_name as name, trash ->> '$.at' as at from bot where trash is not null and deleting = 0 order by at`,
  );
  return {
    isolation: {
      least: IsolationLevel.catch('none').parse(least),
      exceptions: exceptions.map(({ name }) => String(name)),
    },
    exposed: exposed.map(({ name, reason }) => ({ name: String(name), ...Reason.parse(JSON.parse(String(reason))) })),
    trash: trashed.map(({ name, at }) => ({ name: String(name), deleted_at: toTimestamp(Number(at)) })),
  };
}

function controlRows(db: DatabaseSync): Rows {
  const all = (sql: string): Record<string, unknown>[] => db.prepare(sql).all();
  const schema = Number(db.prepare('pragma user_version').get()?.user_version);
  return {
    problem: problemOf(db),
    schema,
    guarded: schema === NEWEST ? guardedRows(db) : UNKNOWN,
    bots: all('select bot_id from bot').map((row) => String(row.bot_id)),
    versions: all('select user_id, name, version from custom_bot_version').map((row) => ({
      user_id: String(row.user_id),
      name: String(row.name),
      version: String(row.version),
    })),
  };
}

/**
 * Checks log databases, the newest first, within a time limit. A running host may remove logs meanwhile, with their
 * bots or because of their age.
 */
function inspectLogs(folder: DataFolder, now: () => number): Inspection['logs'] {
  const files = namesIn(folder.bots)
    .map((name) => join(folder.bots, name))
    .filter((dir) => statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true)
    .flatMap((dir) => logFilesIn(dir).map((name) => join(dir, name)))
    .map((file) => ({ file, at: lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at);
  const end = now() + LOGS_MS;
  const damaged: { file: string; problem: string }[] = [];
  let [looked, gone] = [0, 0];
  for (const { file } of files) {
    if (now() > end) break;
    const problem = strangeDatabase(file) ?? withReadOnlyDatabase(file, problemOfLog);
    if (!existsSync(file)) {
      gone += 1;
      continue;
    }
    looked += 1;
    if (problem !== null) damaged.push({ file, problem });
  }
  return { total: files.length - gone, looked_at: looked, damaged };
}

function inspectLedger(folder: DataFolder): Inspection['ledger'] {
  const file = ledgerFile(folder.root);
  if (!existsSync(file)) return null;
  return { problem: strangeDatabase(file) ?? withReadOnlyDatabase(file, problemOf) };
}

/** Checks the databases of a data folder, and finds files beside them that they do not know or lack. */
export function inspectDatabases(folder: DataFolder, now: () => number): Found {
  const none: Found = {
    control: null,
    ledger: inspectLedger(folder),
    logs: inspectLogs(folder, now),
    unknown_folders: [],
    set_aside: namesIn(folder.aside).map((name) => join(folder.aside, name)),
    missing_code: [],
  };
  const unusable = (problem: string): Found => ({
    ...none,
    control: { problem, cut_restore: interruptedRestoreHint(folder), schema: 0, newest_schema: NEWEST, ...UNKNOWN },
  });
  if (!existsSync(folder.controlDatabase)) {
    const sign = signOfUse(folder);
    return sign === null ? none : unusable(`missing, but ${sign}`);
  }
  const rows = withReadOnlyDatabase(folder.controlDatabase, controlRows);
  if (typeof rows === 'string') return unusable(`damaged: ${rows}`);
  const { versions, problem, schema, guarded } = rows;
  const bots = new Set(rows.bots);
  return {
    ...none,
    control: {
      problem: problem === null ? null : `damaged: ${problem}`,
      cut_restore: null,
      schema,
      newest_schema: NEWEST,
      ...guarded,
    },
    unknown_folders: namesIn(folder.bots)
      .filter((name) => !bots.has(name))
      .map((name) => join(folder.bots, name)),
    missing_code: versions
      .filter((one) => !existsSync(join(folder.catalog, one.user_id, one.name, one.version)))
      .map((one) => `${one.name} ${one.version}`),
  };
}
