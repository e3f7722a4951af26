import { isDamaged } from '../../../node/storage-error.ts';
import { errorText } from '../../../node/system-error.ts';
import type { LogPosition } from './log-database.ts';
import { type Retention, segmentAge, segmentBytes } from './log-retention.ts';
import { type LogSession, nextSession, openLogSession, type SessionParts } from './log-session.ts';

/** Wait before another attempt to begin a segment for which there was no space. */
const NEXT_SEGMENT_MS = 10_000;

/**
 * Chooses the segment of one bot's log to write: the next one when the last is full, failed, or damaged. Its owner
 * decides when to open it again.
 */
export class NewestSegment {
  readonly #dir: string;
  readonly #parts: SessionParts;
  #session: LogSession | null = null;
  /** Position of the log when it was last open. */
  #memory: LogPosition | null = null;
  /** The segment that turned out to be damaged. */
  #damage: { readonly number: number; readonly reason: string } | null = null;
  #nextAt = 0;

  constructor(dir: string, parts: SessionParts) {
    this.#dir = dir;
    this.#parts = parts;
  }

  /** Session of the open segment; null while it is closed. */
  get session(): LogSession | null {
    return this.#session;
  }

  /** Opens the newest segment. A damaged one is set aside first, `onSetAside` is called, and the next one is opened. */
  open(now: number, onSetAside: (path: string, reason: string) => void): LogSession {
    const session = openLogSession({
      ...this.#parts,
      dir: this.#dir,
      now,
      damage: this.#damage,
      memory: this.#memory,
      onSetAside,
    });
    this.#session = session;
    this.#damage = null;
    return session;
  }

  /** Closes the segment after a failure. Rows up to this position were given out, whatever the file contains later. */
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

  /** Marks a segment as damaged, so that the next one replaces it. */
  condemn(number: number, reason: string): void {
    this.#damage = { number, reason };
  }

  /** True if the segment has its share of the bytes that are kept: fast enough to be checked with every commit. */
  isGrown(rule: Retention): boolean {
    return this.#session !== null && this.#session.grown() >= segmentBytes(rule);
  }

  /** True if the segment has its share of the bytes or of the days that are kept. */
  isFull(rule: Retention, now: number): boolean {
    if (this.isGrown(rule)) return true;
    const first = this.#session?.firstTs() ?? null;
    return first !== null && now - first > segmentAge(rule);
  }

  /**
   * Starts the next segment with the next commit; it inherits the positions in files. False when there is no space for
   * one: this segment then grows on, and the next failed insert reports the full disk. After an error the segment must
   * be discarded.
   */
  follow(): boolean {
    if (this.#session === null || performance.now() < this.#nextAt) return false;
    const next = nextSession(this.#dir, this.#session, this.#parts);
    if (next === null) this.#nextAt = performance.now() + NEXT_SEGMENT_MS;
    else this.#session = next;
    return next !== null;
  }

  close(): void {
    this.#session?.close();
    this.#session = null;
  }
}
