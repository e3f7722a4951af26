import type { RunStatus, RunTrigger } from '../../contract/bot.ts';
import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { SerialByKey } from '../../isomorphic/serial.ts';
import { byTurns } from '../base/by-turns.ts';
import { faultPoint } from '../base/fault-point.ts';
import { removeTree } from '../base/remove-tree.ts';
import { MayRun, type Unit, type UnitExit } from '../engine/engine.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunRow, RunStore } from '../store/run-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { backoffMs, LONGEST_WAIT_MS } from './backoff.ts';
import { Departures } from './departures.ts';
import { doneWithin, notEnded } from './ending.ts';
import type { Journal } from './journal.ts';
import type { BotFolders, Launcher, Prepared } from './launcher.ts';
import { type FoundRun, isStuck, LeftPrograms, NOT_ADOPTED } from './left-programs.ts';
import { clearTimers, type LiveRun, later, liveRun } from './live-run.ts';
import { LiveRuns } from './live-runs.ts';
import { newRun } from './new-run.ts';
import { Preparations } from './preparation.ts';
import { QueryPrograms } from './query-programs.ts';
import { isLasting, reason, startFailure } from './reasons.ts';
import { afterRun, describeEnd, runEnd } from './run-end.ts';
import { RunOutput } from './run-output.ts';
import { Wakeups } from './wakeups.ts';

export interface SupervisorDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly launcher: Launcher;
  readonly telemetry: Telemetry;
  readonly folders: BotFolders & { bot(botId: string): string };
  readonly newRunId: () => string;
  readonly now: () => number;
  readonly random: () => number;
  /** How long requests wait for an engine to get ready, in ms. */
  readonly patienceMs?: number | undefined;
  readonly onError: (where: string, error: unknown) => void;
}

const RUNS_KEPT = 1000;
const QUERY_STOP_MS = 2000;
/** After this long a step that failed is tried again: the disk may have space by then, the log worker may be back. */
const AGAIN_MS = 5000;
/** How long the end of the host waits for what does not come to an end: an engine may be away. */
const CLOSE_MS = 10_000;
/** So long a request waits for an engine to get ready: most are, and what is missing is then told in the answer. */
const PATIENCE_MS = 5000;

/**
 * Brings what runs in line with what the control database says, from any starting point and any number of times. All
 * work on one bot runs one step after another; nothing here survives in memory only.
 */
export class Supervisor {
  readonly #d: SupervisorDeps;
  readonly #serial = new SerialByKey();
  readonly #live = new LiveRuns();
  readonly #wakeups = new Wakeups((botId) => this.kick(botId, 'restart'));
  readonly #departures = new Departures();
  /** Decided runs whose turn has not come. */
  readonly #queued = new Set<string>();
  readonly #output: RunOutput;
  readonly #preparations: Preparations;
  readonly #queries: QueryPrograms;
  readonly #left: LeftPrograms;
  readonly #patienceMs: number;
  #closing = false;

  constructor(deps: SupervisorDeps) {
    this.#d = deps;
    this.#patienceMs = deps.patienceMs ?? PATIENCE_MS;
    this.#output = new RunOutput({ ...deps, isClosing: () => this.#closing });
    this.#preparations = new Preparations({ ...deps, wake: (botId, trigger) => this.kick(botId, trigger) });
    this.#queries = new QueryPrograms({
      ...deps,
      serial: this.#serial,
      isWanted: (live) => this.#live.has(live) && live.intent === 'none' && !this.#closing,
      attach: (live, unit, role) => this.#output.attach(live, unit, role),
    });
    this.#left = new LeftPrograms({
      ...deps,
      liveRuns: (botId) => this.liveRuns(botId),
      enter: (bot, found) => this.#adopt(bot, found),
    });
  }

  /** Brings one bot in line; resolves after this step, not after programs have ended. */
  reconcile(botId: string, trigger: RunTrigger = 'boot'): Promise<void> {
    return this.#serial.run(botId, () => this.#reconcile(botId, trigger));
  }

  /**
   * Runs a job while nothing else happens to a bot: what it reads of the bot's runs stays true until it is done. It must
   * not wait for other work on the same bot.
   */
  exclusively<T>(botId: string, job: () => T | Promise<T>): Promise<T> {
    return this.#serial.run(botId, async () => job());
  }

  /** Brings every bot in line: puts right what a failed step has left, e.g. while the disk was full. */
  async reconcileAll(): Promise<void> {
    if (this.#closing) return;
    for (const run of this.#d.runs.unfinished()) this.#lookAfter(run);
    await byTurns(this.#d.bots.all(), ({ botId }) => {
      if (!this.#closing && !this.#wakeups.waits(botId)) this.kick(botId, 'restart');
    });
  }

  #lookAfter(run: RunRow): void {
    if (this.#isForgotten(run)) {
      this.#settleForgotten(run);
      return;
    }
    const live = this.liveRuns(run.botId);
    // Only for an old run beside one that goes on: where none does, every step of the bot takes over what is left.
    if (live.length === 0 || live.some((one) => one.run.runId === run.runId) || this.#queued.has(run.runId)) return;
    this.takeOver(run.botId).catch((error: unknown) => this.#d.onError(`run ${run.runId}`, error));
  }

  /** Takes over what an earlier host left running of a bot. */
  async takeOver(botId: string): Promise<void> {
    await this.#serial.run(botId, async () => {
      const bot = this.#d.bots.get(botId);
      if (bot !== null && !this.#closing) await this.#left.takeOver(bot);
    });
  }

  /** A run that nothing works on: its start failed, and so did the record of that. */
  #isForgotten(run: RunRow): boolean {
    if (this.#queued.has(run.runId) || this.liveRuns(run.botId).some((live) => live.run.runId === run.runId))
      return false;
    return !this.#d.runs.unitsOf(run.botId).some((unit) => unit.runId === run.runId);
  }

  #settleForgotten({ runId, botId }: RunRow): void {
    const settle = async (): Promise<void> => {
      const run = this.#d.runs.get(runId);
      // Read again: whatever was going on with this bot is over now.
      if (run === null || run.endedAt !== null || !this.#isForgotten(run)) return;
      this.#neverRan(run, 'NOT_STARTED', 'The start failed, and at first could not even be recorded');
    };
    this.#serial.run(botId, settle).catch((error: unknown) => this.#d.onError(`run ${runId}`, error));
  }

  /** Brings a bot in line without waiting; failures are reported. */
  kick(botId: string, trigger: RunTrigger): void {
    this.reconcile(botId, trigger).catch((error: unknown) => this.#d.onError(`reconcile ${botId}`, error));
  }

  /** Runs of a bot that are going on. */
  liveRuns(botId: string): readonly LiveRun[] {
    return this.#live.of(botId);
  }

  /** Resolves once a bot marked as deleting, and everything of it, is gone. */
  whenGone(botId: string): Promise<void> {
    if (this.#d.bots.get(botId) === null) return Promise.resolve();
    return this.#departures.wait(botId);
  }

  /**
   * Starts the run of a stored row (scheduled bots); the row must have status `starting`. An engine that must get ready
   * first is waited for before it is the bot's turn: meanwhile the bot can be stopped and deleted.
   */
  async startRun(run: RunRow): Promise<void> {
    this.#queued.add(run.runId);
    try {
      const unprepared = await this.#preparations.ready(run.botId);
      await this.#serial.run(run.botId, async () => {
        const bot = this.#d.bots.get(run.botId);
        if (bot === null || bot.deleting || this.#closing) return;
        if (!bot.enabled && run.trigger !== 'manual')
          this.#neverRan(run, 'DISABLED', 'The bot was stopped before', 'skipped');
        else if (await this.#left.takeOver(bot)) await this.#launch(bot, run, unprepared);
        else this.#neverRan(run, NOT_ADOPTED, 'A program of this bot from before may still run; the host log says why');
      });
    } finally {
      this.#queued.delete(run.runId);
    }
  }

  /** As `startRun`, but does not wait for an engine that takes long to get ready; the run begins after that. */
  async startSoon(run: RunRow): Promise<void> {
    const started = this.startRun(run);
    if (await this.#preparations.settled(run.botId, this.#patienceMs)) return started;
    started.catch((error: unknown) => this.#d.onError(`run ${run.runId}`, error));
  }

  /** Waits, though not for long, until the engine of a bot is ready, and what follows from that is done. */
  async prepared(botId: string): Promise<void> {
    if (await this.#preparations.settled(botId, this.#patienceMs)) await this.exclusively(botId, () => undefined);
  }

  /** Ends the running program once; it comes back by itself. */
  restart(botId: string): void {
    for (const live of this.liveRuns(botId)) {
      this.#d.journal.change(botId, { status: 'stopping' }, { runId: live.run.runId });
      live.again = true;
      this.#end(live, 'stop');
    }
  }

  /** Looks after a run of an earlier host, or its end. */
  async #adopt(bot: BotRow, found: FoundRun): Promise<void> {
    const live = liveRun(found);
    // The host that was asked for its end may not have come to it, or not have seen it.
    const isToEnd = bot.status === 'stopping';
    this.#enter(live, found.deadline);
    await this.#output.attach(live, found.unit, 'bot');
    if (found.query !== null) await this.#queries.enter(live, found.query);
    else if (bot.type === 'realtime' && !isToEnd) await this.#queries.start(bot, live);
    if (!isToEnd) return;
    live.again = live.generation === bot.generation;
    this.#end(live, 'stop');
  }

  #neverRan({ runId, botId }: RunRow, code: string, message: string, status: RunStatus = 'failed'): void {
    const at = this.#d.now();
    const why = reason(code, message, null, at);
    const end = { status, endedAt: at, exitCode: null, signal: null, result: null, reason: why };
    this.#d.journal.change(botId, {}, { kind: 'run', runId, also: () => this.#d.runs.end(runId, end) });
  }

  /** Stops taking new work; ends every program, or leaves them running for the next host to adopt. */
  async close(options: { readonly leave: boolean }): Promise<void> {
    this.#closing = true;
    this.#wakeups.close();
    this.#preparations.close();
    await doneWithin(CLOSE_MS, this.#serial.idle());
    const all = this.#live.all();
    if (options.leave) {
      for (const live of all) clearTimers(live);
      return;
    }
    for (const live of all) this.#end(live, 'stop');
    for (const live of await notEnded(all, LIMITS.stopGraceMs + CLOSE_MS)) {
      clearTimers(live);
      this.#d.onError(`stop of ${live.botId}`, new Error('It could not be ended; the next host takes it over.'));
    }
    await doneWithin(CLOSE_MS, this.#serial.idle());
  }

  async #reconcile(botId: string, trigger: RunTrigger): Promise<void> {
    const known = this.#d.bots.get(botId);
    if (known === null) return;
    const clear = await this.#left.clear(known, this.#closing);
    const bot = this.#d.bots.get(botId);
    if (bot === null) return;
    const lives = this.liveRuns(botId);
    if (bot.deleting) {
      for (const live of lives) this.#end(live, 'stop');
      if (lives.length === 0) await (clear ? this.#erase(bot) : this.#departures.notYet(botId));
      return;
    }
    if (this.#closing || (lives.length === 0 && isStuck(bot))) return;
    if (bot.type === 'scheduled') this.#reconcileScheduled(bot, lives, trigger);
    else await this.#reconcileRealtime(bot, lives[0], trigger);
  }

  #reconcileScheduled(bot: BotRow, lives: readonly LiveRun[], trigger: RunTrigger): void {
    if (!bot.enabled) {
      if (lives.length === 0) this.#settle(bot, 'stopped');
      // A run by hand goes on beside a schedule that is off, until somebody stops the bot.
      for (const live of lives) if (bot.status === 'stopping' || live.run.trigger !== 'manual') this.#end(live, 'stop');
      return;
    }
    this.#settle(bot, lives.length > 0 ? 'running' : 'scheduled');
    // Not with each look at the bots: what cannot be prepared is not tried every few seconds.
    if (trigger !== 'restart') this.#preparations.ahead(bot);
  }

  async #reconcileRealtime(bot: BotRow, live: LiveRun | undefined, trigger: RunTrigger): Promise<void> {
    const finished = bot.status === 'stopped' && bot.reason?.code === 'COMPLETED';
    const wanted = bot.enabled && bot.status !== 'failed' && !finished;
    const current = live?.generation === bot.generation;
    if (current || !wanted) this.#rest(bot.botId);
    if (live !== undefined) {
      if (wanted && current) return;
      if (wanted && live.intent === 'none' && this.#preparations.delays(bot, 'update')) return;
      this.#wakeups.end(bot.botId);
      this.#d.journal.change(bot.botId, { status: 'stopping' }, { runId: live.run.runId });
      faultPoint('update:stopping');
      this.#end(live, 'stop');
      return;
    }
    if (!wanted) {
      if (!bot.enabled) this.#settle(bot, 'stopped');
      return;
    }
    const wait = (bot.nextAttemptAt ?? 0) - this.#d.now();
    const due = this.#wakeups.isOver(bot.botId) || wait <= 0 || wait > LONGEST_WAIT_MS;
    if (!due) return this.#wakeups.later(bot.botId, wait);
    this.#wakeups.end(bot.botId);
    if (this.#preparations.holds(bot, trigger)) return;
    const unprepared = this.#preparations.take(bot.botId);
    const runId = this.#d.newRunId();
    const run = newRun(bot, runId, bot.failures > 0 ? 'restart' : trigger, this.#d.now());
    const restarts = bot.failures > 0 ? { restarts: bot.restarts + 1 } : {};
    this.#d.journal.change(
      bot.botId,
      { status: 'starting', nextAttemptAt: null, ...restarts },
      { runId, also: () => this.#d.runs.insert(run) },
    );
    await this.#launch(bot, run, unprepared);
  }

  /** Nothing of this bot waits for its start any more. */
  #rest(botId: string): void {
    this.#wakeups.end(botId);
    this.#preparations.end(botId);
  }

  /** What went wrong in the last run of a scheduled bot stays until a run goes well. */
  #settle(bot: BotRow, status: 'stopped' | 'scheduled' | 'running'): void {
    const kept = bot.reason?.code === 'DISABLED' ? null : bot.reason;
    // That it waits since a restore says more than that it is stopped.
    const waits = status === 'stopped' && bot.reason?.code === 'RESTORED';
    const why =
      status === 'stopped' && !waits
        ? reason('DISABLED', 'Stopped on request', 'Start it again when you want it to run.', this.#d.now())
        : kept;
    const same = bot.status === status && bot.reason?.code === why?.code;
    if (!same) this.#d.journal.change(bot.botId, { status, reason: why, nextAttemptAt: null });
  }

  /** `unprepared`: why its engine could not get ready for this start. */
  async #launch(bot: BotRow, run: RunRow, unprepared: Error | null): Promise<void> {
    const { launcher, runs, journal, now } = this.#d;
    let prepared: Prepared;
    let unit: Unit;
    const deadline =
      bot.type === 'scheduled' ? now() + (bot.options.timeout_sec ?? LIMITS.runTimeoutMs / 1000) * 1000 : null;
    try {
      prepared = launcher.prepare(bot);
      if (unprepared !== null) throw unprepared;
      // A run beside this one, or one that takes its time to end, may have been started with other secrets.
      const others = [...this.#d.runs.unitsOf(bot.botId), ...this.liveRuns(bot.botId)].flatMap((one) => one.secrets);
      await this.#d.telemetry.openBot(bot.botId, [...new Set([...prepared.secrets, ...others])]);
      if (this.liveRuns(bot.botId).length === 0) await launcher.sweepState(bot.botId);
      const spec = launcher.spec(bot, prepared, run.runId, 'bot');
      if (spec === null) throw new PlatformError('INTERNAL', 'A custom bot without an entry was stored');
      unit = await launcher.start(launcher.engineOf(bot), spec, (handle) => {
        const at = now();
        const row = {
          runId: run.runId,
          botId: bot.botId,
          role: 'bot',
          engine: bot.engine,
          generation: bot.generation,
          handle: JSON.stringify(handle),
          deadline,
          secrets: prepared.secrets,
          createdAt: at,
        } as const;
        journal.change(
          bot.botId,
          { status: 'running', reason: null },
          {
            runId: run.runId,
            also: () => {
              runs.addUnit(row);
              runs.started(run.runId, at);
            },
          },
        );
      });
    } catch (error) {
      await (error instanceof MayRun ? this.#mayRun(bot, run, error) : this.#startFailed(bot, run, error));
      return;
    }
    const live = liveRun({
      run,
      generation: bot.generation,
      unit,
      engine: bot.engine,
      prepared,
      secrets: prepared.secrets,
    });
    this.#enter(live, deadline);
    await this.#output.attach(live, unit, 'bot');
    if (bot.type === 'realtime') await this.#queries.start(bot, live);
  }

  /** Nobody knows whether it runs: it is looked after as what an earlier host has left, and nothing is started beside it. */
  async #mayRun(bot: BotRow, { runId }: RunRow, error: MayRun): Promise<void> {
    this.#d.telemetry.hostLine(bot.botId, 'warn', `${error.message}. ${error.hint ?? ''}`, runId);
    await this.#left.takeOver(bot);
  }

  async #startFailed(bot: BotRow, run: RunRow, error: unknown): Promise<void> {
    const { runs, journal, now, random, telemetry } = this.#d;
    const at = now();
    const why = startFailure(error, at);
    if (!(error instanceof PlatformError)) this.#d.onError(`start of ${bot.botId}`, error);
    telemetry.hostLine(bot.botId, 'error', `${why.message}${why.hint === null ? '' : ` ${why.hint}`}`, run.runId);
    const lasting = isLasting(error);
    const failures = bot.failures + 1;
    const next =
      bot.type === 'scheduled'
        ? ({ status: this.liveRuns(bot.botId).length > 0 ? 'running' : 'scheduled', reason: why } as const)
        : lasting
          ? ({ status: 'failed', reason: why, failures } as const)
          : ({
              status: 'backing_off',
              reason: why,
              failures,
              nextAttemptAt: at + backoffMs(failures, random()),
            } as const);
    journal.change(bot.botId, next, {
      runId: run.runId,
      also: () => {
        runs.end(run.runId, { status: 'failed', endedAt: at, exitCode: null, signal: null, result: null, reason: why });
        runs.removeUnit(run.runId, 'bot');
      },
    });
    if (next.status === 'backing_off') this.kick(bot.botId, 'restart');
    await this.#output.tidy(bot.botId, run.runId);
  }

  #enter(live: LiveRun, deadline: number | null): void {
    this.#live.add(live);
    if (deadline !== null) later(live, Math.max(0, deadline - this.#d.now()), () => this.#end(live, 'timeout'));
    void live.unit.exited.then(() => this.#record(live));
  }

  /** Records the end of a run; tries again until it is stored, because the bot is started again only after that. */
  #record(live: LiveRun): void {
    this.#serial
      .run(live.botId, () => this.#ended(live))
      .catch((error: unknown) => {
        this.#d.onError(`end of ${live.botId}`, error);
        if (!this.#closing && this.#live.has(live)) later(live, AGAIN_MS, () => this.#record(live));
      });
  }

  #end(live: LiveRun, intent: 'stop' | 'timeout'): void {
    if (live.intent === 'none') live.intent = intent;
    live.unit.stop(LIMITS.stopGraceMs).catch((error: unknown) => this.#d.onError(`stop of ${live.botId}`, error));
  }

  async #ended(live: LiveRun): Promise<void> {
    if (!this.#live.has(live)) return;
    const { bots } = this.#d;
    const exit = await live.unit.exited;
    clearTimers(live);
    await live.query?.stop(QUERY_STOP_MS);
    const drained = await this.#output.drain(live);
    const bot = bots.get(live.botId);
    if (bot !== null) await this.#store(live, bot, exit, drained);
    faultPoint('update:ended');
    this.#live.remove(live);
    if (bot === null) return;
    await this.#reconcile(live.botId, live.intent === 'stop' && !live.again ? 'update' : 'restart');
    if (drained) await this.#output.tidy(live.botId, live.run.runId);
    else this.#output.drainLater(live);
  }

  async #store(live: LiveRun, bot: BotRow, exit: UnitExit, drained: boolean): Promise<void> {
    const { runs, journal, telemetry, now, random } = this.#d;
    const end = await runEnd(live, exit, bot.options.timeout_sec ?? LIMITS.runTimeoutMs / 1000);
    const stillRunning = this.liveRuns(live.botId).length > 1;
    const change = afterRun({ bot, live, end, now: now(), random: random(), stillRunning, closing: this.#closing });
    journal.change(live.botId, change, {
      kind: 'run',
      runId: live.run.runId,
      also: () => {
        runs.end(live.run.runId, end);
        // Its secrets are needed as long as there are lines of it to be stored.
        if (drained) runs.removeUnits(live.run.runId);
        runs.prune(live.botId, RUNS_KEPT);
      },
    });
    const level = end.status === 'failed' || end.status === 'timed_out' ? 'error' : 'info';
    telemetry.hostLine(live.botId, level, `Run ended: ${end.reason?.message ?? describeEnd(exit)}`, live.run.runId);
  }

  async #erase(bot: BotRow): Promise<void> {
    const { telemetry, folders, journal, runs } = this.#d;
    this.#rest(bot.botId);
    try {
      await telemetry.removeBot(bot.botId);
      faultPoint('delete:logs');
      await removeTree(folders.bot(bot.botId));
      faultPoint('delete:files');
      journal.remove(bot);
      faultPoint('delete:done');
    } catch (error) {
      this.#d.onError(`removal of ${bot.botId}`, error);
      this.#departures.failed(bot.botId);
      return;
    }
    runs.forget(bot.botId);
    this.#departures.gone(bot.botId);
  }
}
