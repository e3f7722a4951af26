import { PlatformError } from '../../contract/errors.ts';
import { isDamaged, isDiskFull, logDatabasePath, removeLogDatabase } from '../store/log-database.ts';
import type { Retention } from '../store/log-database-retention.ts';
import type { SpoolRow } from '../store/log-database-write.ts';
import { type BotMasker, createBotMasker } from './bot-masker.ts';
import { FinishWaiters } from './finish-waiters.ts';
import { takeLine, takePiece } from './line-intake.ts';
import { HIDDEN, OUTSIDE, type Piece } from './line-splitter.ts';
import { LiveSender } from './live-sender.ts';
import { type LogMemory, type LogSession, openLogSession } from './log-session.ts';
import { type HostLine, PendingRows } from './pending-rows.ts';
import { punchHole } from './punch-hole.ts';
import { type DecodedChunk, type ReadBuffers, SpoolTail, type Turn } from './spool-tail.ts';
import type { SpoolFile } from './telemetry.ts';
import type { WorkerEvent } from './worker-protocol.ts';

/** Rows of one transaction (performance.md, decision 3). */
export const COMMIT_ROWS = 2000;
const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;
export interface IngestContext {
  readonly dataDir: string;
  readonly retention: Retention;
  readonly buffers: ReadBuffers;
  now(): number;
  emit(event: WorkerEvent): void;
}

class TurnAbandoned extends Error {
  override readonly name = 'TurnAbandoned';
}

/**
 * Everything one bot says, on its way into its log database. Rows, counters and spool offsets go in by one transaction;
 * when that fails, all of it is dropped from memory and read again from the spool files, so no failure needs its own
 * repair. Live readers get rows only after the commit.
 */
export class BotIngest {
  readonly botId: string;
  readonly #context: IngestContext;
  readonly #file: string;
  readonly #tails = new Map<string, SpoolTail>();
  readonly #finishing = new FinishWaiters();
  readonly #pending = new PendingRows();
  /** Offsets as last committed: a fresh database in the place of a damaged one starts from them. */
  readonly #committed = new Map<string, SpoolRow>();
  #masker: BotMasker;
  #session: LogSession | null = null;
  #memory: LogMemory | null = null;
  #damage: string | null = null;
  #committedSeq = 0;
  #failure: Error | null = null;
  #failures = 0;
  #retryAt = 0;
  #live: LiveSender | null = null;
  #saidTooManySeries = false;
  #saidNoSpace = false;
  /** By performance.now(). */
  lastCommit = 0;
  /** Rows committed since retention last looked. */
  rowsSinceRetention = 0;

  constructor(botId: string, context: IngestContext) {
    this.botId = botId;
    this.#context = context;
    this.#file = logDatabasePath(context.dataDir, botId);
    this.#masker = createBotMasker([]);
  }

  setSecrets(secrets: readonly string[]): void {
    this.#masker = createBotMasker(secrets);
    this.ready();
    for (const tail of this.#tails.values())
      this.#guard(tail, () => tail.useMasker(this.#masker, this.#context.buffers));
  }

  attach(file: SpoolFile): SpoolTail {
    const known = this.#tails.get(file.path);
    if (known !== undefined) return known;
    const tail = new SpoolTail(file, this.#masker);
    this.#tails.set(file.path, tail);
    if (this.ready()) this.#restore(tail);
    return tail;
  }

  /** The database is open, or could be opened now. */
  ready(): boolean {
    if (this.#session !== null) return true;
    if (performance.now() < this.#retryAt) return false;
    try {
      this.#open(this.#context.now());
    } catch (error) {
      this.#fail(error);
      return false;
    }
    return true;
  }

  hostLine(line: HostLine): void {
    this.#pending.addHostLine(line);
  }

  /** Reads what is new in one file of this bot. */
  turn(tail: SpoolTail): Turn {
    if (!this.ready()) return 'idle';
    // What the host said before this turn stands before what the bot says in it.
    this.#pending.takeHostLines(this.#masker, this.#context.now());
    this.#pending.tick(this.#context.now());
    try {
      return tail.turn(this.#masker, this.#context.buffers, {
        piece: (from, chunk, piece) => this.#take(from, chunk, piece),
        report: (message) => this.report(message),
      });
    } catch (error) {
      if (error instanceof TurnAbandoned) return 'idle';
      throw error;
    }
  }

  get pendingRows(): number {
    return this.#pending.count;
  }

  get needsCommit(): boolean {
    if (this.pendingRows > 0 || this.#finishing.runs().size > 0) return true;
    for (const tail of this.#tails.values()) if (tail.dirty) return true;
    return false;
  }

  /** Stores what was read, then tells live readers and the callers of finish. False when it could not be stored. */
  commit(): boolean {
    if (!this.ready()) return false;
    const session = this.#session;
    if (session === null) return false;
    const pending = this.#pending;
    pending.takeHostLines(this.#masker, this.#context.now());
    const dirty = [...this.#tails.values()].filter((tail) => tail.dirty);
    const spools = dirty.map((tail) => tail.row());
    const { logs, metrics, dropped, seq, ts } = pending;
    const first = this.#committedSeq + 1;
    if (logs.length + metrics.length + spools.length + dropped > 0) {
      try {
        session.writer.write({ logs, metrics, spools, dropped, seq, ts });
      } catch (error) {
        this.#fail(error);
        return false;
      }
    }
    this.#recovered();
    pending.committed();
    this.#committedSeq = seq;
    this.lastCommit = performance.now();
    this.rowsSinceRetention += logs.length + metrics.length;
    for (const row of spools) this.#committed.set(row.path, row);
    for (const tail of dirty) tail.dirty = false;
    if (seq >= first) this.#live?.send(first, seq, logs, metrics);
    for (const tail of dirty) this.#giveBack(tail);
    this.#settleFinished();
    this.#warnOfSeries(session);
    return true;
  }

  /** Resolves when all output of the run is stored; fails with a PlatformError when the log cannot be written. */
  finish(runId: string): Promise<void> {
    for (const tail of this.#tails.values()) if (tail.file.runId === runId) tail.finishing = true;
    return this.#finishing.add(runId, () => this.#cannotWrite());
  }

  watch(): number {
    this.#live = new LiveSender(this.botId, (event) => this.#context.emit(event));
    this.ready();
    return this.#committedSeq;
  }

  unwatch(): void {
    this.#live = null;
  }

  acknowledge(): void {
    this.#live?.acknowledge();
  }

  get watched(): boolean {
    return this.#live !== null;
  }

  /** Another reader found the file damaged: it is set aside at once. */
  damaged(reason: string): void {
    this.#fail(Object.assign(new Error(reason), { code: 'SQLITE_CORRUPT' }));
    this.ready();
  }

  /** One step of retention; true when there is more to do. */
  retain(isGone: (path: string) => boolean): boolean {
    const session = this.#session;
    if (session === null) return false;
    this.rowsSinceRetention = 0;
    try {
      const more = session.retention.step(this.#context.retention, this.#context.now());
      if (!more) session.retention.sweepSpools((path) => !this.#tails.has(path) && isGone(path));
      return more;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  tails(): Iterable<SpoolTail> {
    return this.#tails.values();
  }

  report(message: string): void {
    this.#context.emit({ event: 'report', message, botId: this.botId });
  }

  close(): void {
    for (const tail of this.#tails.values()) tail.close();
    this.#tails.clear();
    this.#finishing.clear();
    this.#session?.close();
    this.#session = null;
  }

  /** Closes and removes the log for good. */
  remove(): void {
    this.close();
    removeLogDatabase(this.#file);
  }

  #open(now: number): void {
    const session = openLogSession({ file: this.#file, now, damage: this.#damage, memory: this.#memory });
    this.#session = session;
    this.#damage = null;
    this.#committedSeq = session.seq;
    this.#pending.seq = session.seq;
    this.#pending.ts = Math.max(this.#pending.ts, session.ts);
    for (const tail of this.#tails.values()) this.#restore(tail);
    if (session.setAside === null) return;
    const { path, reason } = session.setAside;
    const message = `The log database was damaged (${reason}). It was moved to ${path} and a fresh one was started.`;
    this.report(message);
    this.hostLine({ level: 'warn', message, runId: null });
  }

  #restore(tail: SpoolTail): void {
    const stored = this.#session?.spool(tail.file.path) ?? null;
    const row = stored ?? this.#committed.get(tail.file.path) ?? null;
    this.#guard(tail, () => tail.restore(row, this.#masker, this.#context.buffers));
    if (stored === null && row !== null) tail.dirty = true;
  }

  /** A file that cannot be read is reported; it is tried again with its next turn. */
  #guard(tail: SpoolTail, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.report(`${tail.file.path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #take(tail: SpoolTail, chunk: DecodedChunk, piece: Piece): void {
    const text =
      chunk.ascii === null
        ? chunk.bytes.toString('utf8', piece.start, piece.end)
        : chunk.ascii.slice(piece.start, piece.end);
    if (piece.inside === OUTSIDE && !piece.continued) {
      this.#pending.add(tail.file, takeLine(text, piece.flagged, tail.stream, this.#masker), false);
    } else {
      const level = piece.inside === OUTSIDE ? undefined : tail.level;
      const taken = takePiece(text, piece.flagged, piece.inside === HIDDEN, level, tail.stream);
      if (taken.kind === 'log') tail.level = taken.level;
      this.#pending.add(tail.file, taken, piece.continued);
    }
    // A failed commit moves all offsets back: what is left of this chunk will be read again.
    if (this.#pending.taken >= COMMIT_ROWS && !this.commit()) throw new TurnAbandoned();
  }

  #fail(error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    if (this.#session !== null) this.#memory = { seq: this.#committedSeq, ts: this.#pending.ts };
    try {
      this.#session?.close();
    } catch (closing) {
      this.report(`Closing the log database failed: ${String(closing)}`);
    }
    this.#session = null;
    this.#pending.discard();
    if (isDamaged(failure)) this.#damage = failure.message;
    // A damaged file is replaced at once; only when that fails too, waiting is all that is left.
    const wait = isDamaged(failure) && this.#failures === 0 ? 0 : RETRY_FIRST_MS * 2 ** Math.min(this.#failures, 10);
    this.#retryAt = performance.now() + Math.min(wait, RETRY_MAX_MS);
    if (this.#failure === null && !isDamaged(failure)) this.report(pauseMessage(failure));
    this.#failure = failure;
    this.#failures++;
  }

  #recovered(): void {
    if (this.#failure !== null && !isDamaged(this.#failure)) {
      const message = `The log was paused (${this.#failure.message}) and goes on; no line was lost.`;
      this.report(message);
      this.hostLine({ level: 'warn', message, runId: null });
    }
    this.#failure = null;
    this.#failures = 0;
  }

  #cannotWrite(): PlatformError | null {
    if (this.#failure === null) return null;
    const code = isDiskFull(this.#failure) ? 'STORAGE_FULL' : 'INTERNAL';
    return new PlatformError(code, `The bot's last output is not stored yet: ${this.#failure.message}`, {
      hint: 'It is kept in its spool file and stored as soon as the log can be written again.',
      cause: this.#failure,
    });
  }

  #settleFinished(): void {
    for (const [path, tail] of this.#tails) {
      if (!tail.drained || tail.dirty) continue;
      tail.close();
      this.#tails.delete(path);
      this.#committed.delete(path);
    }
    const open = new Set([...this.#tails.values()].map((tail) => tail.file.runId));
    for (const runId of this.#finishing.runs()) if (!open.has(runId)) this.#finishing.done(runId);
  }

  #giveBack(tail: SpoolTail): void {
    const range = tail.takePunchRange();
    if (range === null) return;
    const [from, to] = range;
    punchHole(tail.file.path, from, to, (message) => {
      if (message === null) return tail.punched(to);
      if (this.#saidNoSpace) return;
      this.#saidNoSpace = true;
      this.report(message);
      this.hostLine({ level: 'warn', message, runId: tail.file.runId });
    });
  }

  #warnOfSeries(session: LogSession): void {
    const { refusedSeries, refusedTypes } = session.writer;
    if (refusedSeries + refusedTypes === 0 || this.#saidTooManySeries) return;
    this.#saidTooManySeries = true;
    const message =
      'This bot emits too many different metric types, fields and symbols; further ones are stored without a chart.';
    this.hostLine({ level: 'warn', message, runId: null });
  }
}

function pauseMessage(failure: Error): string {
  const why = isDiskFull(failure) ? 'The disk is full' : `The log database cannot be written (${failure.message})`;
  return `${why}: the bot's output waits in its spool file and is stored as soon as writing works again.`;
}
