import { isDamaged } from '../../../node/storage-error.ts';
import { errorText } from '../../../node/system-error.ts';
import type { LogPosition } from './log-database.ts';
import { type Retention, segmentAge, segmentBytes } from './log-retention.ts';
import { type LogSession, nextSession, openLogSession } from './log-session.ts';

/** A segment that no room was found for is asked for again after this. */
const NEXT_SEGMENT_MS = 10_000;

/**
 * Chooses the segment of one bot's log to write: the next one when the last is full, failed, or turned out damaged. Its
 * owner decides when to open it again.
 */
export class NewestSegment {
  readonly #dir: string;
  #session: LogSession | null = null;
  /** What the log held when it was last open. */
  #memory: LogPosition | null = null;
  /** The segment that turned out damaged. */
  #damage: { readonly number: number; readonly reason: string } | null = null;
  #nextAt = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Null while it is closed. */
  get session(): LogSession | null {
    return this.#session;
  }

  /** Opens the newest, or one that follows it where that is damaged: it is put aside first, and `onSetAside` told. */
  open(now: number, onSetAside: (path: string, reason: string) => void): LogSession {
    const session = openLogSession({ dir: this.#dir, now, damage: this.#damage, memory: this.#memory, onSetAside });
    this.#session = session;
    this.#damage = null;
    return session;
  }

  /** Closes it after a failure. Whatever its file says later: rows up to this position were given out. */
  giveUp(failure: Error, position: LogPosition, report: (message: string) => void): void {
    const session = this.#session;
    if (session === null) return;
    this.#memory = position;
    if (isDamaged(failure)) this.condemn(session.number, failure.message);
    try {
      session.close();
    } catch (closing) {
      report(`Closing the log database failed: ${errorText(closing)}`);
    }
    this.#session = null;
  }

  /** The next to be opened takes its place. */
  condemn(number: number, reason: string): void {
    this.#damage = { number, reason };
  }

  /** Whether it holds its share of the bytes that are kept: quick enough to be asked with every commit. */
  isGrown(rule: Retention): boolean {
    return this.#session !== null && this.#session.grown() >= segmentBytes(rule);
  }

  /** Whether it holds its share of the bytes or of the days that are kept. */
  isFull(rule: Retention, now: number): boolean {
    if (this.isGrown(rule)) return true;
    const first = this.#session?.firstTs() ?? null;
    return first !== null && now - first > segmentAge(rule);
  }

  /**
   * Starts another segment with the next commit, which inherits the positions in files. False when there is no room for
   * one: this one grows on, and the next failed insert reports the full disk. After an error it must be discarded.
   */
  follow(): boolean {
    if (this.#session === null || performance.now() < this.#nextAt) return false;
    const next = nextSession(this.#dir, this.#session);
    if (next === null) this.#nextAt = performance.now() + NEXT_SEGMENT_MS;
    else this.#session = next;
    return next !== null;
  }

  close(): void {
    this.#session?.close();
    this.#session = null;
  }
}
