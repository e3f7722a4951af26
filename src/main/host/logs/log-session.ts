import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '../../../node/fault-point.ts';
import { isDamaged, isDiskFull } from '../../../node/storage-error.ts';
import { errorText } from '../../../node/system-error.ts';
import type { LostPart } from './blocks/block-table.ts';
import {
  createSegment,
  databaseBytes,
  isWritable,
  type LogDatabase,
  type LogPosition,
  openLogDatabase,
  sealLogDatabase,
} from './log-database.ts';
import { LogReader, WITHOUT_BLOCKS } from './log-database-read.ts';
import { LogWriter, type SpoolRow } from './log-database-write.ts';
import {
  makeFolder,
  nextSegment,
  ROLLUPS,
  removeDatabase,
  segmentName,
  segmentsIn,
  setAsideDatabase,
  sweepLog,
} from './log-segments.ts';
import { RollupDatabase } from './rollup-database.ts';
import type { RunFacts } from './telemetry-types.ts';

/** Series a bot may open; more are stored as metrics without a chart. */
const MAX_SERIES = 2000;

/** What a session needs of the log around it. */
export interface SessionParts {
  /** Told of rows that are to be compressed and cannot be read, with the name of their segment. */
  readonly onLost: (file: string, lost: LostPart) => void;
  /** What is known of a run; null where nothing is. */
  readonly factsOf: (runId: string) => RunFacts | null;
}

/** The newest segment of a bot's log, open for writing. */
export interface LogSession {
  readonly number: number;
  readonly writer: LogWriter;
  readonly seq: number;
  readonly ts: number;
  /** An earlier segment was lost, and with it its positions in spool files. */
  readonly afterLoss: boolean;
  spool(path: string): SpoolRow | null;
  /** Forgets the offsets of spool files that are gone. `isGone` is asked for each path. */
  sweepSpools(isGone: (path: string) => boolean): void;
  /** True if a line of the log has told of this (WriteBatch.told). */
  hasTold(key: string): boolean;
  /** Growth in bytes since it was created. */
  grown(): number;
  /** Time of its first row; null without rows. */
  firstTs(): number | null;
  close(): void;
  /** Closes it for good: another segment follows. */
  seal(): void;
}

export interface OpenOptions extends SessionParts {
  /** Folder of the bot. */
  readonly dir: string;
  readonly now: number;
  /** A segment that is known to be damaged. */
  readonly damage: { readonly number: number; readonly reason: string } | null;
  /** The log's position as known without its files. */
  readonly memory: LogPosition | null;
  /** Called when a damaged segment was set aside, with its new path and the reason. */
  readonly onSetAside: (path: string, reason: string) => void;
}

/**
 * Opens the newest segment, or creates the first. A damaged one is set aside and followed by a fresh one, which
 * continues from the newest sound one, with seqs above all that were given out. If that number was lost with the file,
 * the clock replaces it: no bot writes a million lines a second for ever.
 */
export function openLogSession(options: OpenOptions): LogSession {
  const { dir, now, damage } = options;
  makeFolder(dir);
  sweepLog(dir);
  for (const number of segmentsIn(dir).reverse()) {
    const file = join(dir, segmentName(number));
    let reason = damage?.number === number ? damage.reason : null;
    if (reason === null) {
      try {
        const isNewest = number === nextSegment(dir) - 1 && number >= firstUnmerged(dir);
        const db = openLogDatabase(file);
        if (db === null) {
          removeDatabase(file);
          continue;
        }
        if (isNewest && isWritable(db)) return session(number, db, options);
        if (isNewest) return afterEarlierRelease(options, number, db);
        // A segment after this one is lost or was set aside: this one is closed, and stays as it is.
        db.close();
        return following(options, number);
      } catch (error) {
        if (!isDamaged(error)) throw error;
        reason = errorText(error);
      }
    }
    options.onSetAside(setAsideDatabase(file, now), reason);
  }
  return following(options, null);
}

/**
 * Opens a fresh segment that goes on from this one, and closes this one for good. Null, and nothing has changed, when there
 * is no room for another; after any other error this one must be closed, and the newest opened again.
 */
export function nextSession(dir: string, current: LogSession, parts: SessionParts): LogSession | null {
  let number: number;
  try {
    current.writer.compress();
    number = create(dir, nextSegment(dir), current.number, null);
  } catch (error) {
    if (isDiskFull(error)) return null;
    throw error;
  }
  const next = open(dir, number, parts, false);
  try {
    current.seal();
  } catch (error) {
    next.close();
    throw error;
  }
  faultPoint('rotate:sealed');
  return next;
}

/** The newest segment was written by an earlier release: it is closed as it is, and one of this release goes on from it. */
function afterEarlierRelease(options: OpenOptions, number: number, db: LogDatabase): LogSession {
  const { dir } = options;
  sealLogDatabase(db);
  return open(dir, create(dir, nextSegment(dir), number, null), options, false);
}

function following(options: OpenOptions, after: number | null): LogSession {
  const { dir, now, memory } = options;
  const number = Math.max(nextSegment(dir), firstUnmerged(dir));
  // True if the log had segments beyond the one that this continues.
  const isLoss = after !== null || number > 0;
  const above = isLoss ? (memory ?? { seq: now * 1000, ts: now }) : null;
  return open(dir, create(dir, number, after, above), options, isLoss);
}

function create(dir: string, number: number, after: number | null, above: LogPosition | null): number {
  createSegment({
    file: join(dir, segmentName(number)),
    after: after === null ? null : join(dir, segmentName(after)),
    above,
  });
  return number;
}

/**
 * New lines must not go into a segment whose rollups are partly merged, or they would never be counted. The newest may
 * be such a segment if later ones were removed by hand or are missing from the restored backup.
 */
function firstUnmerged(dir: string): number {
  if (!existsSync(join(dir, ROLLUPS))) return 0;
  try {
    const rollups = RollupDatabase.open(dir);
    try {
      const { segment, series } = rollups.merged();
      return series === 0 ? segment : segment + 1;
    } finally {
      rollups.close();
    }
  } catch (error) {
    // Retention sets a damaged database aside, and no rollup counts as merged then.
    if (isDamaged(error)) return 0;
    throw error;
  }
}

function open(dir: string, number: number, parts: SessionParts, afterLoss: boolean): LogSession {
  const db = openLogDatabase(join(dir, segmentName(number)));
  if (db === null) throw new Error(`${segmentName(number)} was made without a schema`);
  return session(number, db, parts, afterLoss);
}

function session(number: number, db: LogDatabase, parts: SessionParts, afterLoss = false): LogSession {
  try {
    const reader = new LogReader(db, WITHOUT_BLOCKS);
    const spool = db.prepare<[string], SpoolRow>('select path, run, offset, inside, level from spool where path = ?');
    const base = reader.state('base') ?? 0;
    const { factsOf } = parts;
    const onLost = (lost: LostPart): void => parts.onLost(segmentName(number), lost);
    const writer = new LogWriter(db, { maxSeries: MAX_SERIES, onLost, factsOf });
    return {
      number,
      writer,
      ...positionOf(reader),
      afterLoss,
      spool: (path) => spool.get(path) ?? null,
      sweepSpools(isGone) {
        const paths = db.prepare<[], string>('select path from spool').pluck().all();
        const remove = db.prepare('delete from spool where path = ?');
        for (const path of paths) if (isGone(path)) remove.run(path);
      },
      hasTold: (key) => reader.state(key) !== null,
      grown: () => databaseBytes(db) - base - writer.openBytes,
      firstTs: () => reader.rows((rows) => rows.firstRowTs()),
      close: () => db.close(),
      seal: () => sealLogDatabase(db),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Seqs and times go on above all that is stored, whatever `state` says of them. */
function positionOf(reader: LogReader): LogPosition {
  const end = reader.rows((rows) => rows.end());
  return { seq: Math.max(reader.lastSeq(), end.seq), ts: Math.max(reader.state('ts') ?? 0, end.ts) };
}
