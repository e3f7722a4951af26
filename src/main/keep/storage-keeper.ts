import { statfs } from 'node:fs/promises';
import type { Storage, StorageChange } from '../../contract/storage.ts';
import { formatBytes } from '../../isomorphic/duration.ts';

const MB = 1024 * 1024;
/** One call of the system; a bot that floods fills what is kept free in a few of these. */
const LOOK_MS = 2000;
const MIN_FREE = 500 * MB;
const MIN_FREE_SHARE = 0.02;
/** It is enough again only a little above the line, so that nothing flutters. */
const ENOUGH = 1.1;
/** Share of what is left that the waiting output of one bot may take, and never less than so much. */
const WAITING_SHARE = 1 / 20;
const WAITING_LEAST = 256 * 1024;

/** Daily copies of control.db that are kept where nothing else is set. */
export const DEFAULT_BACKUPS_KEPT = 7;

/** What the owner may set. Bytes; `minFreeBytes` null: what suits the disk. */
export interface StorageRules {
  readonly retention: { readonly days: number; readonly bytes: number };
  readonly backupsKept: number;
  readonly minFreeBytes: number | null;
}

export interface StorageKeeperOptions {
  readonly dataDir: string;
  readonly rules: StorageRules;
  readonly fixed: readonly Storage['fixed'][number][];
  /** Output of a bot that may wait while there is space, in bytes. */
  readonly waitingBytes: number;
  readonly save: (change: Readonly<Record<string, number | null>>) => Promise<void>;
  /** Lines are stored by these rules from now on. */
  readonly keep: (retention: StorageRules['retention']) => void;
  /** Space ran short, for this reason; null: there is enough again. */
  readonly hold: (shortage: string | null) => void;
  readonly onError: (where: string, error: unknown) => void;
}

interface Space {
  readonly free: number;
  readonly total: number;
}

/**
 * Watches the free space of the data folder, and keeps the settings of what is stored and how long. Below a line lines of
 * bots are stored no more: what is left then belongs to the control database, which a bot that floods must never stop.
 */
export class StorageKeeper {
  readonly #o: StorageKeeperOptions;
  #rules: StorageRules;
  #space: Space = { free: 0, total: 0 };
  #low = false;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: StorageKeeperOptions) {
    this.#o = options;
    this.#rules = options.rules;
  }

  /** Looks now, and every two seconds from then on. */
  async start(): Promise<void> {
    await this.#look();
    if (!this.#closed) this.#timer = setTimeout(() => void this.start(), LOOK_MS);
  }

  stop(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  get backupsKept(): number {
    return this.#rules.backupsKept;
  }

  /** Output of a bot that may wait to be stored before the bot is held, in bytes. */
  waitingBytes(): number {
    const { waitingBytes } = this.#o;
    if (!this.#low) return waitingBytes;
    return Math.min(waitingBytes, Math.max(WAITING_LEAST, this.#space.free * WAITING_SHARE));
  }

  async info(): Promise<Storage> {
    await this.#look();
    const { retention, backupsKept, minFreeBytes } = this.#rules;
    return {
      retention_days: retention.days,
      retention_mb: Math.round(retention.bytes / MB),
      backups_kept: backupsKept,
      min_free_mb: minFreeBytes === null ? null : Math.round(minFreeBytes / MB),
      fixed: [...this.#o.fixed],
      free_bytes: this.#space.free,
      total_bytes: this.#space.total,
      low: this.#low,
      low_below_bytes: this.#line(),
    };
  }

  /**
   * Stores the change in settings.json and applies it at once, but for what a flag or the environment has fixed. One change
   * at a time: each is made to what the file holds.
   */
  change(change: StorageChange): Promise<Storage> {
    const changed = this.#changing.then(() => this.#change(change));
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #change(change: StorageChange): Promise<Storage> {
    const given = Object.entries(change).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    await this.#o.save(Object.fromEntries(given));
    const fixed = new Set<string>(this.#o.fixed);
    const { retention, backupsKept, minFreeBytes } = this.#rules;
    const { retention_days: days, retention_mb: mb, backups_kept, min_free_mb: free } = change;
    this.#rules = {
      retention: {
        days: days === undefined || fixed.has('retention_days') ? retention.days : days,
        bytes: mb === undefined || fixed.has('retention_mb') ? retention.bytes : mb * MB,
      },
      backupsKept: backups_kept ?? backupsKept,
      minFreeBytes: free === undefined ? minFreeBytes : free === null ? null : free * MB,
    };
    this.#o.keep(this.#rules.retention);
    return this.info();
  }

  #line(): number {
    return Math.round(this.#rules.minFreeBytes ?? Math.min(MIN_FREE, this.#space.total * MIN_FREE_SHARE));
  }

  async #look(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#o.dataDir);
      this.#space = { free: bavail * bsize, total: blocks * bsize };
    } catch (error) {
      this.#o.onError('free space', error);
      return;
    }
    const { free } = this.#space;
    const low = free < this.#line() * (this.#low ? ENOUGH : 1);
    if (low === this.#low || this.#closed) return;
    this.#low = low;
    const shortage = `Only ${formatBytes(free)} are free on the disk of the host (${formatBytes(this.#line())} should be)`;
    const told = `${shortage}: lines wait in their files, and a bot that writes much is held, until there is space again.`;
    this.#o.onError(
      'free space',
      new Error(low ? told : `${formatBytes(free)} are free again: lines are stored again`),
    );
    this.#o.hold(low ? told : null);
  }
}
