import { type BigIntStats, type Dirent, lstatSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PlatformError } from '../../../../contract/errors.ts';
import { removeTree } from '../../../../node/remove-tree.ts';
import { errorText } from '../../../../node/system-error.ts';
import { SETTLE_MS } from '../../state/state-fingerprint.ts';
import { type CopyPlan, copyUntrusted, orGone, planCopy, statsOf } from './state-copy.ts';

type Stats = ReadonlyMap<string, BigIntStats | null>;

/** A file of the replica, with its source file. */
interface Copied {
  readonly source: string;
  /** True if the source was so old at the copy that any later change gives it another time. */
  readonly settled: boolean;
  readonly copy: string;
}

const sourceMark = ({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string => `${size} ${mtimeNs} ${ctimeNs} ${ino}`;

/** Mark of a copy without the time of its last status change, since the copy is moved to its place. */
const copyMark = ({ size, mtimeNs, ino }: BigIntStats): string => `${size} ${mtimeNs} ${ino}`;

/** Most entries whose status is read at once, on the thread that asks: more would keep the host from other work. */
const FEW_ENTRIES = 64;

/** Times of entries that are whole seconds come from a file system that keeps no others; FAT keeps even ones only. */
const COARSE_SETTLE_MS = 2100;

/** Whether an entry was changed so long before that any later change gives it another time. */
function isSettled({ ctimeNs }: BigIntStats, at: number): boolean {
  const age = at - Number(ctimeNs / 1_000_000n);
  return age >= (ctimeNs % 1_000_000_000n === 0n ? COARSE_SETTLE_MS : SETTLE_MS);
}

/** A replica has the folder of the SDK's keys also before the bot has written one. */
const replicaFolders = ({ folders }: CopyPlan): ReadonlySet<string> => new Set([...folders.keys(), '.platform']);

function notCopied(error: unknown): PlatformError {
  return new PlatformError(
    'QUERY_FAILED',
    `The bot's state could not be copied for its query program: ${errorText(error)}`,
    {
      hint: 'A query program of a local process is shown a copy of the state. Make room on the disk of the data folder, or mend what the message names; then ask again.',
      cause: error,
    },
  );
}

/**
 * The copy of the state for a query program beside a running bot, so that nothing the program writes reaches the bot. A
 * refresh copies only what differs. It moves each file to its place at once, so that the program reads the old or the
 * new value of a key, and undoes changes that the program has made in its copy.
 */
export class StateReplica {
  readonly #source: string;
  readonly #target: string;
  readonly #copied = new Map<string, Copied>();
  /** A look at both sides that has not begun yet, which all callers until then share. */
  #look: Promise<void> | null = null;
  /** A refresh that has not begun yet, which all callers until then share. */
  #next: Promise<void> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  /**
   * Marks of all entries on both sides, from before a refresh that found nothing to do; null while there is no such proof
   * that nothing has changed.
   */
  #seen: ReadonlyMap<string, string> | null = null;

  constructor(source: string, target: string) {
    this.#source = source;
    this.#target = target;
  }

  /**
   * Resolves once the copy has everything that the bot had written before the call. Throws QUERY_FAILED for a state
   * that is too large, or that the bot has made unreadable in part.
   */
  refresh(): Promise<void> {
    // Queries that arrived together are read first: one look then serves them all.
    this.#look ??= nextTurn().then(() => {
      this.#look = null;
      if (this.#isUnchanged()) return;
      // A running refresh may already have passed files that were written since.
      this.#next ??= this.#following();
      return this.#next;
    });
    return this.#look;
  }

  async #following(): Promise<void> {
    const before = this.#last;
    const begun = before.then(() => {
      this.#next = null;
      return this.#refresh();
    });
    this.#last = begun.catch(() => undefined);
    await begun;
  }

  /** True if both sides are as the last refresh found them. One that finds nothing to do costs many times as much. */
  #isUnchanged(): boolean {
    if (this.#seen === null) return false;
    try {
      for (const [place, mark] of this.#seen) {
        const stat = lstatSync(place, { bigint: true, throwIfNoEntry: false });
        if (stat === undefined || sourceMark(stat) !== mark) return false;
      }
      return true;
    } catch {
      // The refresh that follows says what cannot be read, and why.
      return false;
    }
  }

  /** The marks for `#seen`; null for too many entries, or one that may change again without another time. */
  #marks({ folders, files }: CopyPlan, target: Stats, begun: number): ReadonlyMap<string, string> | null {
    // Windows promises no new time of a folder as soon as an entry comes or goes.
    if (process.platform === 'win32' || folders.size + files.size > FEW_ENTRIES) return null;
    const marks = new Map<string, string>();
    const sides: [string, Stats][] = [
      [this.#source, folders],
      [this.#source, files],
      [this.#target, target],
    ];
    for (const [root, stats] of sides) {
      for (const [path, stat] of stats) {
        if (stat === null || !isSettled(stat, begun)) return null;
        marks.set(join(root, path), sourceMark(stat));
      }
    }
    return marks;
  }

  async #refresh(): Promise<void> {
    try {
      this.#seen = null;
      const begun = Date.now();
      const plan = await planCopy(this.#source);
      const folders = await this.#tidy(plan);
      const copies = await statsOf(this.#target, [...this.#copied.keys()]);
      const changed = this.#changed(plan, copies);
      for (const [path, source] of changed) await this.#bring(path, source, { begun, large: plan.large });
      const isDone = folders !== null && changed.length === 0;
      this.#seen = isDone ? this.#marks(plan, new Map([...folders, ...copies]), begun) : null;
    } catch (error) {
      throw error instanceof PlatformError ? error : notCopied(error);
    }
  }

  /**
   * Makes the folders, and removes everything that is not in the plan. Returns the status of each folder before its
   * entries were read; null if something was removed.
   */
  async #tidy(plan: CopyPlan): Promise<Stats | null> {
    // The program may have replaced the folder by a link.
    if ((await orGone(lstat(this.#target)))?.isDirectory() !== true) await removeTree(this.#target);
    const folders = replicaFolders(plan);
    const stats = new Map<string, BigIntStats | null>();
    let removed = false;
    for (const folder of folders) {
      const place = join(this.#target, folder);
      await mkdir(place, { recursive: true, mode: 0o700 });
      stats.set(folder, await lstat(place, { bigint: true }));
      const entries: Dirent[] = await readdir(place, { withFileTypes: true });
      for (const entry of entries) {
        const path = join(folder, entry.name);
        const stays = entry.isDirectory() ? folders.has(path) : entry.isFile() && plan.files.has(path);
        if (stays) continue;
        removed = true;
        await removeTree(join(this.#target, path));
      }
    }
    for (const path of this.#copied.keys()) if (!plan.files.has(path)) this.#copied.delete(path);
    return removed ? null : stats;
  }

  /** Returns the files of which the replica has no copy or an outdated one. */
  #changed({ files }: CopyPlan, copies: Stats): [string, BigIntStats][] {
    return [...files].flatMap(([path, source]): [string, BigIntStats][] => {
      if (source === null) return [];
      const known = this.#copied.get(path);
      const copy = copies.get(path) ?? null;
      const isSame = known?.settled === true && known.source === sourceMark(source);
      return isSame && copy !== null && copyMark(copy) === known.copy ? [] : [[path, source]];
    });
  }

  async #bring(
    path: string,
    source: BigIntStats,
    of: { readonly begun: number; readonly large: boolean },
  ): Promise<void> {
    const place = join(this.#target, path);
    const unfinished = `${this.#target}.new`;
    this.#copied.delete(path);
    await rm(unfinished, { recursive: true, force: true });
    if ((await orGone(copyUntrusted(this.#source, path, unfinished, of.large))) !== true) {
      await rm(place, { force: true });
      return;
    }
    const copy = copyMark(await lstat(unfinished, { bigint: true }));
    await rename(unfinished, place);
    this.#copied.set(path, { source: sourceMark(source), settled: isSettled(source, of.begun), copy });
  }
}
