import { join } from 'node:path';
import { isDamaged } from '../../../node/storage-error.ts';
import { BlockCache } from './blocks/block-cache.ts';
import type { LostPart } from './blocks/block-table.ts';
import { openLogDatabaseForReading } from './log-database.ts';
import { LogReader } from './log-database-read.ts';
import { namesIn, ROLLUPS, segmentName, segmentsAmong } from './log-segments.ts';
import { FileGone, inoOf, OpenDatabases } from './open-databases.ts';
import { RollupDatabase } from './rollup-database.ts';
import type { SeqRange } from './stored-row-types.ts';

/** Connections that readers keep open, of all bots together. */
const MAX_SEGMENTS = 64;
const MAX_ROLLUPS = 16;

/** Bytes of the blocks that readers keep in memory, of all bots together. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Connections of all readers of logs. */
export interface OpenLogs {
  readonly segments: OpenDatabases<LogReader>;
  readonly rollups: OpenDatabases<RollupDatabase>;
}

/** Calls `onLost`, with the path of the segment, for each block that it cannot read. */
export function openLogs(onLost: (file: string, lost: LostPart) => void): OpenLogs {
  const cache = new BlockCache(CACHE_BYTES);
  return {
    segments: new OpenDatabases(MAX_SEGMENTS, (file) => {
      return new LogReader(openLogDatabaseForReading(file), { cache, onLost: (lost) => onLost(file, lost) });
    }),
    rollups: new OpenDatabases(MAX_ROLLUPS, (file) => RollupDatabase.openForReading(file)),
  };
}

/** A damaged file of a log: its name and the error. */
export class DamagedLog extends Error {
  override readonly name = 'DamagedLog';
  readonly file: string;
  readonly ino: number;

  constructor(file: string, ino: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.file = file;
    this.ino = ino;
  }
}

/** Seq and ts at or above which all rows of a segment are. */
interface Begin {
  readonly seq: number;
  readonly ts: number;
}

/** Facts that are read of every segment again and again; a closed segment's never change. */
export interface SegmentFacts {
  readonly lastSeq: number;
  readonly lines: SeqRange | null;
  readonly firstTs: number | null;
  readonly lastTs: number | null;
  /** Time of the newest row of any kind, in the segment or before it. */
  readonly end: number;
  readonly totals: ReadonlyMap<number, number>;
}

const FACTS: { readonly [Key in keyof SegmentFacts]: (reader: LogReader) => SegmentFacts[Key] } = {
  lastSeq: (reader) => reader.lastSeq(),
  lines: (reader) => reader.rows((rows) => rows.logBounds()),
  firstTs: (reader) => reader.rows((rows) => rows.firstTs()),
  lastTs: (reader) => reader.rows((rows) => rows.lastTs()),
  end: (reader) => reader.state('ts') ?? 0,
  totals: (reader) => reader.totals(),
};

/**
 * The segments of one bot's log for reading, by index, oldest first: seqs and times rise from one to the next. Each is
 * opened when needed. Another may follow, or one be removed, at any moment.
 */
export class SegmentSet {
  readonly #dir: string;
  readonly #open: OpenLogs;
  #numbers: readonly number[] = [];
  /** Inode of the rollup database; null for none. */
  #rollupsIno: number | null = null;
  readonly #begins = new Map<number, Begin>();
  readonly #facts = new Map<number, SegmentFacts>();

  constructor(dir: string, open: OpenLogs) {
    this.#dir = dir;
    this.#open = open;
  }

  /** Finds the present segments; false when the bot never logged anything. */
  refresh(): boolean {
    const names = namesIn(this.#dir);
    const before = this.#numbers;
    this.#numbers = segmentsAmong(names);
    for (const number of before) if (!this.#numbers.includes(number)) this.#forget(number);
    const rollups = names.includes(ROLLUPS) ? inoOf(this.#path(ROLLUPS)) : null;
    // A fresh rollup database may have replaced a damaged one under the same name.
    if (rollups !== this.#rollupsIno) this.#open.rollups.close(this.#path(ROLLUPS));
    this.#rollupsIno = rollups;
    return this.#numbers.length > 0;
  }

  /** Closes all files; the next read opens what it needs. */
  release(): void {
    for (const number of this.#numbers) this.#open.segments.close(this.#path(segmentName(number)));
    this.#open.rollups.close(this.#path(ROLLUPS));
  }

  get newest(): number {
    return this.#numbers.length - 1;
  }

  number(at: number): number {
    const number = this.#numbers[at];
    if (number === undefined) throw new RangeError(`there is no segment ${at} of ${this.#numbers.length}`);
    return number;
  }

  /** Retries a read if retention has removed a segment meanwhile; the result covers the remaining ones. */
  run<Result>(read: () => Result): Result {
    for (let left = this.#numbers.length; ; left--) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof FileGone) || left === 0 || !this.refresh()) throw error;
      }
    }
  }

  read<Result>(at: number, read: (reader: LogReader) => Result): Result {
    return this.#using(this.#open.segments, segmentName(this.number(at)), read);
  }

  /** Reads the rollups that are merged; null if none are. */
  readRollups<Result>(read: (rollups: RollupDatabase) => Result): Result | null {
    return this.#rollupsIno === null ? null : this.#using(this.#open.rollups, ROLLUPS, read);
  }

  /** Index of the last segment that begins early enough; 0 without one. Checks the newest first. */
  lastThat(isEarly: (begin: Begin) => boolean): number {
    const { newest } = this;
    if (newest <= 0 || isEarly(this.begin(newest))) return Math.max(0, newest);
    let [low, high] = [0, newest];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (isEarly(this.begin(middle))) low = middle;
      else high = middle;
    }
    return low;
  }

  begin(at: number): Begin {
    const number = this.number(at);
    let begin = this.#begins.get(number);
    if (begin === undefined) {
      begin = this.read(at, (reader) => ({ seq: reader.state('from_seq') ?? 0, ts: reader.state('from_ts') ?? 0 }));
      this.#begins.set(number, begin);
    }
    return begin;
  }

  fact<Key extends keyof SegmentFacts>(at: number, key: Key): SegmentFacts[Key] {
    if (at === this.newest) return this.read(at, FACTS[key]);
    const number = this.number(at);
    let facts = this.#facts.get(number);
    if (facts === undefined) {
      facts = this.read(at, (reader) => ({
        lastSeq: FACTS.lastSeq(reader),
        lines: FACTS.lines(reader),
        firstTs: FACTS.firstTs(reader),
        lastTs: FACTS.lastTs(reader),
        end: FACTS.end(reader),
        totals: FACTS.totals(reader),
      }));
      this.#facts.set(number, facts);
    }
    return facts[key];
  }

  /** The first value from the oldest segment on that is not null. */
  first<Result>(find: (at: number) => Result | null): Result | null {
    for (let at = 0; at <= this.newest; at++) {
      const found = find(at);
      if (found !== null) return found;
    }
    return null;
  }

  /** The first value from the newest segment on that is not null. */
  last<Result>(find: (at: number) => Result | null): Result | null {
    for (let at = this.newest; at >= 0; at--) {
      const found = find(at);
      if (found !== null) return found;
    }
    return null;
  }

  /** The results from each segment, oldest first. */
  each<Result>(find: (at: number) => Result): Result[] {
    return this.#numbers.map((_, at) => find(at));
  }

  #using<Reader extends { close(): void }, Result>(
    open: OpenDatabases<Reader>,
    name: string,
    read: (reader: Reader) => Result,
  ): Result {
    const file = this.#path(name);
    const ino = open.ino(file);
    try {
      return read(open.use(file));
    } catch (error) {
      if (!isDamaged(error)) throw error;
      open.close(file);
      throw new DamagedLog(name, ino ?? 0, error);
    }
  }

  #forget(number: number): void {
    this.#begins.delete(number);
    this.#facts.delete(number);
    this.#open.segments.close(this.#path(segmentName(number)));
  }

  #path(name: string): string {
    return join(this.#dir, name);
  }
}
