import { statfs } from 'node:fs/promises';
import type { Storage, StorageChange } from '../../../contract/storage-settings.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';

const MB = 1024 * 1024;
/**
 * Interval between checks of the free space, each one cheap system call: a flooding bot needs several intervals to fill
 * the reserve.
 */
const LOOK_MS = 2000;
const MIN_FREE = 500 * MB;
const MIN_FREE_SHARE = 0.02;
/** Factor above the limit at which free space counts as enough again, so that the state does not flutter. */
const ENOUGH = 1.1;
/** Share of the free space that the waiting output of one bot may take, with a fixed minimum. */
const WAITING_SHARE = 1 / 20;
const WAITING_LEAST = 256 * 1024;

/** Number of daily copies of control.db that are kept by default. */
export const DEFAULT_BACKUPS_KEPT = 7;

/** Storage settings of the owner, sizes in bytes. `minFreeBytes` null: chosen by the size of the disk. */
export interface StorageRules {
  readonly retention: { readonly days: number; readonly bytes: number };
  readonly backupsKept: number;
  readonly minFreeBytes: number | null;
}

export interface StorageMonitorOptions {
  readonly dataDir: string;
  readonly rules: StorageRules;
  readonly fixed: readonly Storage['fixed'][number][];
  /** Output of a bot that may wait while there is space, in bytes. */
  readonly waitingBytes: number;
  readonly save: (change: Readonly<Record<string, number | null>>) => Promise<void>;
  /** Applies these rules to stored lines from now on. */
  readonly setRetention: (retention: StorageRules['retention']) => void;
  /** Stops storing lines for this reason; null resumes. */
  readonly pauseIngest: (shortage: string | null) => void;
  readonly onError: (where: string, error: unknown) => void;
}

interface Space {
  readonly free: number;
  readonly total: number;
}

/**
 * Watches the free space of the data folder, and keeps the storage settings. Below a limit the host stores no more
 * lines of bots: the rest belongs to the control database, which a flooding bot must never stop.
 */
export class StorageMonitor {
  readonly #options: StorageMonitorOptions;
  #rules: StorageRules;
  #space: Space = { free: 0, total: 0 };
  #low = false;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: StorageMonitorOptions) {
    this.#options = options;
    this.#rules = options.rules;
  }

  /** Checks now, and every two seconds from then on. */
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

  /** Output of a bot that may wait to be stored before the bot is paused, in bytes. */
  waitingBytes(): number {
    const { waitingBytes } = this.#options;
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
      fixed: [...this.#options.fixed],
      free_bytes: this.#space.free,
      total_bytes: this.#space.total,
      low: this.#low,
      low_below_bytes: this.#line(),
    };
  }

  /**
   * Stores the change in settings.json and applies it at once, except where a flag or the environment fixes a value.
   * Changes run one at a time, each on the file's present content.
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
    await this.#options.save(Object.fromEntries(given));
    const fixed = new Set<string>(this.#options.fixed);
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
    this.#options.setRetention(this.#rules.retention);
    return this.info();
  }

  #line(): number {
    return Math.round(this.#rules.minFreeBytes ?? Math.min(MIN_FREE, this.#space.total * MIN_FREE_SHARE));
  }

  async #look(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#options.dataDir);
      this.#space = { free: bavail * bsize, total: blocks * bsize };
    } catch (error) {
      this.#options.onError('free space', error);
      return;
    }
    const { free } = this.#space;
    const low = free < this.#line() * (this.#low ? ENOUGH : 1);
    if (low === this.#low || this.#closed) return;
    this.#low = low;
    const shortage = `Only ${formatBytes(free)} are free on the disk of the host (${formatBytes(this.#line())} should be)`;
    const told = `${shortage}: lines wait in their files, and a bot that writes much is paused, until there is space again.`;
    this.#options.onError(
      'free space',
      new Error(low ? told : `${formatBytes(free)} are free again: lines are stored again`),
    );
    this.#options.pauseIngest(low ? told : null);
  }
}
