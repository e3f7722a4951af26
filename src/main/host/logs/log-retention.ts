import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '../../../node/fault-point.ts';
import { isDamaged, isDiskFull } from '../../../node/storage-error.ts';
import { errorText } from '../../../node/system-error.ts';
import { type LogPosition, openLogDatabaseForReading } from './log-database.ts';
import { LogReader, WITHOUT_BLOCKS } from './log-database-read.ts';
import { bytesOf, isBusy, ROLLUPS, removeDatabase, segmentName, segmentsIn, setAsideDatabase } from './log-segments.ts';
import { type Merged, mergedWith, NOTHING_MERGED, RollupDatabase, readRollups } from './rollup-database.ts';

const DAY = 24 * 3_600_000;
const MB = 1024 * 1024;
/** Size of a segment as a share of the limit, by size and by age: retention removes this much at once. */
const SHARE = 1 / 8;
/** An empty segment has 80 kB. */
const LEAST_BYTES = MB / 4;
/** Larger segments would coarsen retention, and prolong the merging of rollups. */
const MOST_BYTES = 64 * MB;
/** A chart opens every segment, for a third of a millisecond each. */
const MOST_SEGMENTS = 512;
const MOST_DAYS = 30;
const MINUTE_ROLLUPS_KEPT = 180 * DAY;

/** Limits of a log: lines older than `days` are removed, and the oldest beyond `bytes`, whichever comes first. */
export interface Retention {
  readonly days: number;
  readonly bytes: number;
}

/** Returns the bytes of its own rows after which the next segment follows. */
export function segmentBytes(rule: Retention): number {
  return Math.min(Math.max(MOST_BYTES, rule.bytes / MOST_SEGMENTS), Math.max(LEAST_BYTES, rule.bytes * SHARE));
}

/** Returns the age of its first row, in ms, after which the next segment follows. */
export function segmentAge(rule: Retention): number {
  return Math.min(MOST_DAYS, rule.days * SHARE) * DAY;
}

/** Events of retention. */
export interface RetentionEvents {
  /** A warning for the bot's owner. */
  warn(message: string): void;
  /** True if the ledger has every row up to a seq: a segment with a later one is kept until it has. */
  hasTaken(seq: number): boolean;
  /** Windows cannot remove an open file: readers must close it. The next step tries again. */
  release(): void;
}

/**
 * Removes the oldest segments of one bot's log by unlinking, which works on a full disk, where deleting rows does not,
 * and even if the log cannot be written. The newest segment is never touched. Rollups are merged into their own
 * database once a segment is closed, long before it is removed.
 */
export class LogRetention {
  readonly #dir: string;
  readonly #events: RetentionEvents;
  /** Progress of the merge, as stored in the rollup database or to be stored with the first rollup; null: not read yet. */
  #merged: Merged | null = null;
  /** The newest row of each closed segment. */
  readonly #ends = new Map<number, LogPosition>();
  /** Number of the newest segment if it is empty and closed. */
  #empty: number | null = null;

  constructor(dir: string, events: RetentionEvents) {
    this.#dir = dir;
    this.#events = events;
  }

  /** Does one step; true when there is more to do at once. */
  step(rule: Retention, now: number): boolean {
    const closed = segmentsIn(this.#dir).slice(0, -1);
    const [oldest] = closed;
    if (oldest === undefined) return false;
    const end = this.#endOf(oldest, now);
    if (end === null) return true;
    const isDue = this.#isOver(oldest, rule) || end.ts < now - rule.days * DAY;
    if (isDue && this.#events.hasTaken(end.seq)) return this.#remove(oldest, now);
    const next = closed.find((number) => number >= this.#mergedNow(now).segment);
    if (next === undefined) return false;
    try {
      this.#merge(next, now);
      return true;
    } catch (error) {
      // The next step tries again; the writer of lines reports the full disk.
      if (isDiskFull(error)) return false;
      throw error;
    }
  }

  /**
   * True if the newest segment, while closed, contains only expired rows; it is removed once another one follows. It is
   * opened only when its file has not changed for the retention time.
   */
  isPast(rule: Retention, now: number): boolean {
    const newest = segmentsIn(this.#dir).at(-1);
    if (newest === undefined || newest === this.#empty) return false;
    const written = lstatSync(join(this.#dir, segmentName(newest)), { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (written >= now - rule.days * DAY) return false;
    try {
      const isEmpty =
        this.#reading(newest, now, (reader) => reader.rows((rows) => rows.firstRowTs()) === null) ?? false;
      if (isEmpty) this.#empty = newest;
      return !isEmpty;
    } catch (error) {
      // A full disk has no space for reading the segment or for a next one.
      if (isDiskFull(error)) return false;
      throw error;
    }
  }

  /** Sets aside a closed segment that turned out damaged; the others continue without it. */
  setAside(number: number, reason: string, now: number): void {
    const path = this.#putAside(segmentName(number), now);
    this.#ends.delete(number);
    this.#events.warn(`A part of the log was damaged (${reason}). It was moved to ${path}; the rest is as it was.`);
  }

  /** Sets aside a damaged rollup database; the rollups that segments still contain are merged into a fresh one. */
  setRollupsAside(reason: string, now: number): void {
    const path = this.#putAside(ROLLUPS, now);
    this.#merged = null;
    this.#events.warn(
      `The database of metrics by minute and hour was damaged (${reason}). It was moved to ${path}; those of lines that are kept are made again.`,
    );
  }

  #putAside(name: string, now: number): string {
    try {
      return setAsideDatabase(join(this.#dir, name), now);
    } catch (error) {
      if (isBusy(error)) this.#events.release();
      throw error;
    }
  }

  /**
   * True if the oldest segment is beyond the limit. A segment larger than half the limit (of an earlier release, or
   * after the limit was lowered) stays until that much newer data exists, because readers want the newest lines first.
   */
  #isOver(oldest: number, rule: Retention): boolean {
    const sizes = segmentsIn(this.#dir).map((number) => bytesOf(join(this.#dir, segmentName(number))));
    const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
    return total > rule.bytes && total - bytesOf(join(this.#dir, segmentName(oldest))) >= rule.bytes / 2;
  }

  /**
   * Returns the newest row of a closed segment; null after the segment was set aside. While a full disk prevents reading, the
   * row could be any.
   */
  #endOf(number: number, now: number): LogPosition | null {
    const known = this.#ends.get(number);
    if (known !== undefined) return known;
    try {
      const end = this.#reading(number, now, (reader) => ({ seq: reader.lastSeq(), ts: reader.state('ts') ?? 0 }));
      if (end !== null) this.#ends.set(number, end);
      return end;
    } catch (error) {
      // Reading the segment creates an index file, for which there is no space. Then the size alone decides.
      if (isDiskFull(error)) return { seq: Number.POSITIVE_INFINITY, ts: Number.POSITIVE_INFINITY };
      throw error;
    }
  }

  #remove(number: number, now: number): boolean {
    try {
      if (number >= this.#mergedNow(now).segment && this.#merge(number, now)) return true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      // Space comes first: lines that cannot be stored are worse for a bot than missing old charts.
      this.#events.warn(
        'The disk is full: the oldest lines were removed without keeping their metrics by minute and hour.',
      );
    }
    faultPoint('unlink:merged');
    try {
      removeDatabase(join(this.#dir, segmentName(number)), () => faultPoint('unlink:removed'));
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.#events.release();
      return false;
    }
    this.#ends.delete(number);
    faultPoint('unlink:done');
    return true;
  }

  /** Merges the next rollups of a closed segment; true when more follow, or all must be merged again. */
  #merge(number: number, now: number): boolean {
    const merged = this.#mergedNow(now);
    const batch = this.#reading(number, now, (reader) => readRollups(reader, number, merged));
    if (batch === null) return false;
    // Most bots have no metrics, and need no file for them.
    const isNothing = batch.series.every(({ hours }) => hours.length === 0);
    if (isNothing && !existsSync(join(this.#dir, ROLLUPS))) this.#merged = mergedWith(batch);
    else this.#merged = this.#writing(now, (rollups) => rollups.add(batch, now - MINUTE_ROLLUPS_KEPT));
    return this.#merged === null || !batch.isLast;
  }

  #mergedNow(now: number): Merged {
    if (this.#merged === null && existsSync(join(this.#dir, ROLLUPS))) {
      this.#merged = this.#writing(now, (rollups) => rollups.merged());
    }
    return this.#merged ?? NOTHING_MERGED;
  }

  /** Runs a read; null for a damaged segment, which is set aside. */
  #reading<Result>(number: number, now: number, read: (reader: LogReader) => Result): Result | null {
    try {
      const reader = new LogReader(openLogDatabaseForReading(join(this.#dir, segmentName(number))), WITHOUT_BLOCKS);
      try {
        return read(reader);
      } finally {
        reader.close();
      }
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.setAside(number, errorText(error), now);
      return null;
    }
  }

  /** Runs a write; null for damaged rollups, which are set aside. */
  #writing<Result>(now: number, write: (rollups: RollupDatabase) => Result): Result | null {
    try {
      const rollups = RollupDatabase.open(this.#dir);
      try {
        return write(rollups);
      } finally {
        rollups.close();
      }
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.setRollupsAside(errorText(error), now);
      return null;
    }
  }
}
