import { existsSync } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Restored } from '../../../contract/backup.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { isDiskFull } from '../../../node/storage-error.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { copyDatabase, type KnownBot, knownFolders } from '../control/backup-source.ts';
import { peekPlace } from '../control/data-folder-place-record.ts';
import { heldAccess } from '../control/restored-access.ts';
import { checkRestorable, foldControl, settleRestored } from '../control/restored-control.ts';
import { heldGuards } from '../control/restored-guards.ts';
import { type HeldBots, heldBots } from '../control/restored-holds.ts';
import { heldIsolation } from '../control/restored-isolation.ts';
import { heldNetworks } from '../control/restored-networks.ts';
import { heldPins } from '../control/restored-pins.ts';
import { type RestorePlan, STAGE } from '../control/stored-restore-plan.ts';
import { logFilesIn } from '../logs/log-segments.ts';
import { unpackBackup } from './archive-reader.ts';
import { carryOut, cutRestore, isPlaced, notBegun, storePlan } from './run-restore-plan.ts';
import { checkSameFilesystem } from './same-filesystem.ts';

const ASIDE = 'before-restore-';
const MOVED_AT = /before-restore-(\d+)[^/\\]*$/;

export interface RestoreOptions {
  /** Data folder without a running host: the caller holds its lock. */
  readonly folder: DataFolder;
  /** A backup, a copy of `control.db`, or the folder that an earlier restore has put aside. Absolute. */
  readonly file: string;
  /** Enabled bots start with the host, instead of waiting for their user. */
  readonly startBots: boolean;
  readonly now: () => number;
  /**
   * Ends the programs of bots that still run, because they write to where the restored state will lie. Returns their
   * runs.
   */
  readonly endPrograms: () => Promise<readonly string[]>;
}

/** A backup that is ready to take its place. */
interface Staged {
  readonly dir: string;
  readonly madeAt: number;
  /** Folder whose state, code and settings replace the present ones; null: the present ones stay. */
  readonly parts: string | null;
  /** Catalogue from which the code known to the control database is moved back; null without one. */
  readonly code: string | null;
}

async function headOf(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw new PlatformError('INVALID_REQUEST', `There is no file ${file}`, {
      hint: '`platform backup --list` shows the backups of this host.',
    });
  }
}

async function stage(options: RestoreOptions, dir: string): Promise<Staged> {
  const given = await stat(options.file).catch(() => null);
  if (given?.isDirectory() === true) return stageFolder(options, dir);
  const head = await headOf(options.file);
  if (head.startsWith('SQLite format 3\0')) {
    checkRestorable(options.file, options.file);
    copyDatabase(options.file, join(dir, 'control.db'));
    return { dir, madeAt: Math.floor(given?.mtimeMs ?? options.now()), parts: null, code: null };
  }
  if (!head.startsWith('\x1f\x8b')) {
    throw new PlatformError('INVALID_REQUEST', `${options.file} is no backup`, {
      hint: 'Give a file that `platform backup` has made, or a copy of control.db.',
    });
  }
  const about = await unpackBackup(options.file, dir);
  // The backup of a host without bots lacks these folders.
  for (const name of ['catalog', 'bots']) await mkdir(join(dir, name), { recursive: true, mode: 0o700 });
  return { dir, madeAt: Date.parse(about.made_at), parts: dir, code: null };
}

/** Stages what an earlier restore put aside. Only the control database is copied, because it is changed. */
async function stageFolder({ folder, file, now }: RestoreOptions, dir: string): Promise<Staged> {
  const control = join(file, 'control.db');
  if (dirname(resolve(file)) !== folder.aside || !existsSync(control)) {
    throw new PlatformError('INVALID_REQUEST', `${file} is not a folder that a restore set aside`, {
      hint: `They lie in ${folder.aside} and hold a control.db.`,
    });
  }
  checkRestorable(control, control);
  copyDatabase(control, join(dir, 'control.db'));
  const madeAt = Math.min(now(), Number(MOVED_AT.exec(file)?.[1] ?? now()));
  // A restore of the control database alone has put aside nothing but part of the code.
  if (existsSync(join(file, 'bots'))) return { dir, madeAt, parts: file, code: null };
  return { dir, madeAt, parts: null, code: join(file, 'catalog') };
}

/** Makes a new folder, so that moves never collide with what an earlier restore put aside. */
async function newAside(folder: DataFolder, at: number): Promise<string> {
  await mkdir(folder.aside, { recursive: true, mode: 0o700 });
  for (let turn = 1; ; turn++) {
    const dir = join(folder.aside, `${ASIDE}${at}${turn === 1 ? '' : `-${turn}`}`);
    try {
      await mkdir(dir, { mode: 0o700 });
      return dir;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Facts about a restore when its moves are planned. */
interface Before {
  readonly at: number;
  readonly bots: readonly KnownBot[];
  /** Those that stay stopped, whatever the options say. */
  readonly holds: HeldBots;
  /** Number of programs of bots that were ended. */
  readonly ended: number;
  /** True if the folder was copied and its owner has not confirmed a move: no bot starts, whatever the options say. */
  readonly copied: boolean;
}

/** Plans the moves for a backup that is staged, and stores the plan. */
async function storedPlan(
  options: RestoreOptions,
  staged: Staged,
  { at, bots, holds, ended, copied }: Before,
): Promise<RestorePlan> {
  const { folder, file, startBots } = options;
  const { dir, parts, code } = staged;
  const below = (path: string): string => relative(folder.root, path);
  const hasLog = (botId: string): boolean => parts !== null && logFilesIn(join(parts, 'bots', botId)).length > 0;
  try {
    const plan: RestorePlan = {
      restored: {
        file,
        made_at: toTimestamp(staged.madeAt),
        bots: bots
          .filter(({ isTrashed }) => !isTrashed)
          .map(({ botId, name, enabled }) => ({
            bot_id: botId,
            name,
            waits: enabled && (copied || !startBots || holds.has(botId)),
          })),
        ended,
        copied,
      },
      start_bots: startBots,
      aside: below(await newAside(folder, at)),
      parts: parts === null ? null : below(parts),
      code: code === null ? null : below(code),
      logs_of: bots.map(({ botId }) => botId).filter((botId) => !hasLog(botId)),
    };
    await storePlan({ dir, plan });
    return plan;
  } catch (error) {
    throw notBegun(error, ended);
  }
}

/** Replaces the present data by a staged backup. */
async function replace(options: RestoreOptions, staged: Staged, at: number): Promise<Restored> {
  const { folder, file, startBots } = options;
  const control = join(staged.dir, 'control.db');
  if (!existsSync(control)) throw new PlatformError('DATA_DAMAGED', `The backup ${file} holds no control.db`);
  checkRestorable(control, file);
  const { bots } = knownFolders(control);
  const held = heldIsolation(folder.controlDatabase);
  const holds = heldBots(folder.controlDatabase, folder.wishFile);
  const guards = heldGuards(folder.controlDatabase);
  const networks = heldNetworks(folder.controlDatabase);
  const access = heldAccess(folder.controlDatabase, folder.wishFile);
  const pins = heldPins(folder.controlDatabase);
  const place = peekPlace(folder.controlDatabase);
  const kept = { held, holds, guards, networks, access, pins, place };
  settleRestored(control, { madeAt: staged.madeAt, now: at, startBots, ...kept });
  // The database leaves by one rename, which would leave its write-ahead log behind.
  foldControl(folder.controlDatabase);
  const ended = (await options.endPrograms()).length;
  const planned = {
    dir: staged.dir,
    plan: await storedPlan(options, staged, { at, bots, holds, ended, copied: place?.arrival != null }),
  };
  // Wishes belong to the bots of the old state; from here on nothing undoes the plan.
  await rm(folder.wishFile, { force: true });
  const aside = await carryOut(folder, planned);
  return { ...planned.plan.restored, aside, finished: null };
}

/**
 * Replaces the content of a data folder by a backup. Unpacks and checks all of it before any change, and moves the
 * present data aside, never removing it. First completes an interrupted restore. Throws INVALID_REQUEST for a foreign
 * file, a newer release, or a folder with parts on another file system, DATA_DAMAGED, STORAGE_FULL, INTERNAL. An error
 * leaves everything unchanged unless its message says otherwise: programs of bots were ended, or the restore was
 * interrupted.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { folder } = options;
  checkSameFilesystem(folder);
  const cut = await cutRestore(folder);
  let finished: Restored['finished'] = null;
  if (cut !== null) {
    const { restored, start_bots } = cut.plan;
    const isAskedFor = !isPlaced(cut) && restored.file === options.file && start_bots === options.startBots;
    const aside = await carryOut(folder, cut);
    if (isAskedFor) return { ...restored, aside, finished };
    finished = { file: restored.file, aside };
  }
  const at = options.now();
  const dir = join(folder.root, `${STAGE}${at}`);
  await mkdir(dir, { mode: 0o700 });
  try {
    return { ...(await replace(options, await stage(options, dir), at)), finished };
  } catch (error) {
    // A plan that was begun stays until it is carried out.
    await cutRestore(folder);
    if (isDiskFull(error)) throw new PlatformError('STORAGE_FULL', 'No space is left to restore', { cause: error });
    throw error;
  }
}
