import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { type IsolationException, type IsolationLevel, isBelow } from '../../../contract/isolation.ts';
import { noEngine } from '../../../shared/allowed-engines.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { Engines } from '../engine/engines.ts';

type Stored = BotRow['isolationException'];

/** The part of a changed bot that concerns its isolation. */
interface Changed {
  readonly engine: string;
  readonly version: string;
  readonly enabled: boolean;
}

/**
 * The least isolation of a host. Everything that starts a program of a bot asks here first: only a bot with a stored
 * exception runs with less.
 */
export class Isolation {
  readonly least: IsolationLevel;
  readonly #engines: Engines;

  constructor(least: IsolationLevel, engines: Engines) {
    this.least = least;
    this.#engines = engines;
  }

  /** A note for the start of the host: why no engine that isolates enough can be used; null when one can. */
  async unmet(): Promise<string | null> {
    return this.least === 'none'
      ? null
      : noEngine({ engines: await this.#engines.probe(), least_isolation: this.least });
  }

  /**
   * Has an engine tried again that isolates too little, before a start is refused for that; without a name every one. How often that
   * may be, the engine decides.
   */
  async retry(engine?: string): Promise<void> {
    await this.#engines.retry(this.least, engine);
  }

  /** True when an engine isolates less than this host demands. One that this host does not have isolates nothing. */
  isBelow(engine: string): boolean {
    return isBelow(this.levelOf(engine), this.least);
  }

  /** Throws ISOLATION_REQUIRED when a new bot would run on an engine that isolates too little. */
  checkNew(engine: string): void {
    if (!this.isBelow(engine)) return;
    throw this.#refusal(
      `A bot on engine ${engine}`,
      `Leave options.engine out, or set it to ${this.#enough()}. ${LOWER_IT}`,
    );
  }

  /** Throws ISOLATION_REQUIRED when a program of this bot must not be started. */
  checkStart({ name, engine, isolationException }: BotRow): void {
    if (isolationException !== null || !this.isBelow(engine)) return;
    throw this.#refusal(`${name} on engine ${engine}`, this.#wayOut(), this.#againAfter(engine));
  }

  /**
   * The exception that a bot has after a change: none once its engine isolates enough. Throws ISOLATION_REQUIRED for a
   * change after which code could run with less isolation than before the change, or code that did not run there before.
   */
  afterChange(bot: BotRow, next: Changed): Stored {
    if (!this.isBelow(next.engine)) return null;
    if (next.engine !== bot.engine) this.checkNew(next.engine);
    if (bot.isolationException === null) {
      if (next.enabled) this.checkStart(bot);
      return null;
    }
    if (next.version === bot.version) return bot.isolationException;
    const what = `Version ${next.version} of ${bot.name} on engine ${next.engine}`;
    throw this.#refusal(what, `The exception of this bot covers version ${bot.version} alone. ${this.#wayOut()}`);
  }

  /** Throws ISOLATION_REQUIRED when the host must not run a program as a plain process. */
  checkPlainProcess(what: string, hint: string): void {
    if (isBelow('none', this.least)) throw this.#refusal(what, hint);
  }

  /** The exception of a bot as its record shows it; `level`: how far the bot is isolated. */
  shown({ engine, isolationException }: BotRow, level: IsolationLevel): IsolationException | null {
    if (isolationException === null) return null;
    const { least, since } = isolationException;
    const message =
      `It runs on engine ${engine}, with less isolation than this host demands of every other bot, because it was enabled ` +
      `when that began. Set options.engine to ${this.#enough()} to end this; there is no way back.`;
    return { level, least, since: toTimestamp(since), message };
  }

  /** The engine for a bot whose exception ends. Throws ENGINE_UNAVAILABLE where none isolates enough. */
  enough(): string {
    const engine = this.#engines.all().find(({ level }) => !isBelow(level, this.least));
    if (engine !== undefined) return engine.name;
    throw new PlatformError('ENGINE_UNAVAILABLE', 'No engine of this host isolates enough');
  }

  /** The level of an engine; one that this host does not have isolates nothing. */
  levelOf(engine: string): IsolationLevel {
    return this.#engines.all().find(({ name }) => name === engine)?.level ?? 'none';
  }

  #enough(): string {
    const names = this.#engines.all().flatMap(({ name, level }) => (isBelow(level, this.least) ? [] : [`"${name}"`]));
    return names.length === 0 ? 'an engine that isolates enough, which this host lacks' : names.join(' or ');
  }

  #wayOut(): string {
    return `Set options.engine of the bot to ${this.#enough()}. ${LOWER_IT}`;
  }

  /** Seconds after which this engine may isolate enough, by another trial; undefined where it never will. */
  #againAfter(engine: string): number | undefined {
    const next = this.#engines.all().find(({ name }) => name === engine)?.nextTrial ?? null;
    return next === null || isBelow(next.level, this.least) ? undefined : next.afterMs / 1000;
  }

  #refusal(what: string, hint: string, retryAfter?: number): PlatformError {
    const text = `${what} would be isolated less than this host demands, which is "${this.least}"`;
    const again = retryAfter === undefined ? {} : { retryAfter };
    const told = retryAfter === undefined ? hint : `${anotherTrial(retryAfter)} ${hint}`;
    return new PlatformError('ISOLATION_REQUIRED', text, { hint: told, details: { least: this.least }, ...again });
  }
}

const anotherTrial = (seconds: number): string =>
  `Another trial of this engine, after ${seconds} s at the earliest, may show that it isolates enough. If it stays so:`;

const LOWER_IT = 'Only whoever starts the host can allow less, with --engine auto.';
