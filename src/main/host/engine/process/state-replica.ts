import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformError } from '../../../../contract/errors.ts';
import { removeTree } from '../../../../node/remove-tree.ts';
import { errorText } from '../../../../node/system-error.ts';
import { SETTLE_MS } from '../../state/state-fingerprint.ts';
import { type CopyPlan, copyUntrusted, orGone, planCopy, statsOf } from './state-copy.ts';

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
  /** A refresh that has not begun yet, which all callers until then share. */
  #next: Promise<void> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(source: string, target: string) {
    this.#source = source;
    this.#target = target;
  }

  /**
   * Resolves once the copy has everything that the bot had written before the call. Throws QUERY_FAILED for a state
   * that is too large, or that the bot has made unreadable in part.
   */
  refresh(): Promise<void> {
    // A running refresh may already have passed files that were written since.
    this.#next ??= this.#following();
    return this.#next;
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

  async #refresh(): Promise<void> {
    try {
      const begun = Date.now();
      const plan = await planCopy(this.#source);
      await this.#tidy(plan);
      for (const [path, source] of await this.#changed(plan)) {
        await this.#bring(path, source, { begun, large: plan.large });
      }
    } catch (error) {
      throw error instanceof PlatformError ? error : notCopied(error);
    }
  }

  /** Makes the folders, and removes everything that is not in the plan. */
  async #tidy(plan: CopyPlan): Promise<void> {
    // The program may have replaced the folder by a link.
    if ((await orGone(lstat(this.#target)))?.isDirectory() !== true) await removeTree(this.#target);
    const folders = new Set([...plan.folders, '.platform']);
    for (const folder of folders) {
      const place = join(this.#target, folder);
      await mkdir(place, { recursive: true, mode: 0o700 });
      const entries: Dirent[] = await readdir(place, { withFileTypes: true });
      for (const entry of entries) {
        const path = join(folder, entry.name);
        const stays = entry.isDirectory() ? folders.has(path) : entry.isFile() && plan.files.has(path);
        if (!stays) await removeTree(join(this.#target, path));
      }
    }
    for (const path of this.#copied.keys()) if (!plan.files.has(path)) this.#copied.delete(path);
  }

  /** Returns the files of which the replica has no copy or an outdated one. */
  async #changed({ files }: CopyPlan): Promise<[string, BigIntStats][]> {
    const copies = await statsOf(this.#target, [...this.#copied.keys()]);
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
    if ((await orGone(copyUntrusted(join(this.#source, path), unfinished, of.large))) !== true) {
      await rm(place, { force: true });
      return;
    }
    const copy = copyMark(await lstat(unfinished, { bigint: true }));
    await rename(unfinished, place);
    const settled = Number(source.ctimeNs / 1_000_000n) <= of.begun - SETTLE_MS;
    this.#copied.set(path, { source: sourceMark(source), settled, copy });
  }
}
