import { PlatformError } from '../../../contract/errors.ts';
import { errorText } from '../../../node/system-error.ts';
import type { KeyedMutex } from '../../../shared/keyed-mutex.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunStore } from '../control/run-store.ts';
import type { Unit, UnitExit, UnitHandle } from '../engine/engine.ts';
import { explainLimit } from '../engine/limit-words.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import { backoffMs, STEADY_MS } from './backoff.ts';
import { type LiveRun, later } from './live-run.ts';
import { ProgramMasks } from './program-masks.ts';
import { describeEnd } from './run-end.ts';
import type { UnitSpecs } from './unit-spec.ts';

export interface QueryProgramsDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly unitSpecs: UnitSpecs;
  readonly telemetry: Telemetry;
  readonly serial: KeyedMutex;
  /** The runs of a bot that go on. */
  readonly runsOf: (botId: string) => readonly LiveRun[];
  /** True while a run continues and is wanted. */
  readonly isWanted: (live: LiveRun) => boolean;
  readonly attach: (live: LiveRun, unit: Unit, role: 'query') => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** The end of a query program in words that follow its name, and a hint. Diagnosis reads it from the log. */
function explainEnd(exit: UnitExit): { readonly what: string; readonly hint: string | null } {
  if (exit.limit === undefined) return { what: `ended (${describeEnd(exit)})`, hint: null };
  const { what, hint } = explainLimit(exit.limit);
  return { what: `${what} and was ended`, hint };
}

/** The query programs that run beside realtime bots: started with them, and again when they end. */
export class QueryPrograms {
  readonly #deps: QueryProgramsDeps;

  constructor(deps: QueryProgramsDeps) {
    this.#deps = deps;
  }

  /** Starts the query program of a run, if its version has one. A program that cannot start is tried again. */
  async start(bot: BotRow, live: LiveRun): Promise<void> {
    const { unitSpecs, runs, now } = this.#deps;
    const { prepared } = live;
    if (prepared === null || !unitSpecs.servesQueries(bot)) return;
    // Its run goes on with the engine of its start, which may isolate less by now than the host demands.
    const started = { ...bot, engine: live.engine };
    try {
      await unitSpecs.tryAgain(started);
      const spec = unitSpecs.spec(bot, prepared, live.run.runId, 'query');
      if (spec === null) return;
      const masks = this.#masksOf(live);
      const created = (handle: UnitHandle): void => {
        runs.removeUnit(live.run.runId, 'query');
        runs.addUnit({
          runId: live.run.runId,
          botId: bot.botId,
          role: 'query',
          engine: live.engine,
          epoch: live.epoch,
          handle: JSON.stringify(handle),
          deadline: null,
          secrets: [...prepared.secrets, ...masks.added],
          createdAt: now(),
        });
      };
      const unit = await unitSpecs.start(unitSpecs.engineOf(started), bot, spec, {
        masked: async (pass) => {
          await masks.add(pass);
          live.secrets = masks.secrets;
        },
        created,
      });
      await this.enter(live, unit);
    } catch (error) {
      const what = `could not be started: ${errorText(error)}`;
      this.#ended(bot, live, { what, hint: error instanceof PlatformError ? error.hint : null });
    }
  }

  /** What is masked of the bot already goes on being masked: its program runs. */
  #masksOf({ botId, secrets }: LiveRun): ProgramMasks {
    const { runs, runsOf, telemetry } = this.#deps;
    const before = [...runs.unitsOf(botId), ...runsOf(botId)].flatMap((one) => one.secrets);
    return new ProgramMasks({ telemetry, botId, secrets, before });
  }

  /** Takes charge of a query program that runs. */
  async enter(live: LiveRun, unit: Unit): Promise<void> {
    live.query = unit;
    unit.exited
      .then((exit) =>
        this.#deps.serial.run(live.botId, async () => {
          const bot = this.#deps.bots.get(live.botId);
          if (exit.endedAt - unit.startedAt >= STEADY_MS) live.queryFailures = 0;
          if (bot !== null) this.#ended(bot, live, explainEnd(exit));
        }),
      )
      .catch((error: unknown) => this.#deps.onError(`query program of ${live.botId}`, error));
    await this.#deps.attach(live, unit, 'query');
  }

  #ended(bot: BotRow, live: LiveRun, { what, hint }: ReturnType<typeof explainEnd>): void {
    const { telemetry, serial, isWanted, onError } = this.#deps;
    live.query = null;
    if (!isWanted(live)) return;
    live.queryFailures += 1;
    const wait = backoffMs(live.queryFailures, this.#deps.random());
    const text = `The query program ${what}; starting it again in ${Math.round(wait / 1000)} s`;
    telemetry.hostLine(bot.botId, 'warn', hint === null ? text : `${text}. ${hint}`, live.run.runId);
    later(live, wait, () => {
      serial
        .run(live.botId, async () => {
          // It may have got an exception, or lost one, while it waited.
          const now = this.#deps.bots.get(live.botId);
          if (now !== null && isWanted(live)) await this.start(now, live);
        })
        .catch((error: unknown) => onError(`query program of ${live.botId}`, error));
    });
  }
}
