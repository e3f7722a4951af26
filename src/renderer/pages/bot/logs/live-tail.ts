import type { LogEntry } from '../../../../contract/telemetry.ts';
import { emptyWindow, firstAfter, joined, joins, keepNewest, type LogWindow } from './log-window.ts';

const TAIL_LINES = 1000;

/** The newest lines of a log that its filter keeps, without a hole up to the newest seq, while more of them arrive live. */
export class LiveTail {
  #window: LogWindow = emptyWindow(0);
  #newest = 0;

  get window(): LogWindow {
    return this.#window;
  }

  /** Seq of the newest known line, whether or not the filter keeps it. */
  get newest(): number {
    return this.#newest;
  }

  /** Begins after a seq, without lines. */
  restart(after: number): void {
    this.#newest = after;
    this.#window = emptyWindow(after);
  }

  /** Forgets the lines, because another filter keeps others. */
  clear(): void {
    this.#window = emptyWindow(this.#newest);
  }

  /** Adds the kept lines of a batch that reaches up to a seq. Returns how many of them were new. */
  add(entries: readonly LogEntry[], seq: number): number {
    const fresh = entries.filter((entry) => entry.seq > this.#window.upTo);
    this.#newest = Math.max(this.#newest, seq);
    const grown = { ...this.#window, entries: [...this.#window.entries, ...fresh], upTo: this.#newest };
    this.#window = keepNewest(grown, TAIL_LINES);
    return fresh.length;
  }

  /** Returns a window with the newest lines behind it; null if lines between them are missing. */
  extend(window: LogWindow): LogWindow | null {
    return joins(window, this.#window) ? joined(window, this.#window) : null;
  }

  /**
   * Joins read lines with the live ones behind them. A read may be ahead of the stream: the tail then includes it, so
   * that the stream does not add it twice.
   */
  join(read: LogWindow): LogWindow {
    this.#newest = Math.max(this.#newest, read.upTo);
    if (read.upTo > this.#window.upTo) {
      this.#window = keepNewest(joins(this.#window, read) ? joined(this.#window, read) : read, TAIL_LINES);
    }
    return this.extend(read) ?? read;
  }

  /** Joins lines that were read as the newest of the log, which the tail then holds as well. */
  joinAtEnd(read: LogWindow): LogWindow {
    const known = this.join(read);
    // A flood may have overtaken the lines read.
    const window = known.upTo < this.#window.from ? this.#window : known;
    this.#window = keepNewest(window, TAIL_LINES);
    return window;
  }

  /** True if no kept line is missing between a window and the newest seq. */
  reaches(window: LogWindow): boolean {
    if (window.upTo >= this.#newest) return true;
    return joins(window, this.#window) && firstAfter(this.#window.entries, window.upTo) === this.#window.entries.length;
  }
}
