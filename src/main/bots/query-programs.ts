import { PlatformError } from '../../contract/errors.ts';
import type { SerialByKey } from '../../isomorphic/serial.ts';
import { errorText } from '../base/system-error.ts';
import type { Unit, UnitExit } from '../engine/engine.ts';
import { explainLimit } from '../engine/limit-words.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { backoffMs, STEADY_MS } from './backoff.ts';
import type { Launcher } from './launcher.ts';
import { type LiveRun, later } from './live-run.ts';
import { describeEnd } from './run-end.ts';

export interface QueryProgramsDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly launcher: Launcher;
  readonly telemetry: Telemetry;
  readonly serial: SerialByKey;
  /** True while a run goes on and is wanted. */
  readonly isWanted: (live: LiveRun) => boolean;
  readonly attach: (live: LiveRun, unit: Unit, role: 'query') => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** What a query program did, to be put behind its name, and what to do about it. Diagnosis reads it from the log. */
function explainEnd(exit: UnitExit): { readonly what: string; readonly hint: string | null } {
  if (exit.limit === undefined) return { what: `ended (${describeEnd(exit)})`, hint: null };
  const { what, hint } = explainLimit(exit.limit);
  return { what: `${what} and was ended`, hint };
}

/** The query programs that run beside realtime bots: started with them, and again when they end (wire.md section 5). */
export class QueryPrograms {
  readonly #d: QueryProgramsDeps;

  constructor(deps: QueryProgramsDeps) {
    this.#d = deps;
  }

  /** Starts the query program of a run, if its version has one. A program that cannot start is tried again. */
  async start(bot: BotRow, live: LiveRun): Promise<void> {
    const { launcher, runs, now } = this.#d;
    if (live.prepared === null || !launcher.servesQueries(bot)) return;
    const spec = launcher.spec(bot, live.prepared, live.run.runId, 'query');
    if (spec === null) return;
    try {
      const unit = await launcher.start(launcher.engines.get(live.engine), spec, (handle) => {
        runs.removeUnit(live.run.runId, 'query');
        runs.addUnit({
          runId: live.run.runId,
          botId: bot.botId,
          role: 'query',
          engine: live.engine,
          generation: live.generation,
          handle: JSON.stringify(handle),
          deadline: null,
          secrets: live.secrets,
          createdAt: now(),
        });
      });
      await this.enter(live, unit);
    } catch (error) {
      const what = `could not be started: ${errorText(error)}`;
      this.#ended(bot, live, { what, hint: error instanceof PlatformError ? error.hint : null });
    }
  }

  /** Takes charge of a query program that runs. */
  async enter(live: LiveRun, unit: Unit): Promise<void> {
    live.query = unit;
    unit.exited
      .then((exit) =>
        this.#d.serial.run(live.botId, async () => {
          const bot = this.#d.bots.get(live.botId);
          if (exit.endedAt - unit.startedAt >= STEADY_MS) live.queryFailures = 0;
          if (bot !== null) this.#ended(bot, live, explainEnd(exit));
        }),
      )
      .catch((error: unknown) => this.#d.onError(`query program of ${live.botId}`, error));
    await this.#d.attach(live, unit, 'query');
  }

  #ended(bot: BotRow, live: LiveRun, { what, hint }: ReturnType<typeof explainEnd>): void {
    const { telemetry, serial, isWanted, onError } = this.#d;
    live.query = null;
    if (!isWanted(live)) return;
    live.queryFailures += 1;
    const wait = backoffMs(live.queryFailures, this.#d.random());
    const text = `The query program ${what}; starting it again in ${Math.round(wait / 1000)} s`;
    telemetry.hostLine(bot.botId, 'warn', hint === null ? text : `${text}. ${hint}`, live.run.runId);
    later(live, wait, () => {
      serial
        .run(live.botId, async () => {
          if (isWanted(live)) await this.start(bot, live);
        })
        .catch((error: unknown) => onError(`query program of ${live.botId}`, error));
    });
  }
}
