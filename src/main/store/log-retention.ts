import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '../base/fault-point.ts';
import { errorText } from '../base/system-error.ts';
import { openLogDatabaseForReading } from './log-database.ts';
import { LogReader } from './log-database-read.ts';
import { bytesOf, isBusy, ROLLUPS, removeDatabase, segmentName, segmentsIn, setAsideDatabase } from './log-segments.ts';
import { type Merged, mergedWith, NOTHING_MERGED, RollupDatabase, readRollups } from './rollup-database.ts';
import { isDamaged, isDiskFull } from './storage-error.ts';

const DAY = 24 * 3_600_000;
const MB = 1024 * 1024;
/** A segment is this share of what may be kept, by size and by age: so much goes at once. */
const SHARE = 1 / 8;
/** An empty segment has 80 kB. */
const LEAST_BYTES = MB / 4;
/** Larger ones would only make what goes at once coarser, and the merging of rollups longer. */
const MOST_BYTES = 64 * MB;
/** But a chart looks into every one of them, which takes a third of a millisecond each. */
const MOST_SEGMENTS = 512;
const MOST_DAYS = 30;
const MINUTE_ROLLUPS_KEPT = 180 * DAY;

/** What is older than `days`, or the oldest beyond `bytes`, goes; whichever comes first (wire.md, Retention). */
export interface Retention {
  readonly days: number;
  readonly bytes: number;
}

/** Bytes of its own rows after which a segment is followed by the next. */
export function segmentBytes(rule: Retention): number {
  return Math.min(Math.max(MOST_BYTES, rule.bytes / MOST_SEGMENTS), Math.max(LEAST_BYTES, rule.bytes * SHARE));
}

/** Age of its first row, in ms, after which a segment is followed by the next. */
export function segmentAge(rule: Retention): number {
  return Math.min(MOST_DAYS, rule.days * SHARE) * DAY;
}

/** What retention tells of. */
export interface RetentionEvents {
  /** Something that the owner of the bot should know. */
  warn(message: string): void;
  /** A file cannot be removed before its readers let go of it: Windows. It is tried again with the next step. */
  release(): void;
}

/**
 * Removes the oldest segments of one bot's log, by unlinking: that works on a full disk, where deleting rows does not
 * (performance.md, R3), and whether or not the log can be written. The newest segment is never touched. Rollups are
 * merged into a database of their own as soon as nobody writes a segment any more, long before it goes.
 */
export class LogRetention {
  readonly #dir: string;
  readonly #events: RetentionEvents;
  /** As it stands in the rollup database, or would if there were anything to keep; null: not read yet. */
  #merged: Merged | null = null;
  /** Times of the newest row, of segments that do not change any more. */
  readonly #ends = new Map<number, number>();
  /** The newest segment, if it was found to hold nothing while nobody wrote it. */
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
    if (this.#isOver(oldest, rule)) return this.#remove(oldest, now);
    const end = this.#endOf(oldest, now);
    if (end === null) return true;
    if (end < now - rule.days * DAY) return this.#remove(oldest, now);
    const next = closed.find((number) => number >= this.#mergedNow(now).segment);
    if (next === undefined) return false;
    try {
      this.#merge(next, now);
      return true;
    } catch (error) {
      // There is time: it is tried again with the next step. That the disk is full is told by who stores lines.
      if (isDiskFull(error)) return false;
      throw error;
    }
  }

  /**
   * Whether the newest segment, which nobody has open, holds something, and nothing but what is too old: that goes once
   * another one follows. It is looked into only when its file has not changed for so long.
   */
  isPast(rule: Retention, now: number): boolean {
    const newest = segmentsIn(this.#dir).at(-1);
    if (newest === undefined || newest === this.#empty) return false;
    const written = statSync(join(this.#dir, segmentName(newest)), { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (written >= now - rule.days * DAY) return false;
    try {
      const isEmpty = this.#reading(newest, now, (reader) => reader.firstRowTs() === null) ?? false;
      if (isEmpty) this.#empty = newest;
      return !isEmpty;
    } catch (error) {
      // No room for what it takes to read it, and none for the next one either.
      if (isDiskFull(error)) return false;
      throw error;
    }
  }

  /** A segment that nobody writes turned out damaged: the others go on without it. */
  setAside(number: number, reason: string, now: number): void {
    const path = this.#putAside(segmentName(number), now);
    this.#ends.delete(number);
    this.#events.warn(`A part of the log was damaged (${reason}). It was moved to ${path}; the rest is as it was.`);
  }

  /** The rollup database turned out damaged: what segments still hold is merged into a fresh one. */
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
   * One that holds more than half of what may be kept (the log of an earlier release, or a limit that was lowered) stays
   * until that much is there besides: the newest lines are what is looked for first.
   */
  #isOver(oldest: number, rule: Retention): boolean {
    const sizes = segmentsIn(this.#dir).map((number) => bytesOf(join(this.#dir, segmentName(number))));
    const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
    return total > rule.bytes && total - bytesOf(join(this.#dir, segmentName(oldest))) >= rule.bytes / 2;
  }

  /** Time of the newest row of a closed segment; none is old of one that cannot be read now. Null: it was put aside. */
  #endOf(number: number, now: number): number | null {
    const known = this.#ends.get(number);
    if (known !== undefined) return known;
    try {
      const end = this.#reading(number, now, (reader) => reader.state('ts') ?? 0);
      if (end !== null) this.#ends.set(number, end);
      return end;
    } catch (error) {
      // To read it takes an index file, for which there is no room. The size alone decides then.
      if (isDiskFull(error)) return Number.POSITIVE_INFINITY;
      throw error;
    }
  }

  #remove(number: number, now: number): boolean {
    try {
      if (number >= this.#mergedNow(now).segment && this.#merge(number, now)) return true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      // Room is what is needed most: a bot whose lines cannot be stored is worse off than one without old charts.
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

  /** Merges the next rollups of a closed segment; true when there are more, or all have to be merged anew. */
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

  /** Null for a segment that is damaged: it is put aside. */
  #reading<Result>(number: number, now: number, read: (reader: LogReader) => Result): Result | null {
    try {
      const reader = new LogReader(openLogDatabaseForReading(join(this.#dir, segmentName(number))));
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

  /** Null for rollups that are damaged: they are put aside. */
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
