import { chmodSync, existsSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PlatformError } from '../../contract/errors.ts';
import { writeFileAtomic } from '../base/atomic-write.ts';
import type { DataFolder } from '../base/data-folder.ts';
import { faultPoint } from '../base/fault-point.ts';
import { removeTree } from '../base/remove-tree.ts';
import { errorText, systemErrorCode } from '../base/system-error.ts';
import { knownFolders } from '../store/backup-source.ts';
import { PLAN, planIn, type RestorePlan, stagesIn } from '../store/cut-restore.ts';
import { isOfLog } from '../store/log-segments.ts';
import { isDiskFull } from '../store/storage-error.ts';

const CONTROL = ['control.db', 'control.db-wal', 'control.db-shm'];

/** A plan, and the folder with the control database that comes last. */
export interface Planned {
  readonly dir: string;
  readonly plan: RestorePlan;
}

/** Whether nothing is left to be moved, and a host may have run since. */
export function isPlaced({ dir }: Planned): boolean {
  return !existsSync(join(dir, 'control.db'));
}

/** Whether nothing was moved: the control database leaves first. Where there are two, a host may have run since. */
function isUntouched(folder: DataFolder, dir: string): boolean {
  return existsSync(folder.controlDatabase) && existsSync(join(dir, 'control.db'));
}

export async function storePlan({ dir, plan }: Planned): Promise<void> {
  await writeFileAtomic(join(dir, PLAN), JSON.stringify(plan));
}

/**
 * The restore that was cut short after its first move; null without one. What others have left is removed: copies of what is
 * in their backups. Throws DATA_DAMAGED where nobody can read its plan.
 */
export async function cutRestore(folder: DataFolder): Promise<Planned | null> {
  let cut: Planned | null = null;
  for (const dir of stagesIn(folder)) {
    const plan = isUntouched(folder, dir) ? null : planIn(folder, dir);
    if (plan === null) await removeTree(dir);
    else cut = { dir, plan };
  }
  return cut;
}

/**
 * Moves what a plan says, from wherever it was cut short before. The control database leaves first and comes last: wherever
 * this is cut short, a host finds none, starts nothing, and says what to do; to restore again puts things right. Returns
 * where what was there lies now; null: nothing was.
 */
export async function carryOut(folder: DataFolder, planned: Planned): Promise<string | null> {
  const aside = join(folder.root, planned.plan.aside);
  try {
    if (!isPlaced(planned)) await swap(folder, planned, aside);
  } catch (error) {
    if (!isUntouched(folder, planned.dir)) throw cutShort(error, aside);
    if (existsSync(aside) && !holdsAnything(aside)) await removeTree(aside);
    throw notBegun(error, planned.plan.restored.ended);
  }
  await removeTree(planned.dir);
  if (!existsSync(aside)) return null;
  if (holdsAnything(aside)) return aside;
  await removeTree(aside);
  return null;
}

async function swap(folder: DataFolder, { dir, plan }: Planned, aside: string): Promise<void> {
  const control = join(dir, 'control.db');
  for (const name of CONTROL) move(join(folder.root, name), join(aside, name));
  await flush(folder.root);
  if (plan.parts === null) {
    const known = new Set(knownFolders(control).versions);
    // The host would take code that its database does not know for what a crash has left of an upload, and remove it.
    await moveCode(folder.catalog, join(aside, 'catalog'), (place) => !known.has(place));
    if (plan.code !== null) await moveCode(join(folder.root, plan.code), folder.catalog, (place) => known.has(place));
  } else {
    swapParts(folder, join(folder.root, plan.parts), aside);
    await keepLogs(folder, plan.logs_of, aside);
  }
  await flush(aside);
  renameSync(control, folder.controlDatabase);
  faultPoint('restore:placed');
  await flush(folder.root);
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

function move(from: string, to: string): void {
  if (!existsSync(from)) return;
  renameSync(from, to);
  faultPoint('restore:moved');
}

/**
 * Moves each part that a folder holds to its place, and what was there aside. What is not there to be moved stays as it is: a
 * restore that was cut short has moved it. Bots come last: a folder that an earlier restore has put aside is a whole one for
 * as long as it holds them.
 */
function swapParts(folder: DataFolder, from: string, aside: string): void {
  for (const name of ['settings.json', 'catalog', 'bots']) {
    if (!existsSync(join(from, name))) continue;
    const present = join(folder.root, name);
    // Cut short between its two moves: the empty one was made since, when the data folder was opened.
    if (existsSync(join(aside, name)) && existsSync(present)) rmdirSync(present);
    move(present, join(aside, name));
    move(join(from, name), present);
  }
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

/** Moves the code of versions from one catalogue to another, but for what is there. */
async function moveCode(from: string, to: string, isMeant: (place: string) => boolean): Promise<void> {
  const meant = (await placesIn(from)).filter((place) => isMeant(place) && !existsSync(join(to, place)));
  for (const place of meant) {
    await mkdir(dirname(join(to, place)), { recursive: true, mode: 0o700 });
    // A folder that is read-only cannot be moved elsewhere.
    chmodSync(join(from, place), 0o755);
    move(join(from, place), join(to, place));
    chmodSync(join(to, place), 0o555);
  }
}

/** Logs that the backup does not hold stay with their bots. */
async function keepLogs(folder: DataFolder, botIds: readonly string[], aside: string): Promise<void> {
  for (const botId of botIds) {
    const from = join(aside, 'bots', botId);
    if (!existsSync(from)) continue;
    const to = folder.bot(botId).root;
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(from)) if (isOfLog(name)) move(join(from, name), join(to, name));
  }
}

/** Folders without anything in them count for nothing. */
function holdsAnything(dir: string): boolean {
  return readdirSync(dir, { withFileTypes: true }).some(
    (entry) => !entry.isDirectory() || readdirSync(join(dir, entry.name)).length > 0,
  );
}

/** Windows moves no file that another program has open, and says that nobody may. */
const IN_USE = new Set(process.platform === 'win32' ? ['EBUSY', 'EACCES', 'EPERM'] : ['EBUSY']);
const FORBIDDEN = new Set(['EACCES', 'EPERM', 'EROFS']);

function remedyOf(error: unknown): string {
  const code = systemErrorCode(error) ?? '';
  if (isDiskFull(error)) return 'Free some space';
  if (IN_USE.has(code)) return 'Close every program that has files of the data folder open';
  if (FORBIDDEN.has(code)) return 'Make the data folder one that you may write to';
  return code === 'EIO' ? 'Check the disk' : 'Put right what kept it';
}

/** Nothing was moved; so many programs of bots were ended before. */
export function notBegun(error: unknown, ended: number): PlatformError {
  const changed =
    ended === 0
      ? 'Nothing was changed.'
      : `${ended} programs of bots that still ran were ended: start the host to start their bots again. Nothing else was changed.`;
  return new PlatformError(codeFor(error), `The restore could not begin: ${errorText(error)}`, {
    hint: `${changed} ${remedyOf(error)}, and restore again.`,
    cause: error,
  });
}

const codeFor = (error: unknown): 'STORAGE_FULL' | 'INTERNAL' => (isDiskFull(error) ? 'STORAGE_FULL' : 'INTERNAL');

/** The one fault after which things are not as they were: the host starts nothing until a restore has gone well. */
function cutShort(error: unknown, aside: string): PlatformError {
  return new PlatformError(codeFor(error), `The restore was cut short: ${errorText(error)}`, {
    hint: `Nothing is lost: what was there lies in ${aside}. Put right what kept it, and restore again; no host starts before.`,
    cause: error,
  });
}
