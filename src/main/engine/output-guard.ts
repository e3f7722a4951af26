import { stat } from 'node:fs/promises';
import { pause } from '../base/pause.ts';
import { systemErrorCode } from '../base/system-error.ts';
import type { OutputFile } from './engine.ts';

const BLOCK_BYTES = 512;

/** Output of a unit that may wait to be stored before the unit is held, in bytes, where nothing else is set. */
export const HOLD_BYTES = 512 * 1024 * 1024;

export { pause };

/** Bytes on the disk of a unit's output: never less than what waits to be stored, and more where holes cannot be made. */
async function bytesOnDisk(outputs: readonly OutputFile[]): Promise<number> {
  const sizes = outputs.map(async ({ path }) => {
    try {
      return (await stat(path)).blocks * BLOCK_BYTES;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return 0;
      throw error;
    }
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export interface OutputGuardOptions {
  readonly outputs: readonly OutputFile[];
  /** Output that may wait to be stored before the unit is held, in bytes. */
  readonly holdBytes: () => number;
  /** Makes the unit stand still; false when it must not be held now, e.g. because it is being stopped. */
  readonly hold: () => Promise<boolean>;
  /** Lets it go on. Harmless for a unit that is not held. */
  readonly release: () => Promise<void>;
  /** For the bot's log. */
  readonly notice: (message: string) => void;
}

/**
 * Holds a program that writes faster than its lines can be stored until they are, because a full disk would stop every
 * bot. Only on Linux, which gives consumed output back to the disk while the program runs: elsewhere the disk fills
 * whether a program is held or not.
 */
export class OutputGuard {
  readonly #o: OutputGuardOptions;
  /** Null: found again, and an earlier host may have held it. */
  #held: boolean | null = null;
  #unread: (() => Promise<number>) | null = null;

  constructor(options: OutputGuardOptions) {
    this.#o = options;
  }

  /** False when the unit goes on for sure. */
  get mayBeHeld(): boolean {
    return this.#held !== false;
  }

  /** How much of the output still waits to be stored. */
  outputRead(unread: () => Promise<number>): void {
    this.#unread = unread;
  }

  /** What waits to be stored. Nobody is asked as long as there is little on the disk. */
  async #waiting(): Promise<number> {
    const stored = await bytesOnDisk(this.#o.outputs);
    return this.#unread === null || stored <= this.#o.holdBytes() / 4 ? stored : Math.min(stored, await this.#unread());
  }

  /** Looks once; to be called about every second while the unit runs. */
  async check(): Promise<void> {
    if (process.platform !== 'linux') return;
    const { notice } = this.#o;
    const holdBytes = this.#o.holdBytes();
    const waiting = await this.#waiting();
    if (this.#held !== true && waiting > holdBytes) {
      if (!(await this.#o.hold())) return;
      this.#held = true;
      const size = Math.round(waiting / 1024 / 1024);
      notice(`Held: ${size} MB of output wait to be stored. It goes on when they are.`);
    } else if (this.#held !== false && waiting <= holdBytes / 4) {
      // An earlier host may have held it: nobody knows, and to go on does no harm.
      if (this.#held === true) notice('Goes on: its output is stored.');
      await this.release();
    }
  }

  /** Lets the unit go on, whatever waits. */
  async release(): Promise<void> {
    await this.#o.release();
    this.#held = false;
  }
}
