import { setImmediate } from 'node:timers/promises';
import { PlatformError } from '../../contract/errors.ts';
import type { QueryPoolInfo } from '../../contract/host.ts';
import { settlesWithin } from '../base/pause.ts';
import type { QueryRun } from './query-run.ts';
import { keyOf, Spare } from './spare.ts';
import { WarmAbility } from './warm-ability.ts';

export interface WarmPoolOptions {
  /** Programs that may wait at a time. */
  readonly maxWaiting?: number;
  /** Memory that they may take together. */
  readonly maxMemoryBytes?: number;
  /** A bot that is not asked for so long keeps no program, and no program gets older. */
  readonly idleMs?: number;
  /** A program that has not said for so long that it waits is not one that can. */
  readonly readyMs?: number;
  /** How often the programs are looked at. */
  readonly lookMs?: number;
  /** How long a new program waits for the end of those that it takes the place of. */
  readonly roomMs?: number;
  /** Told about faults in the background. */
  readonly report?: (where: string, error: unknown) => void;
}

const MOST_TOO_LARGE = 1000;
const MOST_ASKED = 100;
const DEFAULTS = {
  maxWaiting: 8,
  maxMemoryBytes: 512 * 1024 * 1024,
  idleMs: 2 * 60_000,
  readyMs: 30_000,
  lookMs: 5000,
  roomMs: 5000,
};

/**
 * Programs that wait for the next question to their bot, one a bot at most (architecture.md, decision 9). Each answers one
 * query and is thrown away. A program is only given out while it would answer as one that is started now: for the same
 * code, configuration, limits and engine, and a state that has not changed since before it was started.
 */
export class WarmPool {
  readonly #options: Required<Omit<WarmPoolOptions, 'report'>>;
  readonly #report: (where: string, error: unknown) => void;
  readonly #ability = new WarmAbility();
  /** By bot: what waits, or is about to. */
  readonly #spares = new Map<string, Spare>();
  /** Those, and all whose program or folder is not gone yet. */
  readonly #all = new Set<Spare>();
  /** By bot: what to start as soon as no program of the bot runs any more. */
  readonly #asked = new Map<string, { readonly run: QueryRun; readonly usedAt: number }>();
  /** Keys of programs that need more memory than all may have together. */
  readonly #tooLarge = new Set<string>();
  #looks: NodeJS.Timeout | null = null;
  #closed = false;

  constructor({ report, ...options }: WarmPoolOptions = {}) {
    this.#options = { ...DEFAULTS, ...options };
    this.#report = report ?? ((where, error) => process.emitWarning(`${where}: ${String(error)}`));
  }

  info(): QueryPoolInfo {
    const waiting = [...this.#spares.values()].filter((spare) => spare.isWaiting);
    return {
      waiting: waiting.length,
      limit: this.#options.maxWaiting,
      memory_bytes: waiting.reduce((sum, spare) => sum + spare.memoryBytes, 0),
      memory_limit_bytes: this.#options.maxMemoryBytes,
    };
  }

  /** A program that may be asked now; it is out of the pool from then on. Null when the query must start its own. */
  async take(run: QueryRun): Promise<Spare | null> {
    const { botId } = run.spec;
    const spare = this.#spares.get(botId);
    if (spare === undefined) return null;
    if (run.isAtRest?.() === false) {
      this.atWork(botId);
      return null;
    }
    const same =
      spare.isYoung(this.#options.idleMs) && spare.key === keyOf(run.spec) && spare.run.engine === run.engine;
    // One that is still being started is left to the next query.
    if (same && !spare.isWaiting && !spare.isLost) return null;
    this.#spares.delete(botId);
    try {
      if (same && (await spare.isFresh()) && run.isAtRest?.() !== false) return spare;
    } catch (error) {
      this.#report(`the state of ${botId} could not be looked at`, error);
    }
    this.#discard(spare);
    return null;
  }

  /** A program that was given out has answered, and ends by itself; or it has failed to, and is ended. */
  finished(spare: Spare, answered: boolean): void {
    this.#background(answered ? spare.leave() : spare.end(), spare);
  }

  /** Starts a program for the next question in the background, if it can wait and there is none. */
  refill(run: QueryRun): void {
    this.#start(run, performance.now()).catch((error: unknown) => this.#report('a query program', error));
  }

  /** A program of the bot begins to run: what waits ends, and is started again with the end of the run. */
  atWork(botId: string): void {
    const spare = this.#spares.get(botId);
    if (spare === undefined) return;
    this.#remember(spare.run, spare.usedAt);
    this.#discard(spare);
  }

  /** The bot's state may have changed: a program that has seen the old one makes room for a new one. */
  refresh(botId: string): void {
    this.#refresh(botId).catch((error: unknown) => this.#report(`the query program of ${botId}`, error));
  }

  /** Ends what waits for a bot, and what has answered for it; resolves when all of it is gone. */
  async drop(botId: string): Promise<void> {
    this.#asked.delete(botId);
    this.#spares.delete(botId);
    await Promise.all([...this.#all].filter((spare) => spare.botId === botId).map((spare) => this.#end(spare)));
  }

  /** Ends everything; resolves when all of it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#asked.clear();
    this.#spares.clear();
    this.#stopLooks();
    await Promise.all([...this.#all].map((spare) => this.#end(spare)));
  }

  /** Programs, of a bot or of all, whose end is not sure yet. */
  left(botId?: string): number {
    return [...this.#all].filter((spare) => botId === undefined || spare.botId === botId).length;
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
    if (another === undefined || this.#tooLarge.has(keyOf(spec)) || !(await this.#ability.canWait(spec))) return;
    // Nothing may happen between this look and the entry in the pool.
    if (this.#closed || this.#spares.has(spec.botId) || run.isThere?.() === false) return;
    if (run.isAtRest?.() === false) return this.#remember(run, usedAt);
    const own = another();
    if (own === null) return;
    this.#asked.delete(spec.botId);
    const spare = new Spare(run, own, usedAt);
    this.#spares.set(spec.botId, spare);
    this.#all.add(spare);
    const room = Promise.all(this.#overCount(spare).map((other) => this.#discard(other)));
    // An engine that does not answer keeps no other's programs from being started.
    await settlesWithin(this.#options.roomMs, room);
    await this.#open(spare);
  }

  async #open(spare: Spare): Promise<void> {
    try {
      const opened = await spare.open(this.#options.readyMs);
      if (opened === 'cannot wait') await this.#ability.cannotWait(spare.run.spec);
      if (opened !== 'waits') return void this.#discard(spare);
    } catch (error) {
      // What fails for want of something is tried again; anything else would fail after every query.
      const again = error instanceof PlatformError && error.retryAfter !== undefined;
      if (!again) await this.#ability.cannotWait(spare.run.spec);
      this.#report(`a query program of ${spare.botId} could not be started ahead of its question`, error);
      return void this.#discard(spare);
    }
    spare.onExit(() => this.#discard(spare));
    this.#keepMemory();
    this.#startLooks();
  }

  async #refresh(botId: string): Promise<void> {
    // Whoever tells of the end of a run has it in his books until he is done.
    await setImmediate();
    const spare = this.#spares.get(botId);
    const asked = this.#asked.get(botId);
    if (spare === undefined) {
      if (asked !== undefined && asked.usedAt >= performance.now() - this.#options.idleMs)
        await this.#start(asked.run, asked.usedAt);
      return;
    }
    // One that is being started may have seen the state of before; its failure is told where it was started.
    await spare.open(this.#options.readyMs).catch(() => undefined);
    if (this.#spares.get(botId) !== spare || (await spare.isFresh())) return;
    if (this.#spares.get(botId) !== spare) return;
    await this.#discard(spare);
    await this.#start(spare.run, spare.usedAt);
  }

  /** The longest unused of those over the number that may wait, never the newest. */
  #overCount(newest: Spare): Spare[] {
    return this.#longestUnused(newest).slice(0, Math.max(0, this.#spares.size - this.#options.maxWaiting));
  }

  #longestUnused(but: Spare | null): Spare[] {
    return [...this.#spares.values()].filter((spare) => spare !== but).sort((a, b) => a.usedAt - b.usedAt);
  }

  #keepMemory(): void {
    const { maxMemoryBytes } = this.#options;
    for (const spare of [...this.#spares.values()]) {
      if (spare.memoryBytes <= maxMemoryBytes) continue;
      if (this.#tooLarge.size >= MOST_TOO_LARGE) this.#tooLarge.clear();
      this.#tooLarge.add(spare.key);
      this.#discard(spare);
    }
    let sum = [...this.#spares.values()].reduce((bytes, spare) => bytes + spare.memoryBytes, 0);
    for (const spare of this.#longestUnused(null)) {
      if (sum <= maxMemoryBytes) return;
      sum -= spare.memoryBytes;
      if (spare.memoryBytes > 0) this.#discard(spare);
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
    for (const spare of [...this.#spares.values()]) {
      if (spare.usedAt < unused || spare.isLost) this.#discard(spare);
    }
    if (this.#spares.size === 0) this.#stopLooks();
    for (const spare of this.#spares.values()) {
      spare.measure().then(
        () => this.#keepMemory(),
        (error: unknown) => this.#report(`the query program of ${spare.botId} could not be measured`, error),
      );
    }
  }

  /** Takes it out of the pool and ends it; nobody has to wait. */
  #discard(spare: Spare): Promise<void> {
    if (this.#spares.get(spare.botId) === spare) this.#spares.delete(spare.botId);
    return this.#end(spare);
  }

  #end(spare: Spare): Promise<void> {
    return this.#background(spare.end(), spare);
  }

  async #background(ending: Promise<void>, spare: Spare): Promise<void> {
    try {
      await ending;
    } catch (error) {
      this.#report(`the rest of a query program of ${spare.botId}`, error);
    } finally {
      this.#all.delete(spare);
    }
  }
}
