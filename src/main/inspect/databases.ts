import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Inspection } from '../../contract/inspection.ts';
import type { DataFolder } from '../base/data-folder.ts';
import { errorText } from '../base/system-error.ts';
import { signOfUse } from '../store/control-damage.ts';
import { MIGRATIONS } from '../store/control-database.ts';
import { cutRestoreHint } from '../store/cut-restore.ts';
import { logFilesIn } from '../store/log-segments.ts';

/** Log databases may hold hundreds of megabytes each: the newest are looked at, for so long. */
const LOGS_MS = 20_000;
const BUSY_MS = 2000;

/** What is wrong with a database; null: nothing. */
function problemOf(db: DatabaseSync): string | null {
  const found = String(db.prepare('pragma quick_check(1)').get()?.quick_check);
  return found === 'ok' ? null : found;
}

/**
 * Opens a database for reading, also beside a host that writes. Where no host has it open it is read as a file that nobody
 * changes: SQLite would leave files of its own beside it, and not every build of it can be told so; Node's can. What is no
 * database gives its problem as text.
 */
function looking<T>(file: string, use: (db: DatabaseSync) => T): T | string {
  const isOpen = (): boolean => existsSync(`${file}-wal`);
  const look = (alone: boolean): T | string => {
    const url = pathToFileURL(file);
    if (alone) url.searchParams.set('immutable', '1');
    try {
      const db = new DatabaseSync(url, { readOnly: true, timeout: BUSY_MS });
      try {
        return use(db);
      } finally {
        db.close();
      }
    } catch (error) {
      return errorText(error);
    }
  };
  if (isOpen()) return look(false);
  const found = look(true);
  // A host has opened it meanwhile: what was read may be a mix.
  return isOpen() ? look(false) : found;
}

const namesIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir) : []);

type Found = Pick<Inspection, 'control' | 'logs' | 'unknown_folders' | 'set_aside' | 'missing_code'>;

interface Rows {
  readonly problem: string | null;
  readonly schema: number;
  readonly bots: readonly string[];
  readonly versions: readonly { readonly user_id: string; readonly name: string; readonly version: string }[];
}

function controlRows(db: DatabaseSync): Rows {
  const all = (sql: string): Record<string, unknown>[] => db.prepare(sql).all();
  return {
    problem: problemOf(db),
    schema: Number(db.prepare('pragma user_version').get()?.user_version),
    bots: all('select bot_id from bot').map((row) => String(row.bot_id)),
    versions: all('select user_id, name, version from custom_bot_version').map((row) => ({
      user_id: String(row.user_id),
      name: String(row.name),
      version: String(row.version),
    })),
  };
}

/** A host that runs removes logs meanwhile, with their bots and when they are old. */
function inspectLogs(folder: DataFolder, now: () => number): Inspection['logs'] {
  const files = namesIn(folder.bots)
    .map((name) => join(folder.bots, name))
    .filter((dir) => statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true)
    .flatMap((dir) => logFilesIn(dir).map((name) => join(dir, name)))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at);
  const end = now() + LOGS_MS;
  const damaged: { file: string; problem: string }[] = [];
  let [looked, gone] = [0, 0];
  for (const { file } of files) {
    if (now() > end) break;
    const problem = looking(file, problemOf);
    if (!existsSync(file)) {
      gone += 1;
      continue;
    }
    looked += 1;
    if (problem !== null) damaged.push({ file, problem });
  }
  return { total: files.length - gone, looked_at: looked, damaged };
}

/** Looks into the databases of a data folder, and at what stands beside them that they do not know or miss. */
export function inspectDatabases(folder: DataFolder, now: () => number): Found {
  const newest = MIGRATIONS.at(-1)?.version ?? 0;
  const none: Found = {
    control: null,
    logs: inspectLogs(folder, now),
    unknown_folders: [],
    set_aside: namesIn(folder.aside).map((name) => join(folder.aside, name)),
    missing_code: [],
  };
  const unusable = (problem: string): Found => ({
    ...none,
    control: { problem, cut_restore: cutRestoreHint(folder), schema: 0, newest_schema: newest },
  });
  if (!existsSync(folder.controlDatabase)) {
    const sign = signOfUse(folder);
    return sign === null ? none : unusable(`missing, but ${sign}`);
  }
  const rows = looking(folder.controlDatabase, controlRows);
  if (typeof rows === 'string') return unusable(`damaged: ${rows}`);
  const { versions, problem, schema } = rows;
  const bots = new Set(rows.bots);
  return {
    ...none,
    control: {
      problem: problem === null ? null : `damaged: ${problem}`,
      cut_restore: null,
      schema,
      newest_schema: newest,
    },
    unknown_folders: namesIn(folder.bots)
      .filter((name) => !bots.has(name))
      .map((name) => join(folder.bots, name)),
    missing_code: versions
      .filter((one) => !existsSync(join(folder.catalog, one.user_id, one.name, one.version)))
      .map((one) => `${one.name} ${one.version}`),
  };
}
