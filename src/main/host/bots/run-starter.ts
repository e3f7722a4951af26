import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunRow, RunStore, StartFacts } from '../control/run-store.ts';
import { MayRun, type Unit, type UnitHandle } from '../engine/engine.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { Journal } from './journal.ts';
import { type LiveRun, liveRun } from './live-run.ts';
import type { PlanEvent } from './plan-types.ts';
import { ProgramMasks } from './program-masks.ts';
import { engineWaitOf, isLasting, startFailure } from './reasons.ts';
import type { Prepared, UnitSpecs } from './unit-spec.ts';

export interface RunStarterDeps {
  readonly bots: Pick<BotStore, 'get'>;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly unitSpecs: UnitSpecs;
  readonly telemetry: Telemetry;
  readonly now: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/** A program that has begun; `deadline`: when its run ends for taking too long. */
interface Started {
  readonly live: LiveRun;
  readonly deadline: number | null;
}

/** Starts the program of a recorded run. */
export class RunStarter {
  readonly #deps: RunStarterDeps;
  /** What was told of due runs that wait for their engine. */
  readonly #told = new WeakMap<RunRow, string>();

  constructor(deps: RunStarterDeps) {
    this.#deps = deps;
  }

  /** `unprepared`: why the engine could not get ready; `others`: runs beside this one. Resolves to the outcome. */
  async start(
    bot: BotRow,
    run: RunRow,
    unprepared: Error | null,
    others: readonly LiveRun[],
  ): Promise<Started | PlanEvent> {
    const { unitSpecs, now } = this.#deps;
    const timeoutMs = (bot.options.timeout_sec ?? LIMITS.runTimeoutMs / 1000) * 1000;
    const deadline = bot.type === 'scheduled' ? now() + timeoutMs : null;
    try {
      await unitSpecs.tryAgain(bot);
      const prepared = unitSpecs.prepare(bot);
      if (unprepared !== null) throw unprepared;
      const masks = await this.#openLog(bot, run, prepared, others);
      if (others.length === 0) await unitSpecs.sweepState(bot.botId);
      const facts: StartFacts = { mode: prepared.mode, versionHash: prepared.code.hash };
      const unit = await this.#startUnit(bot, { ...run, ...facts }, prepared, masks, deadline);
      const { epoch, engine } = bot;
      const queryToken = unitSpecs.queryToken(bot, run.runId);
      return {
        live: liveRun({ run: { ...run, ...facts }, epoch, unit, engine, prepared, secrets: masks.secrets, queryToken }),
        deadline,
      };
    } catch (error) {
      return error instanceof MayRun ? this.#mayRun(run, error) : this.#notStarted(bot, run, error);
    }
  }

  async #openLog(bot: BotRow, run: RunRow, prepared: Prepared, others: readonly LiveRun[]): Promise<ProgramMasks> {
    const { unitSpecs, runs, telemetry } = this.#deps;
    // A run beside this one, or one that takes its time to end, may have been started with other secrets.
    const before = [...runs.unitsOf(bot.botId), ...others].flatMap((one) => one.secrets);
    const secrets = unitSpecs.runSecrets(bot, prepared.secrets, run.runId);
    const masks = new ProgramMasks({ telemetry, botId: bot.botId, secrets, before });
    await masks.open();
    return masks;
  }

  #startUnit(
    bot: BotRow,
    run: RunRow,
    prepared: Prepared,
    masks: ProgramMasks,
    deadline: number | null,
  ): Promise<Unit> {
    const { unitSpecs } = this.#deps;
    const spec = unitSpecs.spec(bot, prepared, run.runId, 'bot');
    if (spec === null) throw new PlatformError('INTERNAL', 'A custom bot without an entry was stored');
    return unitSpecs.start(unitSpecs.engineOf(bot), bot, spec, {
      masked: (pass) => masks.add(pass),
      created: (handle) => this.#recordUnit(bot, run, [...prepared.secrets, ...masks.added], deadline, handle),
    });
  }

  /**
   * Once this is stored the program may run: every later host finds it. Until then a hold keeps it from running. Throws
   * BOT_HELD.
   */
  #recordUnit(bot: BotRow, run: RunRow, secrets: readonly string[], deadline: number | null, handle: UnitHandle): void {
    const { bots, runs, journal, now } = this.#deps;
    const { runId, botId, mode, versionHash } = run;
    const { engine, epoch } = bot;
    const at = now();
    const also = (): void => {
      if ((bots.get(botId)?.hold ?? null) !== null) throw new PlatformError('BOT_HELD');
      const own = { runId, botId, role: 'bot', engine, epoch, deadline, secrets, createdAt: at } as const;
      // A bot that waited for its engine has no run yet.
      runs.insert(run);
      runs.addUnit({ ...own, handle: JSON.stringify(handle) });
      runs.started(runId, at, { mode, versionHash });
    };
    journal.change(botId, { status: 'running', reason: null, nextAttemptAt: null }, { runId, also });
  }

  #mayRun({ botId, runId }: RunRow, error: MayRun): PlanEvent {
    this.#deps.telemetry.hostLine(botId, 'warn', `${error.message}. ${error.hint ?? ''}`, runId);
    return { is: 'mayRun' };
  }

  #notStarted(bot: BotRow, run: RunRow, error: unknown): PlanEvent {
    const { runs, journal, telemetry, now, onError } = this.#deps;
    const why = startFailure(error, now());
    const engineMs = engineWaitOf(error);
    const stored = runs.get(run.runId);
    const isRecorded = stored !== null;
    const hasUnit = isRecorded && stored.status !== 'starting';
    // A bot goes on waiting for its engine: its history and its log say so already.
    if (!isRecorded && engineMs !== null && why.code === bot.reason?.code)
      return { is: 'notStarted', run, isRecorded, hasUnit, why, isLasting: false, engineMs };
    if (!isRecorded) journal.change(run.botId, {}, { runId: run.runId, also: () => runs.insert(run) });
    if (!(error instanceof PlatformError)) onError(`start of ${run.botId}`, error);
    // A due run may be tried several times for one reason.
    if (this.#told.get(run) !== why.message)
      telemetry.hostLine(run.botId, 'error', `${why.message}${why.hint === null ? '' : ` ${why.hint}`}`, run.runId);
    this.#told.set(run, why.message);
    return { is: 'notStarted', run, isRecorded: true, hasUnit, why, isLasting: isLasting(error), engineMs };
  }
}
