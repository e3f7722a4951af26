import type { RunTrigger } from '../../../contract/bot.ts';
import type { NamedInterpreter } from '../../../contract/custom-bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { settlesWithin } from '../../../node/bounded-wait.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { Engine } from '../engine/engine.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { Journal } from './journal.ts';
import { PREPARING, reason, startFailure } from './reasons.ts';
import type { UnitSpecs } from './unit-spec.ts';

const HINT = 'It starts by itself once that is done. It can be stopped, changed and deleted meanwhile.';
/** Least time between two reports of progress in a bot's record, in ms. */
const SHOW_MS = 2000;

export interface PreparationDeps {
  readonly bots: BotStore;
  readonly journal: Journal;
  readonly unitSpecs: UnitSpecs;
  readonly telemetry: Telemetry;
  /** Called when a bot's wait is over, with the trigger of its start. */
  readonly wake: (botId: string, trigger: RunTrigger) => void;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/**
 * A caller that waits for a preparation: a realtime bot that is to start, with its trigger; a run that is due; or
 * nothing yet: a scheduled bot that will be due.
 */
type Waiter = { readonly for: 'start'; readonly trigger: RunTrigger } | { readonly for: 'run' | 'later' };

interface Going {
  readonly key: string;
  readonly waiters: Map<string, Waiter>;
  /** Resolves to what went wrong, or null; never rejects. */
  readonly done: Promise<Error | null>;
  text: string;
  timer: NodeJS.Timeout | undefined;
}

interface Wanted {
  readonly key: string;
  readonly runtime: string;
  readonly command: NamedInterpreter | undefined;
  readonly engine: Engine;
}

/**
 * Gets ready what engines need to run bots, which may take minutes: in the background, once for all bots that need the same.
 * Only the start of a bot waits for it: meanwhile the bot can be stopped, changed and deleted.
 */
export class Preparations {
  readonly #deps: PreparationDeps;
  readonly #going = new Map<string, Going>();
  /** The outcome of a preparation until the start that waited for it uses it: each start has one preparation. */
  readonly #over = new Map<string, { readonly key: string; readonly error: Error | null }>();
  #closed = false;

  constructor(deps: PreparationDeps) {
    this.#deps = deps;
  }

  /** True while the engine of a realtime bot must get ready before the bot can start. */
  isNeeded(bot: BotRow): boolean {
    const wanted = this.#wanted(bot);
    return wanted !== null && this.#over.get(bot.botId)?.key !== wanted.key;
  }

  /**
   * Gets the engine ready for the start of a realtime bot, which is woken after that; `show`: its record says what it
   * waits for.
   */
  begin(bot: BotRow, trigger: RunTrigger, show: boolean): void {
    const wanted = this.#wanted(bot);
    if (wanted === null) return;
    this.#over.delete(bot.botId);
    const going = this.#join(bot, wanted, { for: 'start', trigger });
    if (show) this.#show(bot, going.text);
  }

  /** The error of the preparation for this start; null after success. Returned once. */
  take(botId: string): Error | null {
    const error = this.#over.get(botId)?.error ?? null;
    this.#over.delete(botId);
    return error;
  }

  /** Prepares the engine for a scheduled bot, so that it is not late when due. */
  ahead(bot: BotRow): void {
    const wanted = this.#wanted(bot);
    if (wanted !== null) this.#join(bot, wanted, { for: 'later' });
  }

  /** Waits until a run of a bot can begin; resolves to what kept the preparation from success, or null. */
  async ready(botId: string): Promise<Error | null> {
    for (;;) {
      const bot = this.#deps.bots.get(botId);
      const wanted = bot === null ? null : this.#wanted(bot);
      if (bot === null || wanted === null) return null;
      const error = await this.#join(bot, wanted, { for: 'run' }).done;
      const now = this.#deps.bots.get(botId);
      // The bot may have been given another engine or version meanwhile.
      if (error !== null && now !== null && this.#wanted(now)?.key === wanted.key) return error;
      if (error === null || this.#closed) return null;
    }
  }

  /** Resolves to true once a bot waits for no preparation, to false when that takes longer than so many ms. */
  async settled(botId: string, ms: number): Promise<boolean> {
    const going = [...this.#going.values()].find((one) => one.waiters.has(botId));
    return going === undefined || settlesWithin(ms, going.done);
  }

  /** The bot is not to be started, and waits no longer. The preparation goes on for others, and for its next start. */
  end(botId: string): void {
    this.#over.delete(botId);
    this.#leave(botId, null);
  }

  /** Stops all notifications. */
  close(): void {
    this.#closed = true;
    for (const going of this.#going.values()) clearTimeout(going.timer);
  }

  /** Null when nothing must be fetched, or the start itself will report the fault. */
  #wanted(bot: BotRow): Wanted | null {
    try {
      const engine = this.#deps.unitSpecs.engineOf(bot);
      const { runtime, command } = this.#deps.unitSpecs.runtimeOf(bot);
      if (engine.isReady(runtime, command)) return null;
      const what = command === undefined ? runtime : `${runtime} ${command.interpreter} ${command.image ?? ''}`;
      return { key: `${engine.name} ${what}`, runtime, command, engine };
    } catch (error) {
      if (error instanceof PlatformError) return null;
      throw error;
    }
  }

  #join(bot: BotRow, wanted: Wanted, waiter: Waiter): Going {
    this.#leave(bot.botId, wanted.key);
    const going = this.#going.get(wanted.key) ?? this.#begin(wanted);
    const known = going.waiters.get(bot.botId);
    if (known === undefined) this.#deps.telemetry.hostLine(bot.botId, 'info', `Before it can run: ${going.text}`, null);
    if (known === undefined || known.for === 'later') going.waiters.set(bot.botId, waiter);
    return going;
  }

  /** Takes a bot off every preparation but one. */
  #leave(botId: string, stays: string | null): void {
    for (const going of this.#going.values()) if (going.key !== stays) going.waiters.delete(botId);
  }

  #begin({ key, runtime, command, engine }: Wanted): Going {
    const settle = async (): Promise<Error | null> => {
      let failed: Error | null = null;
      try {
        await engine.prepare(runtime, (text) => this.#progress(going, text), command);
      } catch (error) {
        failed = error instanceof Error ? error : new Error(String(error));
      }
      this.#settle(going, failed);
      return failed;
    };
    const begun = Promise.withResolvers<Error | null>();
    const text = `engine ${engine.name} gets ready for ${runtime}`;
    const going: Going = { key, waiters: new Map(), done: begun.promise, text, timer: undefined };
    this.#going.set(key, going);
    void settle().then(begun.resolve, begun.reject);
    return going;
  }

  #progress(going: Going, text: string): void {
    if (text === going.text || this.#closed || this.#going.get(going.key) !== going) return;
    going.text = text;
    going.timer ??= setTimeout(() => {
      going.timer = undefined;
      for (const [botId, waiter] of going.waiters) {
        const bot = this.#deps.bots.get(botId);
        if (waiter.for === 'start' && bot?.reason?.code === PREPARING) this.#show(bot, going.text);
      }
    }, SHOW_MS).unref();
  }

  /** The reason keeps its code while its text goes on, so that this is one event. */
  #show(bot: BotRow, text: string): void {
    const why = reason(PREPARING, `${text.charAt(0).toUpperCase()}${text.slice(1)}`, HINT, this.#deps.now());
    this.#deps.journal.change(bot.botId, { status: 'starting', reason: why, nextAttemptAt: null });
  }

  #settle(going: Going, error: Error | null): void {
    clearTimeout(going.timer);
    this.#going.delete(going.key);
    if (this.#closed) return;
    for (const [botId, waiter] of going.waiters) {
      try {
        this.#tell(botId, going.key, waiter, error);
      } catch (fault) {
        this.#deps.onError(`preparation of ${botId}`, fault);
      }
    }
  }

  #tell(botId: string, key: string, waiter: Waiter, error: Error | null): void {
    const { bots, telemetry, journal, now, wake } = this.#deps;
    const bot = bots.get(botId);
    if (bot === null || bot.deleting) return;
    if (error === null) telemetry.hostLine(botId, 'info', 'What it needs to run is there now', null);
    if (waiter.for === 'start') {
      this.#over.set(botId, { key, error });
      wake(botId, waiter.trigger);
    } else if (error !== null && waiter.for === 'later') {
      const why = startFailure(error, now());
      const hint = why.hint === null ? '' : ` ${why.hint}`;
      telemetry.hostLine(botId, 'warn', `${why.message}.${hint} It is tried again when the bot is due.`, null);
      journal.change(botId, { reason: why });
    }
  }
}
