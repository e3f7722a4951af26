import { setImmediate } from 'node:timers/promises';
import { PlatformError } from '../../../contract/errors.ts';
import type { QueryPoolInfo } from '../../../contract/host.ts';
import { settlesWithin } from '../../../node/bounded-wait.ts';
import type { UnitSpec } from '../engine/engine.ts';
import { keyOf, PrewarmedProcess } from './prewarmed-process.ts';
import type { QueryRun } from './query-run.ts';

export interface WarmPoolOptions {
  /** Limit of programs that wait at the same time. */
  readonly maxWaiting?: number;
  /** Limit of memory of all waiting programs together. */
  readonly maxMemoryBytes?: number;
  /** Time after which a bot without queries loses its program, and maximum age of a program. */
  readonly idleMs?: number;
  /** Time within which a program must report; one that does not cannot wait. */
  readonly readyMs?: number;
  /** Interval of checks. */
  readonly lookMs?: number;
  /** Time for which a new program waits for the end of those that it replaces. */
  readonly roomMs?: number;
  /** Receives errors of background work. */
  readonly report?: (where: string, error: unknown) => void;
}

const MOST_UNFIT = 1000;
const MOST_ASKED = 100;
const DEFAULTS = {
  maxWaiting: 8,
  maxMemoryBytes: 512 * 1024 * 1024,
  idleMs: 2 * 60_000,
  readyMs: 30_000,
  lookMs: 5000,
  roomMs: 5000,
};

/** The program of a spec, whatever its configuration. Content of the same hash is the same program. */
const programOf = ({ runtime, entry, code }: UnitSpec): string => [runtime, entry, code.dir, code.hash].join('\0');

/**
 * Programs that wait for the next question to their bot, at most one for each bot. Each answers one query and is
 * discarded. The pool returns a program only while it would answer like one started now: for the same code,
 * configuration, limits and engine, and a state unchanged since before its start.
 */
export class WarmPool {
  readonly #options: Required<Omit<WarmPoolOptions, 'report'>>;
  readonly #report: (where: string, error: unknown) => void;
  /** The waiting or starting program of each bot. */
  readonly #prewarmed = new Map<string, PrewarmedProcess>();
  /** Those programs, and all others whose program or folder still exists. */
  readonly #all = new Set<PrewarmedProcess>();
  /** Runs whose program is to be started once no program of the bot runs, by bot. */
  readonly #asked = new Map<string, { readonly run: QueryRun; readonly usedAt: number }>();
  /** Programs that did not wait, and keys of those that need more memory than all programs may use together. */
  readonly #unfit = new Set<string>();
  #looks: NodeJS.Timeout | null = null;
  #closed = false;

  constructor({ report, ...options }: WarmPoolOptions = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.#report = report ?? ((where, error) => process.emitWarning(`${where}: ${String(error)}`));
  }

  info(): QueryPoolInfo {
    const waiting = [...this.#prewarmed.values()].filter((prewarmed) => prewarmed.isWaiting);
    return {
      waiting: waiting.length,
      limit: this.#options.maxWaiting,
      memory_bytes: waiting.reduce((sum, prewarmed) => sum + prewarmed.memoryBytes, 0),
      memory_limit_bytes: this.#options.maxMemoryBytes,
    };
  }

  /** Takes a usable program out of the pool; null when the query must start its own program. */
  async take(run: QueryRun): Promise<PrewarmedProcess | null> {
    const { botId } = run.spec;
    const prewarmed = this.#prewarmed.get(botId);
    if (prewarmed === undefined) return null;
    if (run.isAtRest?.() === false) {
      this.atWork(botId);
      return null;
    }
    const same =
      prewarmed.isYoung(this.#options.idleMs) &&
      prewarmed.key === keyOf(run.spec) &&
      prewarmed.run.engine === run.engine;
    // The next query takes a program that is still starting.
    if (same && !prewarmed.isWaiting && !prewarmed.isLost) return null;
    this.#prewarmed.delete(botId);
    try {
      if (same && (await prewarmed.isFresh()) && run.isAtRest?.() !== false) return prewarmed;
    } catch (error) {
      this.#report(`the state of ${botId} could not be looked at`, error);
    }
    this.#discard(prewarmed);
    return null;
  }

  /** Handles a program that was taken from the pool: one that has answered ends by itself, one that failed is ended. */
  finished(prewarmed: PrewarmedProcess, answered: boolean): void {
    this.#background(answered ? prewarmed.leave() : prewarmed.end(), prewarmed);
  }

  /** Starts a program for the next question in the background, if the bot supports it and has none. */
  refill(run: QueryRun): void {
    this.#start(run, performance.now()).catch((error: unknown) => this.#report('a query program', error));
  }

  /** Tells that a program of the bot starts: its waiting program ends, and is replaced after the run. */
  atWork(botId: string): void {
    const prewarmed = this.#prewarmed.get(botId);
    if (prewarmed === undefined) return;
    this.#remember(prewarmed.run, prewarmed.usedAt);
    this.#discard(prewarmed);
  }

  /** Tells that the bot's state may have changed: a program that has seen the old state is replaced. */
  refresh(botId: string): void {
    this.#refresh(botId).catch((error: unknown) => this.#report(`the query program of ${botId}`, error));
  }

  /** Ends a bot's waiting program and those that have answered; resolves when all are gone. */
  async drop(botId: string): Promise<void> {
    this.#asked.delete(botId);
    this.#prewarmed.delete(botId);
    await Promise.all(
      [...this.#all].filter((prewarmed) => prewarmed.botId === botId).map((prewarmed) => this.#end(prewarmed)),
    );
  }

  /** Ends all programs; resolves when all are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#asked.clear();
    this.#prewarmed.clear();
    this.#stopLooks();
    await Promise.all([...this.#all].map((prewarmed) => this.#end(prewarmed)));
  }

  /** Returns the number of programs, of a bot or of all, that may still run. */
  left(botId?: string): number {
    return [...this.#all].filter((prewarmed) => botId === undefined || prewarmed.botId === botId).length;
  }

  #remember(run: QueryRun, usedAt: number): void {
    const { botId } = run.spec;
    this.#asked.delete(botId);
    this.#asked.set(botId, { run, usedAt });
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MOST_ASKED && oldest !== undefined) this.#asked.delete(oldest);
  }

  async #start(run: QueryRun, usedAt: number): Promise<void> {
    const { another, spec } = run;
    if (another === undefined || this.#unfit.has(keyOf(spec)) || this.#unfit.has(programOf(spec))) return;
    if (this.#closed || this.#prewarmed.has(spec.botId) || run.isThere?.() === false) return;
    if (run.isAtRest?.() === false) return this.#remember(run, usedAt);
    const own = another();
    if (own === null) return;
    this.#asked.delete(spec.botId);
    const prewarmed = new PrewarmedProcess(run, own, usedAt);
    this.#prewarmed.set(spec.botId, prewarmed);
    this.#all.add(prewarmed);
    const room = Promise.all(this.#overCount(prewarmed).map((other) => this.#discard(other)));
    // A silent engine must not block other engines' programs.
    await settlesWithin(this.#options.roomMs, room);
    await this.#open(prewarmed);
  }

  async #open(prewarmed: PrewarmedProcess): Promise<void> {
    try {
      const opened = await prewarmed.open(this.#options.readyMs);
      if (opened === 'cannot wait') this.#notAgain(programOf(prewarmed.run.spec));
      if (opened !== 'waits') return void this.#discard(prewarmed);
    } catch (error) {
      // Shortages pass and are retried; any other error would recur after every query.
      const again = error instanceof PlatformError && error.retryAfter !== undefined;
      if (!again) this.#notAgain(programOf(prewarmed.run.spec));
      this.#report(`a query program of ${prewarmed.botId} could not be started ahead of its question`, error);
      return void this.#discard(prewarmed);
    }
    prewarmed.onExit(() => this.#discard(prewarmed));
    this.#keepMemory();
    this.#startLooks();
  }

  #notAgain(key: string): void {
    if (this.#unfit.size >= MOST_UNFIT) this.#unfit.clear();
    this.#unfit.add(key);
  }

  async #refresh(botId: string): Promise<void> {
    // The caller that reports a run's end still lists the run until it is done.
    await setImmediate();
    const prewarmed = this.#prewarmed.get(botId);
    const asked = this.#asked.get(botId);
    if (prewarmed === undefined) {
      if (asked !== undefined && asked.usedAt >= performance.now() - this.#options.idleMs)
        await this.#start(asked.run, asked.usedAt);
      return;
    }
    // A starting program may have seen the old state; its starter reports its failure.
    await prewarmed.open(this.#options.readyMs).catch(() => undefined);
    if (this.#prewarmed.get(botId) !== prewarmed || (await prewarmed.isFresh())) return;
    if (this.#prewarmed.get(botId) !== prewarmed) return;
    await this.#discard(prewarmed);
    await this.#start(prewarmed.run, prewarmed.usedAt);
  }

  /** Returns the longest unused programs beyond the limit, never the newest. */
  #overCount(newest: PrewarmedProcess): PrewarmedProcess[] {
    return this.#longestUnused(newest).slice(0, Math.max(0, this.#prewarmed.size - this.#options.maxWaiting));
  }

  #longestUnused(but: PrewarmedProcess | null): PrewarmedProcess[] {
    return [...this.#prewarmed.values()].filter((prewarmed) => prewarmed !== but).sort((a, b) => a.usedAt - b.usedAt);
  }

  #keepMemory(): void {
    const { maxMemoryBytes } = this.#options;
    for (const prewarmed of [...this.#prewarmed.values()]) {
      if (prewarmed.memoryBytes <= maxMemoryBytes) continue;
      this.#notAgain(prewarmed.key);
      this.#discard(prewarmed);
    }
    let sum = [...this.#prewarmed.values()].reduce((bytes, prewarmed) => bytes + prewarmed.memoryBytes, 0);
    for (const prewarmed of this.#longestUnused(null)) {
      if (sum <= maxMemoryBytes) return;
      sum -= prewarmed.memoryBytes;
      if (prewarmed.memoryBytes > 0) this.#discard(prewarmed);
    }
  }

  #startLooks(): void {
    if (this.#closed || this.#looks !== null) return;
    this.#looks = setInterval(() => this.#look(), this.#options.lookMs);
    this.#looks.unref();
  }

  #stopLooks(): void {
    if (this.#looks !== null) clearInterval(this.#looks);
    this.#looks = null;
  }

  #look(): void {
    const unused = performance.now() - this.#options.idleMs;
    for (const prewarmed of [...this.#prewarmed.values()]) {
      if (prewarmed.usedAt < unused || prewarmed.isLost) this.#discard(prewarmed);
    }
    if (this.#prewarmed.size === 0) this.#stopLooks();
    for (const prewarmed of this.#prewarmed.values()) {
      prewarmed.measure().then(
        () => this.#keepMemory(),
        (error: unknown) => this.#report(`the query program of ${prewarmed.botId} could not be measured`, error),
      );
    }
  }

  /** Removes a program from the pool and ends it; no caller has to wait. */
  #discard(prewarmed: PrewarmedProcess): Promise<void> {
    if (this.#prewarmed.get(prewarmed.botId) === prewarmed) this.#prewarmed.delete(prewarmed.botId);
    return this.#end(prewarmed);
  }

  #end(prewarmed: PrewarmedProcess): Promise<void> {
    return this.#background(prewarmed.end(), prewarmed);
  }

  async #background(ending: Promise<void>, prewarmed: PrewarmedProcess): Promise<void> {
    try {
      await ending;
    } catch (error) {
      this.#report(`the rest of a query program of ${prewarmed.botId}`, error);
    } finally {
      this.#all.delete(prewarmed);
    }
  }
}
