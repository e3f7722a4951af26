import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { interruptedRestoreHint } from './stored-restore-plan.ts';

/** A backup of the control database that was checked and found sound. */
export interface GoodBackup {
  /** Absolute. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
}

/** Names of the daily copies of the control database, in `backups/`. */
export const COPY = /^control-.+\.db$/;
/** Names of backups made on request, in the same folder. */
export const ARCHIVE = /^backup-.+\.tar\.gz$/;

/** Returns the fault of a control database; null when it is sound and not empty. Opens it read-only. */
export function controlFault(file: string): string | null {
  try {
    if (statSync(file).size === 0) return 'it is empty';
    const db = new Database(file, { readonly: true, fileMustExist: true });
    try {
      const check = db.pragma('quick_check', { simple: true });
      if (check !== 'ok') return String(check).replaceAll('\n', '; ');
      return Number(db.pragma('user_version', { simple: true })) > 0 ? null : 'it holds nothing';
    } finally {
      db.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function namesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}

/**
 * Returns the newest sound backup in `backups/`; null when there is none. Archives are not opened here: a restore
 * checks the whole archive first.
 */
export function newestGoodBackup(backupDir: string): GoodBackup | null {
  const found = namesIn(backupDir)
    .filter((name) => COPY.test(name) || ARCHIVE.test(name))
    .map((name) => ({ name, file: join(backupDir, name), madeAt: Math.floor(statSync(join(backupDir, name)).mtimeMs) }))
    .sort((a, b) => b.madeAt - a.madeAt);
  const good = found.find(({ name, file }) => ARCHIVE.test(name) || controlFault(file) === null);
  return good === undefined ? null : { file: good.file, madeAt: good.madeAt };
}

/** Returns the evidence that a data folder was in use before; null for a folder that never held anything of value. */
export function signOfUse(folder: DataFolder): string | null {
  const plain = (dir: string): number => namesIn(dir).filter((name) => !name.startsWith('.')).length;
  if (plain(folder.bots) > 0) return `bots/ holds the folders of ${plain(folder.bots)} bots`;
  if (plain(folder.catalog) > 0) return 'catalog/ holds published code';
  if (plain(folder.aside) > 0) return 'set-aside/ holds what an unfinished restore put there';
  if (namesIn(folder.backups).some((name) => COPY.test(name) || ARCHIVE.test(name))) return 'backups/ holds backups';
  return null;
}

/**
 * Builds the error of a host that refuses to start without a sound control database: it would start bots that were
 * stopped or deleted since, or throw away the code and folders of bots that it does not know. A person decides; the
 * hint has the command.
 */
export function refuseToGuess(folder: DataFolder, what: string): PlatformError {
  const backup = newestGoodBackup(folder.backups);
  return new PlatformError(
    'DATA_DAMAGED',
    `${what}. No bot was started; programs that were already running keep running`,
    {
      hint: whatToDo(folder, backup),
      details: { file: folder.controlDatabase, backup: backup?.file ?? null },
    },
  );
}

function whatToDo(folder: DataFolder, backup: GoodBackup | null): string {
  const data = `--data "${folder.root}"`;
  // Any other backup would replace a restore that is half done.
  const cut = interruptedRestoreHint(folder);
  if (cut !== null) return cut;
  return backup === null
    ? `There is no good backup in ${folder.backups}. If you have one elsewhere: \`platform restore FILE ${data}\`. To start over, move the data folder away; nothing in it is removed.`
    : `The newest good backup was made ${toTimestamp(backup.madeAt)}. Put it in place: \`platform restore "${backup.file}" ${data}\`. What is there now is kept beside it, and no bot starts before you start it.`;
}
