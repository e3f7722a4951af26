import { PlatformError } from '../../../contract/errors.ts';
import { damage } from '../../../node/storage-error.ts';
import { errorText } from '../../../node/system-error.ts';
import type { LostPart } from './blocks/block-table.ts';
import { lostMessage } from './blocks/lost-message.ts';
import { BotFeed } from './bot-feed.ts';
import { BotLog } from './bot-log.ts';
import { mayBeJson } from './classify-json-line.ts';
import { type BotMasker, createBotMasker } from './create-bot-masker.ts';
import type { LedgerFeed } from './ledger-feed.ts';
import { takeLine, takePiece } from './line-intake.ts';
import { HIDDEN, OUTSIDE, type Piece } from './line-splitter.ts';
import { LiveSender } from './live-sender.ts';
import { LOST_STATE } from './log-database.ts';
import { LogRetention, type Retention } from './log-retention.ts';
import { isBusy, logFolder, removeLog, segmentNumber, segmentsIn } from './log-segments.ts';
import type { LogSession } from './log-session.ts';
import { MaskBudget } from './mask-budget.ts';
import { NewestSegment } from './newest-segment.ts';
import { type HostLine, PendingRows } from './pending-rows.ts';
import { punchHole } from './punch-hole.ts';
import type { OpenLogs } from './segment-set.ts';
import type { DecodedChunk, ReadBuffers, SpoolTail, Turn } from './spool-tail.ts';
import { SpoolTails } from './spool-tails.ts';
import { StoredOutputWaiters } from './stored-output-waiters.ts';
import type { SpoolFile } from './telemetry-types.ts';
import type { WorkerEvent } from './worker-protocol.ts';
import { WriteFailures } from './write-failures.ts';

/** Limits of one transaction: two compressed blocks. Larger ones gain little and delay live readers. */
const COMMIT_ROWS = 8000;
const COMMIT_BYTES = 4 * 1024 * 1024;

export interface IngestContext {
  readonly dataDir: string;
  /** Keeps masked ids of rows of the ledger different (createBotMasker). */
  readonly rowKey: string;
  retention(): Retention;
  /** Returns the reason for which the host stores no more lines now; null while there is space. */
  shortage(): string | null;
  readonly buffers: ReadBuffers;
  readonly ledger: LedgerFeed;
  /** Connections to logs as they are stored, from which the ledger catches up. */
  readonly logs: OpenLogs;
  now(): number;
  emit(event: WorkerEvent): void;
}

class TurnAbandoned extends Error {
  override readonly name = 'TurnAbandoned';
}

/**
 * The output of one bot on its way into the newest segment of its log. One transaction stores rows, counters and spool
 * offsets; when it fails, all of them are dropped from memory and read again from the spool files, so no failure needs
 * its own repair. Live readers get rows only after the commit.
 */
export class BotIngest {
  readonly botId: string;
  readonly #context: IngestContext;
  readonly #onWork: (bot: BotIngest) => void;
  readonly #dir: string;
  readonly #newest: NewestSegment;
  readonly #retention: LogRetention;
  readonly #tails: SpoolTails;
  readonly #finishing = new StoredOutputWaiters();
  readonly #pending = new PendingRows();
  readonly #budget = new MaskBudget();
  readonly #failures = new WriteFailures();
  readonly #feed: BotFeed;
  /** Lost parts that were told of. */
  readonly #lost = new Set<string>();
  #masker: BotMasker;
  #committedSeq = 0;
  #live: LiveSender | null = null;
  #saidTooManySeries = false;
  #saidNoSpace = false;
  /** Time of the last commit, and of the first row that waits since, by performance.now(). */
  lastCommit = 0;
  waitsSince = 0;
  /**
   * Set when a segment was closed: retention then checks at once, because a flood fills the space long before its next
   * turn.
   */
  retentionDue = false;

  /** `onWork` is called when something came up that waits for the next commit: the bot may have been at rest. */
  constructor(botId: string, context: IngestContext, onWork: (bot: BotIngest) => void = () => undefined) {
    this.botId = botId;
    this.#context = context;
    this.#onWork = onWork;
    this.#dir = logFolder(context.dataDir, botId);
    this.#tails = new SpoolTails(context.buffers, (message) => this.report(message));
    this.#newest = new NewestSegment(this.#dir, {
      onLost: (file, lost) => this.lost(file, lost),
      factsOf: (runId) => this.#tails.factsOf(runId),
    });
    this.#retention = new LogRetention(this.#dir, {
      warn: (message) => this.#warn(message),
      release: () => context.emit({ event: 'release', botId }),
      hasTaken: (seq) => this.#feed.hasTaken(seq),
    });
    const stored = new BotLog(this.#dir, context.logs);
    this.#feed = new BotFeed({
      botId,
      ledger: context.ledger,
      log: () => (stored.refresh() ? stored : null),
      report: (message) => this.report(message),
      damaged: (file, message) => this.damaged(file, message),
      duplicates: (orders) => context.emit({ event: 'duplicates', botId, orders }),
    });
    this.#masker = createBotMasker([]);
  }

  setSecrets(secrets: readonly string[]): void {
    this.#masker = createBotMasker(secrets, this.#context.rowKey);
    this.ready();
    this.#tails.useMasker(this.#masker);
  }

  attach(file: SpoolFile): SpoolTail {
    const known = this.#tails.find(file.path);
    if (known !== undefined) return known;
    const tail = this.#tails.add(file, this.#masker);
    if (this.ready()) this.#tails.restore(tail, this.#newest.session, this.#masker);
    return tail;
  }

  /** Opens the database unless it is open; false if that must wait or fails. */
  ready(): boolean {
    if (this.#newest.session !== null) return true;
    if (this.#failures.mustWait) return false;
    try {
      this.#open(this.#context.now());
    } catch (error) {
      // Windows: a damaged file cannot be set aside while a reader has it open.
      if (isBusy(error)) this.#context.emit({ event: 'release', botId: this.botId });
      this.#fail(error);
      return false;
    }
    return true;
  }

  hostLine(line: HostLine): void {
    this.#pending.addHostLine(line);
    this.#onWork(this);
  }

  /** Reads the new part of one file of this bot. */
  turn(tail: SpoolTail): Turn {
    if (!this.ready()) return 'idle';
    // The host's lines from before this turn precede the bot's lines of the turn.
    this.#takeHostLines();
    this.#pending.tick(this.#context.now());
    const spent = this.#masker.spentMs;
    if (this.pendingRows === 0) this.waitsSince = performance.now();
    try {
      const turn = tail.turn(this.#masker, this.#context.buffers, {
        piece: (from, chunk, piece) => this.#take(from, chunk, piece),
        report: (message) => this.report(message),
      });
      // The next turn reads into the same buffer.
      this.#pending.logs.settle();
      return turn;
    } catch (error) {
      if (error instanceof TurnAbandoned) return 'idle';
      this.#takeBack();
      throw error;
    } finally {
      if (tail.takeStrange())
        this.#warn(`${tail.file.path} is no regular file any more, or closed to the host: what it held is lost.`);
      this.#budget.spend(this.#masker.spentMs - spent, performance.now());
    }
  }

  /** Time in ms that the bot's files must wait for their next turn, because its lines are slow to mask. */
  get pause(): number {
    return this.#budget.pause;
  }

  get pendingRows(): number {
    return this.#pending.count;
  }

  /** True if the rows that wait are as many as one transaction takes. */
  get isFull(): boolean {
    return this.#pending.taken >= COMMIT_ROWS || this.#pending.bytes >= COMMIT_BYTES;
  }

  /** True if the newest line is inside a traceback, whose rest is probably being written now: not at the end of its file. */
  get isInTrace(): boolean {
    const file = this.#pending.traceFile;
    return file !== null && this.#tails.find(file.path)?.drained === false;
  }

  get needsCommit(): boolean {
    if (this.pendingRows > 0 || this.#finishing.runs().size > 0) return true;
    return this.#tails.dirty().length > 0;
  }

  /** True if there is nothing to do for this bot before somebody calls: no file to follow, no row, no reader, no booking. */
  get isAtRest(): boolean {
    if (this.watched || this.retentionDue || this.needsCommit) return false;
    return this.#tails.isEmpty && this.#feed.isAtRest;
  }

  /** Commits the rows read so far, then informs live readers and callers of finish. False when the commit failed. */
  commit(): boolean {
    if (!this.ready()) return false;
    const { session } = this.#newest;
    if (session === null) return false;
    const pending = this.#pending;
    this.#takeHostLines();
    const dirty = this.#tails.dirty();
    const spools = dirty.map((tail) => tail.row());
    const { logs, metrics, dropped, told, seq, ts } = pending;
    const first = this.#committedSeq + 1;
    if (logs.count + metrics.length + spools.length + dropped > 0) {
      try {
        session.writer.write({ logs, metrics, spools, dropped, told, seq, ts });
      } catch (error) {
        this.#fail(error);
        return false;
      }
    }
    this.#committedSeq = seq;
    this.#feed.committed(seq, pending.ledger);
    this.lastCommit = performance.now();
    this.#tails.committed(spools);
    for (const tail of dirty) tail.dirty = false;
    try {
      if (seq >= first) this.#live?.send(first, seq, logs, metrics);
    } finally {
      pending.committed();
    }
    this.#tell(this.#failures.clear());
    for (const tail of dirty) this.#giveBack(tail);
    this.#settleFinished();
    this.#warnOfSeries(session);
    if (this.#newest.isGrown(this.#context.retention())) this.#followNewest();
    return this.#newest.session !== null;
  }

  /**
   * Resolves when all output of the run is stored; rejects with a PlatformError when the log cannot be written, at once
   * while space is short.
   */
  finish(runId: string): Promise<void> {
    for (const tail of this.#tails) if (tail.file.runId === runId) tail.finishing = true;
    const shortage = this.#context.shortage();
    if (shortage !== null) return Promise.reject(new PlatformError('STORAGE_FULL', shortage));
    return this.#finishing.add(runId, () => this.#cannotWrite());
  }

  /** Logs for the bot that its lines wait, or that they are stored again, if any were waiting. */
  tellShortage(): void {
    if (this.#tails.isEmpty) return;
    const message =
      this.#context.shortage() ??
      'There is space again: what this bot said meanwhile is being stored; no line was lost.';
    this.hostLine({ level: 'warn', message, runId: null });
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

  /** Sets aside a file that a reader found damaged, at once. */
  damaged(file: string, reason: string): void {
    const number = segmentNumber(file);
    try {
      if (number === null) this.#retention.setRollupsAside(reason, this.#context.now());
      else if (number !== segmentsIn(this.#dir).at(-1)) this.#retention.setAside(number, reason, this.#context.now());
      else {
        this.#fail(damage(reason));
        this.#newest.condemn(number, reason);
      }
    } catch (error) {
      this.report(`${file} is damaged (${reason}) and cannot be put aside: ${errorText(error)}`);
    }
    this.ready();
  }

  /** Says in the log that a part of it is lost: once, also when another host goes on with it. */
  lost(file: string, lost: LostPart): void {
    const tells = `${LOST_STATE}${file} ${lost.kind} ${lost.after}`;
    if (this.#lost.has(tells)) return;
    this.#lost.add(tells);
    const message = lostMessage(file, lost);
    this.report(message);
    this.hostLine({ level: 'warn', message, runId: null, tells });
  }

  /** Does one step of retention; true when there is more to do. Works also while no lines can be stored. */
  retain(isGone: (path: string) => boolean): boolean {
    this.retentionDue = false;
    const { now, retention } = this.#context;
    try {
      if (this.#retention.step(retention(), now())) return true;
      // The log of an idle bot is opened as late as possible.
      if (this.#newest.session === null && !this.#retention.isPast(retention(), now())) return false;
    } catch (error) {
      this.report(`Old lines cannot be removed: ${errorText(error)}`);
      return false;
    }
    if (!this.ready()) return false;
    try {
      if (this.#newest.isFull(retention(), now())) this.#followNewest();
      else this.#newest.session?.sweepSpools((path) => !this.#tails.has(path) && isGone(path));
    } catch (error) {
      this.#fail(error);
    }
    return false;
  }

  /** True while the ledger lacks rows of this log. */
  get isUnbooked(): boolean {
    return this.#feed.hasWork;
  }

  /** True if the ledger has everything of this log. */
  get isBooked(): boolean {
    return this.#feed.isSettled;
  }

  /** Tells of orders that repeat others. */
  readonly tellDuplicates = (now: number): void => this.#feed.tellDuplicates(now);

  /** Gives the ledger the next rows that it missed; true when there is more to do at once. */
  book(): boolean {
    return this.ready() && this.#feed.step();
  }

  /** The books of this bot, for what people do with them. */
  get books(): Pick<BotFeed, 'rebuild' | 'setMethod' | 'erase'> {
    return this.#feed;
  }

  report(message: string): void {
    this.#context.emit({ event: 'report', message, botId: this.botId });
  }

  close(): void {
    this.#tails.close();
    this.#finishing.clear();
    this.#newest.close();
  }

  /** Closes and removes the log for good. @throws Error while the ledger cannot take what it has */
  remove(): void {
    this.#feed.drain();
    this.close();
    removeLog(this.#dir);
  }

  #open(now: number): void {
    const session = this.#newest.open(now, (path, reason) =>
      this.#warn(`The log database was damaged (${reason}). It was moved to ${path} and a fresh one was started.`),
    );
    this.#committedSeq = this.#feed.open(session.seq, now);
    this.#pending.seq = this.#committedSeq;
    this.#pending.ts = Math.max(this.#pending.ts, session.ts);
    this.#tails.restoreAll(session, this.#masker);
  }

  #followNewest(): void {
    try {
      if (this.#newest.follow()) this.retentionDue = true;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Drops the rows that wait, one of which may be cut short, and goes back to what is stored of the files. */
  #takeBack(): void {
    this.#pending.discard();
    this.#pending.seq = this.#committedSeq;
    this.#tails.restoreAll(this.#newest.session, this.#masker);
  }

  #takeHostLines(): void {
    const { session } = this.#newest;
    this.#pending.takeHostLines(this.#masker, this.#context.now(), (key) => session?.hasTold(key) ?? false);
  }

  #warn(message: string): void {
    this.report(message);
    this.hostLine({ level: 'warn', message, runId: null });
  }

  #take(tail: SpoolTail, chunk: DecodedChunk, piece: Piece): void {
    const text = chunk.text.slice(piece.start, piece.end);
    if (piece.inside === OUTSIDE && !piece.continued) {
      const isWhole = piece.next > piece.end;
      if (isWhole && chunk.isText && !piece.flagged && !tail.stream.open && !mayBeJson(text)) {
        this.#pending.addPlain(tail.file, text, chunk.bytes, piece);
      } else this.#pending.add(tail.file, takeLine(text, piece.flagged, tail.stream, this.#masker), false);
    } else {
      const level = piece.inside === OUTSIDE ? undefined : tail.level;
      const taken = takePiece(text, piece.flagged, piece.inside === HIDDEN, level, tail.stream);
      if (taken.kind === 'log') tail.level = taken.level;
      this.#pending.add(tail.file, taken, piece.continued);
    }
    // A failed commit moves all offsets back: the rest of this chunk will be read again.
    if (this.isFull && !this.commit()) throw new TurnAbandoned();
  }

  #fail(error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    const position = { seq: this.#committedSeq, ts: this.#pending.ts };
    this.#newest.giveUp(failure, position, (message) => this.report(message));
    this.#pending.discard();
    const told = this.#failures.add(failure);
    if (told !== null) this.report(told);
  }

  /** Says something in the log and to the host, if there is something to say. */
  #tell(message: string | null): void {
    if (message !== null) this.#warn(message);
  }

  #cannotWrite(): PlatformError | null {
    const shortage = this.#context.shortage();
    if (shortage !== null) return new PlatformError('STORAGE_FULL', shortage);
    return this.#failures.reason;
  }

  #settleFinished(): void {
    const open = this.#tails.closeDrained();
    for (const runId of this.#finishing.runs()) if (!open.has(runId)) this.#finishing.done(runId);
  }

  #giveBack(tail: SpoolTail): void {
    const { fd } = tail;
    const range = fd === null ? null : tail.takePunchRange();
    if (fd === null || range === null) return;
    const [from, to] = range;
    punchHole(fd, from, to, (problem) => {
      if (problem === null) return tail.punched(to);
      if (this.#saidNoSpace) return;
      this.#saidNoSpace = true;
      const message = `Consumed output in ${tail.file.path} could not be given back to the disk: ${problem}`;
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
