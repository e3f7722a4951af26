import { lstat } from 'node:fs/promises';
import { pause } from '../../../node/bounded-wait.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import type { OutputFile } from './engine.ts';

const BLOCK_BYTES = 512;

/** Default limit of a unit's output that may wait to be stored before the unit is paused, in bytes. */
export const PAUSE_AT_BYTES = 512 * 1024 * 1024;

export { pause };

/**
 * Returns the disk space of a unit's output: at least the bytes that wait to be stored, more where files cannot have
 * holes.
 */
async function bytesOnDisk(outputs: readonly OutputFile[]): Promise<number> {
  const sizes = outputs.map(async ({ path }) => {
    try {
      return (await lstat(path)).blocks * BLOCK_BYTES;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return 0;
      throw error;
    }
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export interface OutputBackPressureOptions {
  readonly outputs: readonly OutputFile[];
  /** Output that may wait to be stored before the unit is paused, in bytes. */
  readonly pauseAtBytes: () => number;
  /** Pauses the unit; false when it must not be paused now, e.g. because it is being stopped. */
  readonly pause: () => Promise<boolean>;
  /** Resumes the unit. Harmless for a unit that is not paused. */
  readonly resume: () => Promise<void>;
  /** Adds a message to the bot's log. */
  readonly notice: (message: string) => void;
}

/**
 * Pauses a program that writes faster than its lines can be stored, until they are stored, because a full disk would
 * stop every bot. Only on Linux, where consumed output is given back to the disk while the program runs: elsewhere the
 * disk fills whether a program is paused or not.
 */
export class OutputBackPressure {
  readonly #options: OutputBackPressureOptions;
  /** Null for a unit that was found again, because an earlier host may have paused it. */
  #paused: boolean | null = null;
  #unread: (() => Promise<number>) | null = null;

  constructor(options: OutputBackPressureOptions) {
    this.#options = options;
  }

  /** False when the unit certainly is not paused. */
  get mayBePaused(): boolean {
    return this.#paused !== false;
  }

  /** Sets the function that returns the bytes of output which wait to be stored. */
  outputRead(unread: () => Promise<number>): void {
    this.#unread = unread;
  }

  /** Returns the bytes that wait to be stored. Does not ask for them while there is little on the disk. */
  async #waiting(): Promise<number> {
    const stored = await bytesOnDisk(this.#options.outputs);
    return this.#unread === null || stored <= this.#options.pauseAtBytes() / 4
      ? stored
      : Math.min(stored, await this.#unread());
  }

  /** Checks once; to be called about every second while the unit runs. */
  async check(): Promise<void> {
    if (process.platform !== 'linux') return;
    const { notice } = this.#options;
    const pauseAtBytes = this.#options.pauseAtBytes();
    const waiting = await this.#waiting();
    if (this.#paused !== true && waiting > pauseAtBytes) {
      if (!(await this.#options.pause())) return;
      this.#paused = true;
      const size = Math.round(waiting / 1024 / 1024);
      notice(`Paused: ${size} MB of output wait to be stored. It resumes when they are.`);
    } else if (this.#paused !== false && waiting <= pauseAtBytes / 4) {
      // An earlier host may have paused it: resuming a running program does no harm.
      if (this.#paused === true) notice('Resumed: its output is stored.');
      await this.resume();
    }
  }

  /** Resumes the unit, whatever waits. */
  async resume(): Promise<void> {
    await this.#options.resume();
    this.#paused = false;
  }
}
