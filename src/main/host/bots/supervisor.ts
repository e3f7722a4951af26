import type { RunTrigger } from '../../../contract/bot.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { settlesWithin } from '../../../node/bounded-wait.ts';
import { yieldingForEach } from '../../../node/yielding-for-each.ts';
import { KeyedMutex } from '../../../shared/keyed-mutex.ts';
import type { RunRow } from '../control/run-store.ts';
import { DeletionWaiters } from './deletion-waiters.ts';
import { Executor } from './executor.ts';
import { clearTimers, type LiveRun } from './live-run.ts';
import { LiveRuns } from './live-runs.ts';
import { Exposures } from './network-exposure.ts';
import { Orphans } from './orphans.ts';
import { plan } from './plan.ts';
import type { PlanEvent } from './plan-types.ts';
import { Preparations } from './preparation.ts';
import { QueryPrograms } from './query-programs.ts';
import { RestartTimers } from './restart-timers.ts';
import { RunOutput } from './run-output.ts';
import { RunStarter } from './run-starter.ts';
import type { SupervisorDeps, SupervisorParts } from './supervisor-types.ts';
import { notEnded } from './wait-for-run-ends.ts';

/** Time for which a closing host waits for work that does not end, e.g. because an engine is away. */
const CLOSE_MS = 10_000;
/**
 * Time for which a request waits for an engine to get ready: most engines are ready by then, or the answer names what
 * is missing.
 */
const PATIENCE_MS = 5000;

/**
 * Brings what runs in line with what the control database says, from any starting point and any number of times. It turns
 * calls into events of bots; `plan.ts` decides what follows from them, the executor does it. Nothing that must survive a
 * restart lives only in memory.
 */
export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #executor: Executor;
  readonly #patienceMs: number;
  /** Decided runs whose turn has not come. */
  readonly #queued = new Set<string>();
  /** Timers of decided runs that wait for what their engine lacks. */
  readonly #later = new Map<string, NodeJS.Timeout>();
  #closing = false;

  constructor(deps: SupervisorDeps) {
    this.#patienceMs = deps.patienceMs ?? PATIENCE_MS;
    this.#parts = this.#assemble(deps);
    this.#executor = new Executor(this.#parts);
  }

  #assemble(deps: SupervisorDeps): SupervisorParts {
    const isClosing = (): boolean => this.#closing;
    const tellSoon = (botId: string, event: PlanEvent): void => this.#tellSoon(botId, event);
    const mutex = new KeyedMutex();
    const live = new LiveRuns();
    const output = new RunOutput({ ...deps, isClosing });
    return {
      ...deps,
      plan: deps.plan ?? plan,
      mutex,
      live,
      output,
      timers: new RestartTimers(),
      waiters: new DeletionWaiters(),
      orphans: new Orphans(deps),
      preparations: new Preparations({ ...deps, wake: (botId, trigger) => tellSoon(botId, { is: 'look', trigger }) }),
      queries: new QueryPrograms({
        ...deps,
        serial: mutex,
        runsOf: (botId) => live.of(botId),
        isWanted: (run) => live.has(run) && run.intent === 'none' && !isClosing(),
        attach: (run, unit, role) => output.attach(run, unit, role),
      }),
      exposures: new Exposures(deps),
      starter: new RunStarter(deps),
      isClosing,
      tellSoon,
      startLater: (run, ms) => this.#startLater(run, ms),
      catchUp: (run) => this.#catchUp(run),
    };
  }

  /** Reconciles one bot; resolves after this step, not after programs have ended. */
  reconcile(botId: string, trigger: RunTrigger = 'boot'): Promise<void> {
    return this.tell(botId, () => ({ is: 'look', trigger }));
  }

  /**
   * Tells a bot of an event in its turn, and does what follows. `event` is called in that turn; null means that nothing
   * is left to do.
   */
  tell(botId: string, event: () => PlanEvent | null): Promise<void> {
    return this.#parts.mutex.run(botId, async () => {
      const told = event();
      if (told !== null) await this.#executor.step(botId, told);
    });
  }

  /** Tells a bot of an event without waiting; failures are reported to `onError`. */
  #tellSoon(botId: string, event: PlanEvent): void {
    this.tell(botId, () => event).catch((error: unknown) => this.#parts.onError(`reconcile ${botId}`, error));
  }

  /**
   * Runs a job while nothing else happens to a bot, so that what it reads of the bot's runs stays true. It must not
   * wait for other work on the same bot.
   */
  exclusively<T>(botId: string, job: () => T | Promise<T>): Promise<T> {
    return this.#parts.mutex.run(botId, async () => job());
  }

  /** Reconciles every bot, repairing what a failed step left behind, e.g. on a full disk. */
  async reconcileAll(): Promise<void> {
    if (this.#closing) return;
    for (const run of this.#parts.runs.unfinished()) {
      if (this.#isAtWork(run)) continue;
      const told = this.tell(run.botId, () => this.#unfinished(run.runId));
      told.catch((error: unknown) => this.#parts.onError(`run ${run.runId}`, error));
    }
    await yieldingForEach(this.#parts.bots.all(), ({ botId }) => this.#tellSoon(botId, { is: 'pass' }));
  }

  #isAtWork({ runId, botId }: RunRow): boolean {
    return this.#isQueued(runId) || this.liveRuns(botId).some((live) => live.run.runId === runId);
  }

  /**
   * Event for the run as it is stored now, when all other work on its bot has ended; null for a run that is no longer
   * unfinished.
   */
  #unfinished(runId: string): PlanEvent | null {
    const { runs } = this.#parts;
    const run = runs.get(runId);
    if (run === null || run.endedAt !== null) return null;
    const hasUnits = runs.unitsOf(run.botId).some((unit) => unit.runId === runId);
    return { is: 'unfinished', run, hasUnits, isQueued: this.#isQueued(runId) };
  }

  #isQueued(runId: string): boolean {
    return this.#queued.has(runId) || this.#later.has(runId);
  }

  /** Runs of a bot that this host supervises. */
  liveRuns(botId: string): readonly LiveRun[] {
    return this.#parts.live.of(botId);
  }

  /** Resolves once a bot marked for deletion is completely gone. */
  whenGone(botId: string): Promise<void> {
    if (this.#parts.bots.get(botId) === null) return Promise.resolve();
    return this.#parts.waiters.wait(botId);
  }

  /**
   * Starts the run of a stored row (scheduled bots); the row must have status `starting`. First waits for an engine
   * that must get ready, outside the bot's turn, so that the bot can be stopped and deleted meanwhile.
   */
  async startRun(run: RunRow): Promise<void> {
    this.#queued.add(run.runId);
    try {
      const unprepared = await this.#parts.preparations.ready(run.botId);
      await this.tell(run.botId, () => ({ is: 'due', run, unprepared }));
    } finally {
      this.#queued.delete(run.runId);
    }
  }

  /** A host that ends first leaves the run to the next one, which makes up for it. */
  #startLater(run: RunRow, ms: number): void {
    if (this.#closing) return;
    const start = (): void => {
      this.#later.delete(run.runId);
      this.startRun(run).catch((error: unknown) => this.#parts.onError(`run ${run.runId}`, error));
    };
    this.#later.set(run.runId, setTimeout(start, ms));
  }

  #catchUp(run: RunRow): void {
    this.#parts.runs.catchesUp(run.runId);
    const started = this.startRun({ ...run, trigger: 'catch_up' });
    started.catch((error: unknown) => this.#parts.onError(`run ${run.runId}`, error));
  }

  /** As `startRun`, but does not wait for an engine that takes long to get ready; the run begins after that. */
  async startSoon(run: RunRow): Promise<void> {
    const started = this.startRun(run);
    // It may fail before any caller waits for it.
    started.catch(() => undefined);
    if (await this.#parts.preparations.settled(run.botId, this.#patienceMs)) return started;
    started.catch((error: unknown) => this.#parts.onError(`run ${run.runId}`, error));
  }

  /** Waits for a limited time until the engine of a bot is ready and the following steps are done. */
  async prepared(botId: string): Promise<void> {
    if (await this.#parts.preparations.settled(botId, this.#patienceMs)) await this.exclusively(botId, () => undefined);
  }

  /** Ends the running program once; the bot starts again by itself. Does not wait for other work on the bot. */
  restart(botId: string): Promise<void> {
    return this.#executor.step(botId, { is: 'restart' });
  }

  /**
   * Ends the programs of a bot whose hold is stored, beside all other work on it; a start that goes on ends when its turn is
   * over.
   */
  async held(botId: string): Promise<void> {
    await this.#executor.step(botId, { is: 'held' });
    this.#tellSoon(botId, { is: 'look', trigger: 'update' });
  }

  /** Stops taking new work; ends every program, or leaves them running for the next host to adopt. */
  async close(options: { readonly leave: boolean }): Promise<void> {
    this.#closing = true;
    const { timers, preparations, mutex, live, onError } = this.#parts;
    timers.close();
    for (const timer of this.#later.values()) clearTimeout(timer);
    preparations.close();
    await settlesWithin(CLOSE_MS, mutex.idle());
    const all = live.all();
    if (options.leave) return all.forEach(clearTimers);
    for (const botId of new Set(all.map((run) => run.botId))) {
      await this.#executor
        .step(botId, { is: 'hostEnds' })
        .catch((error: unknown) => onError(`stop of ${botId}`, error));
    }
    for (const run of await notEnded(all, LIMITS.stopHookMs + LIMITS.stopGraceMs + CLOSE_MS)) {
      clearTimers(run);
      onError(`stop of ${run.botId}`, new Error('It could not be ended; the next host takes it over.'));
    }
    await settlesWithin(CLOSE_MS, mutex.idle());
  }
}
