import { existsSync } from 'node:fs';
import { PlatformError } from '../../../contract/errors.ts';
import type { LogLevel } from '../../../contract/telemetry.ts';
import type { LostPart } from './blocks/block-table.ts';
import { BotIngest, type IngestContext } from './bot-ingest.ts';
import { RetentionTurns } from './retention-turns.ts';
import type { SpoolTail } from './spool-tail.ts';
import type { SpoolFile } from './telemetry-types.ts';

/** Interval of reading a growing file, and the pulse of the loop. */
const PULSE_MS = 25;
/** Longest wait of a row for its transaction. */
const COMMIT_MS = 50;
/** Both while somebody watches the bot: people notice a longer wait, and a shorter one costs more than anybody sees. */
const WATCHED_MS = 20;
/** An unfinished traceback waits this long for its rest, to be stored as one entry: its writer may wait for a busy disk. */
const TRACE_MS = 1000;
/** Longest turn of the loop, so that calls from the host are answered during a flood, too. */
const BUDGET_MS = 20;
/** Intervals of reading a file that has been silent for at least `after`. */
const IDLE_STEPS = [
  { after: 60_000, every: 200 },
  { after: 5000, every: 100 },
  { after: 1000, every: 50 },
];
const READ_ERROR_WAIT_MS = 2000;

interface Watch {
  readonly bot: BotIngest;
  readonly tail: SpoolTail;
  nextAt: number;
  lastGrowth: number;
}

/**
 * The loop of the ingest worker: reads spool files in turn, commits, keeps retention. It is fair by construction: each
 * file gets at most one bounded read per turn, the longest waiting file goes first, and the output of a bot that writes
 * too fast stays unread in its file.
 */
export class IngestLoop {
  readonly #context: IngestContext;
  readonly #bots = new Map<string, BotIngest>();
  /** Bots with something to do in the next pulse, or soon: nearly all of many bots have not. */
  readonly #active = new Set<BotIngest>();
  readonly #removed = new Set<string>();
  readonly #watches = new Map<string, Watch>();
  /** Knows every bot that is there; most have no BotIngest before their first turn. */
  readonly #turns = new RetentionTurns();
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #ended = false;
  /** Bots whose logs an earlier host did not close, so that the ledger may lack their last rows; null: not asked yet. */
  #unsettled: string[] | null = null;
  #knowsBots = false;
  #bookTurn = 0;

  constructor(context: IngestContext) {
    this.#context = context;
  }

  openBot(botId: string, secrets: readonly string[]): void {
    this.#removed.delete(botId);
    this.#bot(botId)?.setSecrets(secrets);
    this.#wake();
  }

  /** Removes expired lines of these bots, whether or not their logs are ever opened. */
  know(botIds: readonly string[]): void {
    for (const botId of botIds) if (!this.#removed.has(botId)) this.#turns.add(botId, performance.now());
    this.#knowsBots = true;
    this.#wake();
  }

  /** Stops reading output until the shortage is over; rows read before are stored all the same. */
  shortageChanged(): void {
    for (const bot of this.#bots.values()) bot.tellShortage();
    for (const watch of this.#watches.values()) watch.nextAt = 0;
    this.#wake();
  }

  /** Retention may be shorter now: applied at once, as the user may need the space. */
  retentionChanged(): void {
    this.#turns.hurryAll();
    this.#wake();
  }

  attach(file: SpoolFile): void {
    const bot = this.#bot(file.botId);
    if (bot === null || this.#watches.has(file.path)) return;
    const tail = bot.attach(file);
    this.#watches.set(file.path, { bot, tail, nextAt: 0, lastGrowth: performance.now() });
    this.#wake();
  }

  unread(paths: readonly string[]): number {
    return paths.reduce((sum, path) => sum + (this.#watches.get(path)?.tail.unread() ?? 0), 0);
  }

  finish(botId: string, runId: string): Promise<void> {
    const bot = this.#known(botId);
    if (bot === null) return Promise.resolve();
    const done = bot.finish(runId);
    for (const watch of this.#watches.values()) if (watch.tail.finishing) watch.nextAt = 0;
    this.#wake();
    return done;
  }

  hostLine(botId: string, level: LogLevel, message: string, runId: string | null): void {
    this.#bot(botId)?.hostLine({ level, message, runId });
    this.#wake();
  }

  removeBot(botId: string): void {
    const bot = this.#bot(botId);
    bot?.remove();
    this.#removed.add(botId);
    this.#bots.delete(botId);
    if (bot !== null) this.#active.delete(bot);
    this.#turns.remove(botId);
    for (const [path, watch] of this.#watches) if (watch.bot.botId === botId) this.#watches.delete(path);
  }

  watch(botId: string): number {
    const seq = this.#bot(botId)?.watch() ?? 0;
    this.#wake();
    return seq;
  }

  unwatch(botId: string): void {
    this.#bots.get(botId)?.unwatch();
  }

  acknowledge(botId: string): void {
    this.#bots.get(botId)?.acknowledge();
  }

  /** The host has told of duplicates of orders up to a seq. */
  toldDuplicates(botId: string, upTo: number): void {
    this.#context.ledger.writer?.toldDuplicates(botId, upTo);
  }

  /** The books of a bot, for what people do with them. @throws PlatformError for a bot that is removed */
  books(botId: string): BotIngest['books'] {
    const bot = this.#bot(botId);
    if (bot === null) throw new PlatformError('BOT_NOT_FOUND');
    this.#wake();
    return bot.books;
  }

  /** Tells which books change, or no more. */
  watchLedger(isWatched: boolean): void {
    this.#context.ledger.changes.watch(isWatched);
  }

  damaged(botId: string, file: string, message: string): void {
    this.#known(botId)?.damaged(file, message);
    this.#wake();
  }

  lost(botId: string, file: string, lost: LostPart): void {
    this.#known(botId)?.lost(file, lost);
    this.#wake();
  }

  /** Commits the rows read so far and closes everything. */
  end(): void {
    this.#ended = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    for (const bot of this.#bots.values()) {
      if (bot.needsCommit) bot.commit();
      bot.close();
    }
    this.#context.ledger.takeWaiting();
    const booked = [...this.#bots.values()].filter((bot) => bot.isBooked);
    this.#context.ledger.close(booked.map(({ botId }) => botId));
    this.#bots.clear();
    this.#active.clear();
    this.#watches.clear();
  }

  /** Null for a removed bot: late output must not bring its files back. */
  #bot(botId: string): BotIngest | null {
    if (this.#removed.has(botId)) return null;
    let bot = this.#bots.get(botId);
    if (bot === undefined) {
      bot = new BotIngest(botId, this.#context, (one) => this.#active.add(one));
      this.#bots.set(botId, bot);
      this.#turns.add(botId, performance.now());
    }
    this.#active.add(bot);
    return bot;
  }

  /** Null for a bot that nobody has told of. */
  #known(botId: string): BotIngest | null {
    return this.#turns.has(botId) ? this.#bot(botId) : null;
  }

  #wake(): void {
    if (this.#ended || this.#immediate !== null) return;
    this.#immediate = setImmediate(() => this.#pulse());
  }

  #pulse(): void {
    this.#immediate = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const start = performance.now();
    const hurry = this.#readFiles(start);
    this.#commit(performance.now());
    const unbooked = this.#book(performance.now());
    this.#forgetDrained();
    this.#retain(performance.now());
    for (const bot of this.#active) if (bot.isAtRest) this.#active.delete(bot);
    if (this.#ended) return;
    if (hurry || unbooked) this.#wake();
    else this.#timer = setTimeout(() => this.#pulse(), this.#pause(performance.now()));
  }

  /** True when a file has more to read right now. */
  #readFiles(start: number): boolean {
    if (this.#context.shortage() !== null) return false;
    const due = [...this.#watches.values()].filter((watch) => watch.nextAt <= start);
    due.sort((a, b) => a.nextAt - b.nextAt);
    let more = false;
    for (const watch of due) {
      if (performance.now() - start > BUDGET_MS) return true;
      more = this.#turn(watch) || more;
    }
    return more;
  }

  #turn(watch: Watch): boolean {
    const now = performance.now();
    try {
      const turn = watch.bot.turn(watch.tail);
      if (turn === 'more') {
        watch.nextAt = now + watch.bot.pause;
        watch.lastGrowth = now;
        return watch.bot.pause === 0;
      }
      if (turn === 'read') watch.lastGrowth = now;
      watch.nextAt = now + Math.max(this.#interval(watch, now), watch.bot.pause);
    } catch (error) {
      watch.bot.report(`${watch.tail.file.path} cannot be read: ${String(error)}. Trying again.`);
      watch.nextAt = now + READ_ERROR_WAIT_MS;
    }
    return false;
  }

  #interval(watch: Watch, now: number): number {
    if (watch.bot.watched) return WATCHED_MS;
    if (watch.tail.finishing) return PULSE_MS;
    const silent = now - watch.lastGrowth;
    return IDLE_STEPS.find((step) => silent >= step.after)?.every ?? PULSE_MS;
  }

  #commit(now: number): void {
    for (const bot of this.#active) {
      if (!bot.needsCommit) continue;
      const isDue = bot.isInTrace
        ? now - Math.max(bot.waitsSince, bot.lastCommit) >= TRACE_MS
        : now - bot.lastCommit >= (bot.watched ? WATCHED_MS : COMMIT_MS);
      if (isDue || bot.isFull) bot.commit();
    }
  }

  /** Gives the ledger rows that it missed; true when there is more to do at once. */
  #book(start: number): boolean {
    this.#context.ledger.tick(performance.now());
    this.#openUnsettled();
    for (const bot of this.#active) bot.tellDuplicates(start);
    const behind = [...this.#active].filter((bot) => bot.isUnbooked);
    // Each in its turn, in turns of its own: reading files may have used up the time of the others.
    const first = behind.length === 0 ? 0 : this.#bookTurn++ % behind.length;
    for (const bot of [...behind.slice(first), ...behind.slice(0, first)]) {
      while (bot.book()) if (performance.now() - start > BUDGET_MS) return true;
    }
    return false;
  }

  /** Opens the next log that an earlier host did not close: the ledger then catches up with it. */
  #openUnsettled(): void {
    if (!this.#knowsBots) return;
    this.#unsettled ??= this.#context.ledger.unsettled();
    const botId = this.#unsettled?.pop();
    const bot = botId === undefined ? null : this.#known(botId);
    // Its log cannot be opened now: it is tried again after the others.
    if (bot !== null && !bot.ready()) this.#unsettled?.unshift(bot.botId);
  }

  #forgetDrained(): void {
    for (const [path, watch] of this.#watches) {
      if (watch.tail.drained && !watch.tail.dirty && watch.tail.closed) this.#watches.delete(path);
    }
  }

  /** One step of one bot per pulse: the next batch never waits long. */
  #retain(now: number): void {
    for (const bot of this.#active) if (bot.retentionDue) this.#turns.hurry(bot.botId);
    const botId = this.#turns.next(now);
    if (botId === null) return;
    const more = this.#bot(botId)?.retain((path) => !existsSync(path)) ?? false;
    this.#turns.done(botId, more, now);
  }

  /** Time until the next task. Without files, only waiting commits and retention are left. */
  #pause(now: number): number {
    let next = now + 1000;
    if (this.#unsettled !== null && this.#unsettled.length > 0) next = now + PULSE_MS;
    const reads = this.#context.shortage() === null;
    if (reads) for (const watch of this.#watches.values()) next = Math.min(next, watch.nextAt);
    next = Math.min(next, Math.max(this.#turns.nextAt, now + PULSE_MS));
    for (const bot of this.#active) {
      if (bot.needsCommit || bot.retentionDue || bot.isUnbooked)
        next = Math.min(next, now + (bot.watched ? WATCHED_MS : PULSE_MS));
    }
    return Math.max(1, next - now);
  }
}
