import { closeSync, fstatSync, openSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from './system-error.ts';

/** Space that a start of the host needs, with a wide margin. */
const RESERVE_BYTES = 1 << 20;
/** Released last: what bots did meanwhile is recorded first and may use up the rest. */
const LAST_BYTES = 1 << 16;
const PIECE = Buffer.alloc(1 << 14, 'r');

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemErrorCode(error) ?? '');

/**
 * Reserved space beside the control database, so that a host can start on a full disk: bots run on without their host,
 * and the user must be able to stop them.
 */
export class StartReserve {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** If the disk has too little space, frees the reserve for the start that follows, except what the end of the start needs. */
  release(): void {
    this.#shrink(LAST_BYTES);
  }

  /** Frees the rest for the end of the start. */
  releaseLast(): void {
    this.#shrink(0);
  }

  #shrink(bytes: number): void {
    const { bavail, bsize } = statfsSync(dirname(this.#file));
    if (bavail * bsize >= RESERVE_BYTES) return;
    try {
      if (statSync(this.#file).size > bytes) truncateSync(this.#file, bytes);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  }

  /** Reserves the space again, as much as the disk has. Repeatable. */
  take(): void {
    let fd: number | undefined;
    try {
      fd = openSync(this.#file, 'a', 0o600);
      for (let { size } = fstatSync(fd); size < RESERVE_BYTES; size += PIECE.length) writeSync(fd, PIECE);
    } catch (error) {
      if (!isFull(error)) throw error;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }
}
