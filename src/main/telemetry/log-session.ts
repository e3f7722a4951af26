import { isDamaged, type LogDatabase, openLogDatabase, setAsideDatabase } from '../store/log-database.ts';
import { LogReader } from '../store/log-database-read.ts';
import { LogRetention } from '../store/log-database-retention.ts';
import { LogWriter, type SpoolRow } from '../store/log-database-write.ts';
import { storedPoints } from './metric-points.ts';

/** Series a bot may open; more are stored as metrics without a chart. */
const MAX_SERIES = 2000;

/** What is known of a bot's log without its file; carried over when the file turns out damaged. */
export interface LogMemory {
  readonly seq: number;
  readonly ts: number;
}

/** An open log database for writing. */
export interface LogSession {
  readonly writer: LogWriter;
  readonly retention: LogRetention;
  readonly seq: number;
  readonly ts: number;
  /** Where a damaged file was put before this one was made, with the reason. */
  readonly setAside: { readonly path: string; readonly reason: string } | null;
  spool(path: string): SpoolRow | null;
  close(): void;
}

export interface OpenOptions {
  readonly file: string;
  readonly now: number;
  /** The file is known to be damaged, for this reason. */
  readonly damage: string | null;
  readonly memory: LogMemory | null;
}

/**
 * Opens a log database; a damaged one is renamed and a fresh one made, whose seqs go on above all that were given out.
 * When that number died with the file, the clock stands in for it: no bot writes a million lines a second for ever.
 */
export function openLogSession(options: OpenOptions): LogSession {
  let reason = options.damage;
  if (reason === null) {
    try {
      return session(openLogDatabase(options.file), options.memory, null);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  const path = setAsideDatabase(options.file, options.now);
  const memory = options.memory ?? { seq: options.now * 1000, ts: options.now };
  return session(openLogDatabase(options.file), memory, { path, reason });
}

function session(db: LogDatabase, memory: LogMemory | null, setAside: LogSession['setAside']): LogSession {
  try {
    const reader = new LogReader(db);
    const spool = db.prepare<[string], SpoolRow>('select path, run, offset, inside, level from spool where path = ?');
    return {
      writer: new LogWriter(db, { maxSeries: MAX_SERIES }),
      retention: new LogRetention(db, storedPoints),
      seq: Math.max(reader.lastSeq(), setAside === null ? 0 : (memory?.seq ?? 0)),
      ts: Math.max(reader.state('ts') ?? 0, setAside === null ? 0 : (memory?.ts ?? 0)),
      setAside,
      spool: (path) => spool.get(path) ?? null,
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
