import type { SerialByKey } from '../../isomorphic/serial.ts';
import type { Unit } from '../engine/engine.ts';
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

/** The query programs that run beside realtime bots: started with them, and again when they end (wire.md section 5). */
export class QueryPrograms {
  readonly #d: QueryProgramsDeps;

  constructor(deps: QueryProgramsDeps) {
    this.#d = deps;
  }

  /** Starts the query program of a run, if its version has one. A program that cannot start is tried again. */
  async start(bot: BotRow, live: LiveRun): Promise<void> {
    const { launcher, runs, now } = this.#d;
    if (live.prepared === null) return;
    const spec = launcher.spec(bot, live.prepared, live.run.runId, 'query');
    if (spec === null) return;
    try {
      const unit = await launcher.start(spec, (handle) => {
        runs.removeUnit(live.run.runId, 'query');
        runs.addUnit({
          runId: live.run.runId,
          botId: bot.botId,
          role: 'query',
          engine: launcher.engine.name,
          generation: live.generation,
          handle: JSON.stringify(handle),
          deadline: null,
          secrets: live.secrets,
          createdAt: now(),
        });
      });
      await this.enter(live, unit);
    } catch (error) {
      this.#ended(bot, live, `could not be started: ${error instanceof Error ? error.message : String(error)}`);
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
          if (bot !== null) this.#ended(bot, live, `ended (${describeEnd(exit)})`);
        }),
      )
      .catch((error: unknown) => this.#d.onError(`query program of ${live.botId}`, error));
    await this.#d.attach(live, unit, 'query');
  }

  #ended(bot: BotRow, live: LiveRun, what: string): void {
    const { telemetry, serial, isWanted, onError } = this.#d;
    live.query = null;
    if (!isWanted(live)) return;
    live.queryFailures += 1;
    const wait = backoffMs(live.queryFailures, this.#d.random());
    const text = `The query program ${what}; starting it again in ${Math.round(wait / 1000)} s`;
    telemetry.hostLine(bot.botId, 'warn', text, live.run.runId);
    later(live, wait, () => {
      serial
        .run(live.botId, async () => {
          if (isWanted(live)) await this.start(bot, live);
        })
        .catch((error: unknown) => onError(`query program of ${live.botId}`, error));
    });
  }
}
