import { PlatformError } from '../../../contract/errors.ts';
import { isDamaged, isDiskFull } from '../../../node/storage-error.ts';

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;

/** Failures of a log to be written, one after another, and when it is tried again. */
export class WriteFailures {
  #last: Error | null = null;
  #count = 0;
  #retryAt = 0;

  /** True while the next attempt must wait. */
  get mustWait(): boolean {
    return performance.now() < this.#retryAt;
  }

  /** Counts a failure. Returns what the log should be told of it; null for one of which it knows. */
  add(failure: Error): string | null {
    // A damaged file is replaced at once; if that fails too, the only way is to wait.
    const wait = isDamaged(failure) && this.#count === 0 ? 0 : RETRY_FIRST_MS * 2 ** Math.min(this.#count, 10);
    this.#retryAt = performance.now() + Math.min(wait, RETRY_MAX_MS);
    const told = this.#last === null && !isDamaged(failure) ? pauseMessage(failure) : null;
    this.#last = failure;
    this.#count++;
    return told;
  }

  /** The log can be written again. Returns what it should be told; null where it never knew of a pause. */
  clear(): string | null {
    const last = this.#last;
    this.#last = null;
    this.#count = 0;
    return last === null || isDamaged(last)
      ? null
      : `The log was paused (${last.message}) and goes on; no line was lost.`;
  }

  /** Why output cannot be stored now; null where it can be. */
  get reason(): PlatformError | null {
    if (this.#last === null) return null;
    const code = isDiskFull(this.#last) ? 'STORAGE_FULL' : 'INTERNAL';
    return new PlatformError(code, `The bot's last output is not stored yet: ${this.#last.message}`, {
      hint: 'It is kept in its spool file and stored as soon as the log can be written again.',
      cause: this.#last,
    });
  }
}

function pauseMessage(failure: Error): string {
  const why = isDiskFull(failure) ? 'The disk is full' : `The log database cannot be written (${failure.message})`;
  return `${why}: the bot's output waits in its spool file and is stored as soon as writing works again.`;
}
