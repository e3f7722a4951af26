import { chmodSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Restored } from '../../contract/backup.ts';
import { toTimestamp } from '../../contract/common.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { DataFolder } from '../base/data-folder.ts';
import { removeTree } from '../base/remove-tree.ts';
import { systemErrorCode } from '../base/system-error.ts';
import { copyDatabase, knownFolders } from '../store/backup-source.ts';
import { isOfLog, logFilesIn } from '../store/log-segments.ts';
import { checkRestorable, foldControl, settleRestored } from '../store/restored-control.ts';
import { isDiskFull } from '../store/storage-error.ts';
import { unpackBackup } from './archive-reader.ts';

/** Where a backup is unpacked and checked: in the data folder, so that its parts take their places by renames alone. */
const STAGE = 'restoring-';
const ASIDE = 'before-restore-';
const MOVED_AT = /before-restore-(\d+)[^/\\]*$/;
const CONTROL = ['control.db', 'control.db-wal', 'control.db-shm'];

export interface RestoreOptions {
  /** No host runs on it: the caller holds its lock. */
  readonly folder: DataFolder;
  /** A backup, a copy of `control.db`, or the folder that an earlier restore has put aside. Absolute. */
  readonly file: string;
  /** Bots that were enabled start with the host, instead of waiting for somebody who starts them. */
  readonly startBots: boolean;
  readonly now: () => number;
  /** Ends the programs of bots that still run: they write to where the restored state will lie. Returns their runs. */
  readonly endPrograms: () => Promise<readonly string[]>;
}

/** A backup that is ready to take its place. */
interface Staged {
  readonly dir: string;
  readonly madeAt: number;
  /** Folder whose state, code and settings take their places; null: those that are there stay. */
  readonly parts: string | null;
  /** A catalogue out of which the code comes back that the control database knows; null without one. */
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

async function stage(o: RestoreOptions, dir: string): Promise<Staged> {
  const given = await stat(o.file).catch(() => null);
  if (given?.isDirectory() === true) return stageFolder(o, dir);
  const head = await headOf(o.file);
  if (head.startsWith('SQLite format 3\0')) {
    checkRestorable(o.file, o.file);
    copyDatabase(o.file, join(dir, 'control.db'));
    return { dir, madeAt: Math.floor(given?.mtimeMs ?? o.now()), parts: null, code: null };
  }
  if (!head.startsWith('\x1f\x8b')) {
    throw new PlatformError('INVALID_REQUEST', `${o.file} is no backup`, {
      hint: 'Give a file that `platform backup` has made, or a copy of control.db.',
    });
  }
  const about = await unpackBackup(o.file, dir);
  // Of a host without bots there is nothing of them in it.
  for (const name of ['catalog', 'bots']) await mkdir(join(dir, name), { recursive: true, mode: 0o700 });
  return { dir, madeAt: Date.parse(about.made_at), parts: dir, code: null };
}

/** What an earlier restore has put aside goes back; nothing is copied but the control database, which is changed. */
async function stageFolder({ folder, file, now }: RestoreOptions, dir: string): Promise<Staged> {
  const control = join(file, 'control.db');
  if (dirname(resolve(file)) !== folder.aside || !existsSync(control)) {
    throw new PlatformError('INVALID_REQUEST', `${file} is no folder that a restore has put aside`, {
      hint: `They lie in ${folder.aside} and hold a control.db.`,
    });
  }
  checkRestorable(control, control);
  copyDatabase(control, join(dir, 'control.db'));
  const madeAt = Math.min(now(), Number(MOVED_AT.exec(file)?.[1] ?? now()));
  // A restore of the control database alone has set aside nothing but code, and of that only a part.
  if (existsSync(join(file, 'bots'))) return { dir, madeAt, parts: file, code: null };
  return { dir, madeAt, parts: null, code: join(file, 'catalog') };
}

/** Makes the renames before it last, whatever happens to the power. */
async function flush(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function move(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  renameSync(from, to);
  return true;
}

/** Places of versions in a catalogue, as `<user>/<name>/<version>`. */
async function placesIn(catalog: string): Promise<string[]> {
  const below = async (path: string): Promise<string[]> =>
    (await readdir(join(catalog, path), { withFileTypes: true }))
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => (path === '' ? entry.name : `${path}/${entry.name}`));
  const users = existsSync(catalog) ? await below('') : [];
  const names = (await Promise.all(users.map(below))).flat();
  return (await Promise.all(names.map(below))).flat();
}

/** Moves the code of versions from one catalogue to another, but for what is there; true when there was any. */
async function moveCode(from: string, to: string, isMeant: (place: string) => boolean): Promise<boolean> {
  const meant = (await placesIn(from)).filter((place) => isMeant(place) && !existsSync(join(to, place)));
  for (const place of meant) {
    await mkdir(dirname(join(to, place)), { recursive: true, mode: 0o700 });
    // A folder that is read-only cannot be moved elsewhere.
    chmodSync(join(from, place), 0o755);
    renameSync(join(from, place), join(to, place));
    chmodSync(join(to, place), 0o555);
  }
  return meant.length > 0;
}

/** Logs that the backup does not hold stay with their bots. */
async function keepLogs(folder: DataFolder, botIds: readonly string[], aside: string): Promise<void> {
  for (const botId of botIds) {
    const from = join(aside, 'bots', botId);
    const to = folder.bot(botId);
    if (!existsSync(from) || logFilesIn(to.root).length > 0) continue;
    await mkdir(to.root, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(from)) {
      if (isOfLog(name)) renameSync(join(from, name), join(to.root, name));
    }
  }
}

/** The one fault after which things are not as they were: the host starts nothing until a restore has gone well. */
function cutShort(error: unknown, aside: string): PlatformError {
  const said = error instanceof Error ? error.message : String(error);
  const code = isDiskFull(error) ? 'STORAGE_FULL' : 'INTERNAL';
  return new PlatformError(code, `The restore was cut short: ${said}`, {
    hint: `Nothing is lost: what was there lies in ${aside}. Put right what kept it, and restore again; no host starts before.`,
    cause: error,
  });
}

/** A folder that nothing lies in yet: what is moved there must never meet what an earlier restore has put aside. */
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

/**
 * Moves each part that a folder holds to its place, and what was there aside; true when there was anything. What is not
 * there to be moved stays as it is: a restore that was cut short has moved it. Bots come last: a folder that an earlier
 * restore has put aside is a whole one for as long as it holds them.
 */
async function swapParts(folder: DataFolder, from: string, aside: string): Promise<boolean> {
  let moved = false;
  for (const name of ['settings.json', 'catalog', 'bots']) {
    if (!existsSync(join(from, name))) continue;
    const present = join(folder.root, name);
    if (name !== 'settings.json' && existsSync(present) && readdirSync(present).length > 0) moved = true;
    move(present, join(aside, name));
    move(join(from, name), present);
  }
  return moved;
}

/**
 * The control database leaves first and comes last: wherever this is cut short, a host finds none, starts nothing, and
 * says what to do; to restore again puts things right.
 */
async function swap(o: RestoreOptions, staged: Staged, aside: string): Promise<boolean> {
  const { folder } = o;
  const { bots, versions } = knownFolders(join(staged.dir, 'control.db'));
  let moved = false;
  for (const name of CONTROL) moved = move(join(folder.root, name), join(aside, name)) || moved;
  await flush(folder.root);
  if (staged.parts === null) {
    const known = new Set(versions);
    // The host would take code that its database does not know for what a crash has left of an upload, and remove it.
    moved = (await moveCode(folder.catalog, join(aside, 'catalog'), (place) => !known.has(place))) || moved;
    if (staged.code !== null) await moveCode(staged.code, folder.catalog, (place) => known.has(place));
  } else {
    moved = (await swapParts(folder, staged.parts, aside)) || moved;
    const botIds = bots.map(({ botId }) => botId);
    await keepLogs(folder, botIds, aside);
  }
  await flush(aside);
  renameSync(join(staged.dir, 'control.db'), folder.controlDatabase);
  await flush(folder.root);
  return moved;
}

/**
 * Puts a backup in the place of what a data folder holds. All of it is unpacked and checked before anything is changed;
 * what is there now is moved aside, never removed. Throws INVALID_REQUEST for what is no backup or is of a newer
 * release, DATA_DAMAGED, STORAGE_FULL; nothing was changed then.
 */
export async function restoreBackup(o: RestoreOptions): Promise<Restored> {
  const { folder, now } = o;
  for (const name of readdirSync(folder.root)) {
    // Left by a restore that was cut short: copies of what is in its backup.
    if (name.startsWith(STAGE)) await removeTree(join(folder.root, name));
  }
  const at = now();
  const dir = join(folder.root, `${STAGE}${at}`);
  await mkdir(dir, { mode: 0o700 });
  try {
    const staged = await stage(o, dir);
    const control = join(dir, 'control.db');
    if (!existsSync(control)) throw new PlatformError('DATA_DAMAGED', `The backup ${o.file} holds no control.db`);
    checkRestorable(control, o.file);
    const { bots } = knownFolders(control);
    settleRestored(control, { madeAt: staged.madeAt, now: at, startBots: o.startBots });
    const ended = await o.endPrograms();
    // It leaves by a rename: what lies beside it could stay behind.
    foldControl(folder.controlDatabase);
    const aside = await newAside(folder, at);
    const moved = await swap(o, staged, aside).catch((error: unknown) => {
      throw cutShort(error, aside);
    });
    if (!moved) await removeTree(aside);
    return {
      file: o.file,
      made_at: toTimestamp(staged.madeAt),
      aside: moved ? aside : null,
      bots: bots.map(({ botId, name, enabled }) => ({ bot_id: botId, name, waits: enabled && !o.startBots })),
      ended: ended.length,
    };
  } catch (error) {
    if (isDiskFull(error)) throw new PlatformError('STORAGE_FULL', 'No space is left to restore', { cause: error });
    throw error;
  } finally {
    await removeTree(dir);
  }
}
