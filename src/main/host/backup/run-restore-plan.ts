import { chmodSync, existsSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import type { DataFolder } from '../../../node/data-folder.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { removeTree } from '../../../node/remove-tree.ts';
import { isDiskFull } from '../../../node/storage-error.ts';
import { errorText, systemErrorCode } from '../../../node/system-error.ts';
import { knownFolders } from '../control/backup-source.ts';
import { PLAN, planIn, type RestorePlan, stagesIn } from '../control/stored-restore-plan.ts';
import { holdsBooks, LEDGER, ledgerFile, unsettleLedger } from '../ledger/ledger-database.ts';
import { isOfLog } from '../logs/log-segments.ts';

const CONTROL = ['control.db', 'control.db-wal', 'control.db-shm'];

/** A plan, and the folder with the control database that comes last. */
export interface Planned {
  readonly dir: string;
  readonly plan: RestorePlan;
}

/** True if no move is left to do, so that a host may have run since. */
export function isPlaced({ dir }: Planned): boolean {
  return !existsSync(join(dir, 'control.db'));
}

/** True if no move was made: the control database leaves first. If both databases exist, a host may have run since. */
function isUntouched(folder: DataFolder, dir: string): boolean {
  return existsSync(folder.controlDatabase) && existsSync(join(dir, 'control.db'));
}

export async function storePlan({ dir, plan }: Planned): Promise<void> {
  await writeFileAtomic(join(dir, PLAN), JSON.stringify(plan));
}

/**
 * Returns the restore that was interrupted after its first move; null if there is none. Removes the remains of other
 * restores, which are copies of what their backups hold. Throws DATA_DAMAGED for an unreadable plan.
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
 * Carries out a plan from wherever it was interrupted. The control database leaves first and arrives last: a host that
 * starts between the two finds no control database, starts nothing, and tells its user to restore again. Returns the
 * folder of the old state; null if there was none.
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
    // The host would remove code that its database does not know as the remains of an upload.
    await moveCode(folder.catalog, join(aside, 'catalog'), (place) => !known.has(place));
    if (plan.code !== null) await moveCode(join(folder.root, plan.code), folder.catalog, (place) => known.has(place));
  } else {
    swapParts(folder, join(folder.root, plan.parts), aside);
    await keepLogs(folder, plan.logs_of, aside);
    // What bots traded since the backup has happened: its ledger counts only where there is none.
    if (!holdsBooks(ledgerFile(folder.root))) placeLedger(folder, join(folder.root, plan.parts), aside);
  }
  await flush(aside);
  renameSync(control, folder.controlDatabase);
  faultPoint('restore:placed');
  await flush(folder.root);
}

/** Makes earlier renames in a folder survive a power failure. */
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
 * Moves the old part aside and each new one into place. A missing part stays missing: an interrupted restore has moved
 * it. Bots move last, because a folder that an earlier restore put aside counts as whole while it holds them.
 */
function swapParts(folder: DataFolder, from: string, aside: string): void {
  for (const name of ['settings.json', 'catalog', 'bots']) {
    if (!existsSync(join(from, name))) continue;
    const present = join(folder.root, name);
    // The restore was interrupted between its two moves: opening the data folder has made the empty folder since.
    if (existsSync(join(aside, name)) && existsSync(present)) rmdirSync(present);
    move(present, join(aside, name));
    move(join(from, name), present);
  }
}

/**
 * Puts a ledger where there is none with books: what SQLite has left of an earlier one must not be taken for a part of it. It
 * changes nothing if a restore that was interrupted has done it.
 */
function placeLedger(folder: DataFolder, from: string, aside: string): void {
  if (!existsSync(join(from, LEDGER))) return;
  unsettleLedger(join(from, LEDGER));
  for (const left of [LEDGER, `${LEDGER}-wal`, `${LEDGER}-shm`]) move(join(folder.root, left), join(aside, left));
  move(join(from, LEDGER), ledgerFile(folder.root));
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

/** Moves the code of versions from one catalogue to another, except those already there. */
async function moveCode(from: string, to: string, isMeant: (place: string) => boolean): Promise<void> {
  const meant = (await placesIn(from)).filter((place) => isMeant(place) && !existsSync(join(to, place)));
  for (const place of meant) {
    await mkdir(dirname(join(to, place)), { recursive: true, mode: 0o700 });
    // Early releases made the folder read-only, and such a folder cannot be moved elsewhere.
    chmodSync(join(from, place), 0o755);
    move(join(from, place), join(to, place));
  }
}

/** Keeps the present logs of bots whose logs the backup does not hold. */
async function keepLogs(folder: DataFolder, botIds: readonly string[], aside: string): Promise<void> {
  for (const botId of botIds) {
    const from = join(aside, 'bots', botId);
    if (!existsSync(from)) continue;
    const to = folder.bot(botId).root;
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(from)) if (isOfLog(name)) move(join(from, name), join(to, name));
  }
}

/** True if a folder holds a file, or a folder that is not empty. */
function holdsAnything(dir: string): boolean {
  return readdirSync(dir, { withFileTypes: true }).some(
    (entry) => !entry.isDirectory() || readdirSync(join(dir, entry.name)).length > 0,
  );
}

/** Windows cannot move a file that another program has open, and reports missing permission. */
const IN_USE = new Set(process.platform === 'win32' ? ['EBUSY', 'EACCES', 'EPERM'] : ['EBUSY']);
const FORBIDDEN = new Set(['EACCES', 'EPERM', 'EROFS']);

function remedyOf(error: unknown): string {
  const code = systemErrorCode(error) ?? '';
  if (isDiskFull(error)) return 'Free some space';
  if (IN_USE.has(code)) return 'Close every program that has files of the data folder open';
  if (FORBIDDEN.has(code)) return 'Make the data folder one that you may write to';
  return code === 'EIO' ? 'Check the disk' : 'Fix the cause';
}

/** Error of a restore that moved nothing, after it had ended this number of programs of bots. */
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

/** The only failure that leaves changes: the host starts again only after a restore has succeeded. */
function cutShort(error: unknown, aside: string): PlatformError {
  return new PlatformError(codeFor(error), `The restore was cut short: ${errorText(error)}`, {
    hint: `Nothing is lost: the old state lies in ${aside}. Fix the cause and restore again; the host cannot start until then.`,
    cause: error,
  });
}
