import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readlink, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BackupInfo, NewBackup } from '../../../contract/backup.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { temporaryName } from '../../../node/atomic-write.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { refuseStrangeDatabase } from '../../../node/private-database-file.ts';
import { identify } from '../../../node/process-identity.ts';
import { removeTree } from '../../../node/remove-tree.ts';
import { isDamaged, isDiskFull } from '../../../node/storage-error.ts';
import { walkUntrusted } from '../../../node/walk-untrusted.ts';
import { copyDatabase, type KnownFolders, knownFolders } from '../control/backup-source.ts';
import { ARCHIVE, COPY } from '../control/control-damage.ts';
import { LEDGER, ledgerFile } from '../ledger/ledger-database.ts';
import { isSetAside, logFilesIn } from '../logs/log-segments.ts';
import { ABOUT, type About, CODE_LINK, FORMAT } from './archive-format.ts';
import { ArchiveWriter } from './archive-writer.ts';

const LOGS = '-with-logs';

export interface BackupOptions {
  readonly folder: DataFolder;
  readonly withLogs: boolean;
  /** Version of this release. */
  readonly version: string;
  /** By bot: the folder with its state, where that is not the one in the data folder. */
  readonly states?: Readonly<Record<string, string>>;
  readonly now: () => number;
}

/** The parts of a backup in progress. */
interface Making {
  readonly folder: DataFolder;
  readonly known: KnownFolders;
  readonly archive: ArchiveWriter;
  readonly tempDir: string;
  readonly states: Readonly<Record<string, string>>;
  readonly leftOut: string[];
}

async function addTree(making: Making, prefix: string, dir: string): Promise<void> {
  const strange = await walkUntrusted(dir, async (met) => {
    if (!(await making.archive.met(prefix, met))) making.leftOut.push(`${prefix}/${met.path}`);
  });
  for (const below of strange) {
    const path = below === '' ? prefix : `${prefix}/${below}`;
    if (CODE_LINK.test(path)) await making.archive.link(path, await readlink(join(dir, below)));
    else making.leftOut.push(path);
  }
}

/**
 * Adds a copy of a database, unless retention or a deletion has just removed it. A damaged log or ledger is left out, so that
 * the rest is still backed up.
 */
async function addDatabase(making: Making, path: string, from: string): Promise<void> {
  const copy = join(making.tempDir, 'log.db');
  try {
    refuseStrangeDatabase(from);
    copyDatabase(from, copy);
  } catch (error) {
    await rm(copy, { force: true });
    const isGone = !existsSync(from);
    if (!isGone && !isDamaged(error)) throw error;
    if (!isGone || isSetAside(from)) making.leftOut.push(path);
    return;
  }
  await making.archive.file(path, copy, await stat(copy));
  await rm(copy);
}

async function addAll(making: Making, about: About, now: number): Promise<void> {
  const { folder, archive, known, tempDir } = making;
  await archive.text(ABOUT, JSON.stringify(about), now);
  const control = join(tempDir, 'control.db');
  await archive.file('control.db', control, await stat(control));
  const ledger = ledgerFile(folder.root);
  if (existsSync(ledger)) await addDatabase(making, LEDGER, ledger);
  const settings = join(folder.root, 'settings.json');
  if (existsSync(settings)) await archive.file('settings.json', settings, await stat(settings));
  for (const place of known.versions) {
    const dir = join(folder.catalog, place);
    if (existsSync(dir)) await addTree(making, `catalog/${place}`, dir);
    else making.leftOut.push(`catalog/${place}`);
  }
  for (const { botId } of known.bots) {
    const bot = folder.bot(botId);
    await addTree(making, `bots/${botId}/state`, making.states[botId] ?? bot.state);
    if (!about.with_logs) continue;
    for (const log of logFilesIn(bot.root)) await addDatabase(making, `bots/${botId}/${log}`, join(bot.root, log));
  }
  await archive.end();
}

/** Name of a backup that is made now: in the order of time, and without characters that some systems refuse. */
function nameOf(now: number, withLogs: boolean): string {
  return `backup-${toTimestamp(now).replace(/[:.]/g, '-')}${withLogs ? LOGS : ''}.tar.gz`;
}

/**
 * Writes a backup into `backups/`, with or without a running host: `control.db` as of one moment, the ledger, the code of
 * every version it knows, the state of every bot, and their logs on request. Throws DATA_DAMAGED for an unsound control
 * database, or STORAGE_FULL, and then leaves nothing behind.
 */
export async function writeBackup({ folder, withLogs, version, states = {}, now }: BackupOptions): Promise<NewBackup> {
  if (!existsSync(folder.controlDatabase)) {
    throw new PlatformError('INVALID_REQUEST', `There is no control.db in ${folder.root}: nothing to back up`, {
      hint: 'Name the data folder with --data DIR.',
    });
  }
  const madeAt = now();
  const file = join(folder.backups, nameOf(madeAt, withLogs));
  const tempDir = join(folder.backups, temporaryName());
  const part = join(tempDir, 'part');
  await mkdir(tempDir, { recursive: true, mode: 0o700 });
  let archive: ArchiveWriter | null = null;
  try {
    const control = join(tempDir, 'control.db');
    copyDatabase(folder.controlDatabase, control);
    const known = knownFolders(control);
    archive = new ArchiveWriter(part, tempDir);
    const making: Making = { folder, known, archive, tempDir, states, leftOut: [] };
    const about: About = { format: FORMAT, version, made_at: toTimestamp(madeAt), with_logs: withLogs };
    await addAll(making, about, madeAt);
    await rename(part, file);
    return {
      ...(await infoOf(folder, basename(file))),
      bots: known.bots.filter(({ isTrashed }) => !isTrashed).length,
      left_out: making.leftOut,
    };
  } catch (error) {
    await archive?.abandon();
    if (isDiskFull(error)) throw new PlatformError('STORAGE_FULL', 'No space is left for the backup', { cause: error });
    throw error;
  } finally {
    await removeTree(tempDir);
  }
}

const TEMPORARY = /^\.tmp-(\d+)-\d+$/;

/**
 * Removes the remains of interrupted backups: they hold secrets and fill the disk. Those of other living processes
 * stay; this process must not be making one.
 */
export async function removeCutBackups(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.backups)) {
    const pid = Number(TEMPORARY.exec(name)?.[1] ?? 0);
    if (pid === 0 || (pid !== process.pid && (await identify(pid)) !== null)) continue;
    await removeTree(join(folder.backups, name));
  }
}

async function infoOf(folder: DataFolder, name: string): Promise<BackupInfo> {
  const file = join(folder.backups, name);
  const { size, mtimeMs } = await lstat(file);
  const kind = ARCHIVE.test(name) ? 'full' : 'control';
  const made_at = toTimestamp(Math.floor(mtimeMs));
  return { file, kind, made_at, size_bytes: size, with_logs: kind === 'full' && name.includes(LOGS) };
}

/** The backups of a data folder, newest first. */
export async function listBackups(folder: DataFolder): Promise<BackupInfo[]> {
  if (!existsSync(folder.backups)) return [];
  const names = (await readdir(folder.backups)).filter((name) => ARCHIVE.test(name) || COPY.test(name));
  const infos = await Promise.all(names.map((name) => infoOf(folder, name)));
  return infos.sort((a, b) => (a.made_at < b.made_at ? 1 : -1));
}
