import { rm } from 'node:fs/promises';
import type { RunTrigger } from '../../contract/bot.ts';
import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { SerialByKey } from '../../isomorphic/serial.ts';
import type { Unit } from '../engine/engine.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunRow, RunStore } from '../store/run-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { backoffMs } from './backoff.ts';
import type { Journal } from './journal.ts';
import type { BotFolders, Launcher, Prepared } from './launcher.ts';
import { clearTimers, type LiveRun, later } from './live-run.ts';
import { reason, startFailure } from './reasons.ts';
import { afterRun, describeEnd, runEnd } from './run-end.ts';

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
  readonly onError: (where: string, error: unknown) => void;
}

const RUNS_KEPT = 1000;
const QUERY_STOP_MS = 2000;

/**
 * Brings what runs in line with what the control database says, from any starting point and any number of times. All
 * work on one bot runs one step after another; nothing here survives in memory only.
 */
export class Supervisor {
  readonly #d: SupervisorDeps;
  readonly #serial = new SerialByKey();
  readonly #live = new Map<string, Set<LiveRun>>();
  readonly #wakeups = new Map<string, NodeJS.Timeout>();
  readonly #gone = new Map<string, { promise: Promise<void>; resolve: () => void }>();
  #closing = false;

  constructor(deps: SupervisorDeps) {
    this.#d = deps;
  }

  /** Brings one bot in line; resolves after this step, not after programs have ended. */
  reconcile(botId: string, trigger: RunTrigger = 'boot'): Promise<void> {
    return this.#serial.run(botId, () => this.#reconcile(botId, trigger));
  }

  /** Brings a bot in line without waiting; failures are reported. */
  kick(botId: string, trigger: RunTrigger): void {
    this.reconcile(botId, trigger).catch((error: unknown) => this.#d.onError(`reconcile ${botId}`, error));
  }

  /** Runs of a bot that are going on. */
  liveRuns(botId: string): readonly LiveRun[] {
    return [...(this.#live.get(botId) ?? [])];
  }

  /** Resolves once a bot marked as deleting, and everything of it, is gone. */
  whenGone(botId: string): Promise<void> {
    if (this.#d.bots.get(botId) === null) return Promise.resolve();
    const waiting = this.#gone.get(botId);
    if (waiting !== undefined) return waiting.promise;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gone.set(botId, { promise, resolve });
    return promise;
  }

  /** Starts the run of a stored row (scheduled bots); the row must have status `starting`. */
  startRun(run: RunRow): Promise<void> {
    return this.#serial.run(run.botId, async () => {
      const bot = this.#d.bots.get(run.botId);
      if (bot === null || bot.deleting || this.#closing) return;
      await this.#launch(bot, run);
    });
  }

  /** Ends the running program once; it comes back by itself. */
  restart(botId: string): void {
    for (const live of this.liveRuns(botId)) this.#end(live, 'stop');
  }

  /** Takes over a run of an earlier host, or its end. `query` is the query program found with it. */
  async adopt(
    bot: BotRow,
    run: RunRow,
    unit: Unit,
    query: Unit | null,
    prepared: Prepared | null,
    generation: number,
    deadline: number | null,
  ): Promise<void> {
    await this.#serial.run(bot.botId, async () => {
      const live: LiveRun = {
        run,
        botId: bot.botId,
        generation,
        unit,
        prepared,
        query: null,
        queryFailures: 0,
        intent: 'none',
        timers: new Set(),
      };
      await this.#attach(live, unit, 'bot');
      this.#enter(live, deadline);
      if (query !== null) await this.#enterQuery(live, query);
      else if (prepared?.code.queryEntry != null && bot.type === 'realtime') await this.#startQuery(bot, live);
    });
  }

  /** Stops taking new work; ends every program, or leaves them running for the next host to adopt. */
  async close(options: { readonly leave: boolean }): Promise<void> {
    this.#closing = true;
    for (const timer of this.#wakeups.values()) clearTimeout(timer);
    this.#wakeups.clear();
    await this.#serial.idle();
    const all = [...this.#live.values()].flatMap((set) => [...set]);
    if (options.leave) {
      for (const live of all) clearTimers(live);
      return;
    }
    for (const live of all) this.#end(live, 'stop');
    await Promise.all(all.map((live) => live.unit.exited));
    await this.#serial.idle();
  }

  async #reconcile(botId: string, trigger: RunTrigger): Promise<void> {
    const bot = this.#d.bots.get(botId);
    if (bot === null) return;
    const lives = this.liveRuns(botId);
    if (bot.deleting) {
      for (const live of lives) this.#end(live, 'stop');
      if (lives.length === 0) await this.#erase(bot);
      return;
    }
    if (this.#closing) return;
    if (bot.type === 'scheduled') this.#reconcileScheduled(bot, lives);
    else await this.#reconcileRealtime(bot, lives[0], trigger);
  }

  #reconcileScheduled(bot: BotRow, lives: readonly LiveRun[]): void {
    if (!bot.enabled) {
      for (const live of lives) this.#end(live, 'stop');
      if (lives.length === 0) this.#settle(bot, 'stopped');
      return;
    }
    this.#settle(bot, lives.length > 0 ? 'running' : 'scheduled');
  }

  async #reconcileRealtime(bot: BotRow, live: LiveRun | undefined, trigger: RunTrigger): Promise<void> {
    const finished = bot.status === 'stopped' && bot.reason?.code === 'COMPLETED';
    const wanted = bot.enabled && bot.status !== 'failed' && !finished;
    if (live !== undefined) {
      if (wanted && live.generation === bot.generation) return;
      this.#d.journal.change(bot.botId, { status: 'stopping' }, { runId: live.run.runId });
      this.#end(live, 'stop');
      return;
    }
    if (!wanted) {
      if (!bot.enabled) this.#settle(bot, 'stopped');
      return;
    }
    const wait = (bot.nextAttemptAt ?? 0) - this.#d.now();
    if (wait > 0) return this.#wakeLater(bot.botId, wait);
    const runId = this.#d.newRunId();
    const run: RunRow = {
      runId,
      botId: bot.botId,
      version: bot.version,
      trigger: bot.failures > 0 ? 'restart' : trigger,
      status: 'starting',
      slot: null,
      startedAt: null,
      endedAt: null,
      exitCode: null,
      signal: null,
      result: null,
      reason: null,
      createdAt: this.#d.now(),
    };
    const restarts = bot.failures > 0 ? { restarts: bot.restarts + 1 } : {};
    this.#d.journal.change(
      bot.botId,
      { status: 'starting', nextAttemptAt: null, ...restarts },
      { runId, also: () => this.#d.runs.insert(run) },
    );
    await this.#launch(bot, run);
  }

  #settle(bot: BotRow, status: 'stopped' | 'scheduled' | 'running'): void {
    const why =
      status === 'stopped'
        ? reason('DISABLED', 'Stopped on request', 'Start it again when you want it to run.', this.#d.now())
        : null;
    const same = bot.status === status && bot.reason?.code === why?.code;
    if (!same) this.#d.journal.change(bot.botId, { status, reason: why, nextAttemptAt: null });
  }

  #wakeLater(botId: string, wait: number): void {
    clearTimeout(this.#wakeups.get(botId));
    this.#wakeups.set(
      botId,
      setTimeout(
        () => {
          this.#wakeups.delete(botId);
          this.kick(botId, 'restart');
        },
        Math.min(wait, 2 ** 31 - 1),
      ),
    );
  }

  async #launch(bot: BotRow, run: RunRow): Promise<void> {
    const { launcher, runs, journal, now } = this.#d;
    let prepared: Prepared;
    let unit: Unit;
    const deadline =
      bot.type === 'scheduled' ? now() + (bot.options.timeout_sec ?? LIMITS.runTimeoutMs / 1000) * 1000 : null;
    try {
      prepared = launcher.prepare(bot);
      await this.#d.telemetry.openBot(bot.botId, prepared.secrets);
      const spec = launcher.spec(bot, prepared, run.runId, 'bot');
      if (spec === null) throw new PlatformError('INTERNAL', 'A custom bot without an entry was stored');
      unit = await launcher.start(spec, (handle) => {
        const at = now();
        const row = {
          runId: run.runId,
          botId: bot.botId,
          role: 'bot',
          engine: launcher.engine.name,
          generation: bot.generation,
          handle: JSON.stringify(handle),
          deadline,
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
      await this.#startFailed(bot, run, error);
      return;
    }
    const live: LiveRun = {
      run,
      botId: bot.botId,
      generation: bot.generation,
      unit,
      prepared,
      query: null,
      queryFailures: 0,
      intent: 'none',
      timers: new Set(),
    };
    await this.#attach(live, unit, 'bot');
    this.#enter(live, deadline);
    if (bot.type === 'realtime') await this.#startQuery(bot, live);
  }

  async #startFailed(bot: BotRow, run: RunRow, error: unknown): Promise<void> {
    const { runs, journal, now, random, telemetry, folders } = this.#d;
    const at = now();
    const why = startFailure(error, at);
    if (!(error instanceof PlatformError)) this.#d.onError(`start of ${bot.botId}`, error);
    telemetry.hostLine(bot.botId, 'error', `${why.message}${why.hint === null ? '' : ` ${why.hint}`}`, run.runId);
    const lasting = error instanceof PlatformError;
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
    await rm(folders.run(bot.botId, run.runId), { recursive: true, force: true });
    if (next.status === 'backing_off') this.kick(bot.botId, 'restart');
  }

  async #attach(live: LiveRun, unit: Unit, role: 'bot' | 'query'): Promise<void> {
    for (const output of unit.outputs) {
      const source = role === 'query' ? 'query' : output.stream;
      await this.#d.telemetry.attach({ botId: live.botId, runId: live.run.runId, path: output.path, source });
    }
  }

  #enter(live: LiveRun, deadline: number | null): void {
    const set = this.#live.get(live.botId) ?? new Set();
    set.add(live);
    this.#live.set(live.botId, set);
    if (deadline !== null) later(live, Math.max(0, deadline - this.#d.now()), () => this.#end(live, 'timeout'));
    live.unit.exited
      .then(() => this.#serial.run(live.botId, () => this.#ended(live)))
      .catch((error: unknown) => this.#d.onError(`end of ${live.botId}`, error));
  }

  #end(live: LiveRun, intent: 'stop' | 'timeout'): void {
    if (live.intent === 'none') live.intent = intent;
    live.unit.stop(LIMITS.stopGraceMs).catch((error: unknown) => this.#d.onError(`stop of ${live.botId}`, error));
  }

  async #startQuery(bot: BotRow, live: LiveRun): Promise<void> {
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
          createdAt: now(),
        });
      });
      await this.#enterQuery(live, unit);
    } catch (error) {
      this.#queryEnded(bot, live, `could not be started: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #enterQuery(live: LiveRun, unit: Unit): Promise<void> {
    live.query = unit;
    await this.#attach(live, unit, 'query');
    unit.exited
      .then((exit) =>
        this.#serial.run(live.botId, async () => {
          const bot = this.#d.bots.get(live.botId);
          if (bot !== null) this.#queryEnded(bot, live, `ended (${describeEnd(exit)})`);
        }),
      )
      .catch((error: unknown) => this.#d.onError(`query program of ${live.botId}`, error));
  }

  #queryEnded(bot: BotRow, live: LiveRun, what: string): void {
    live.query = null;
    const running = this.#live.get(live.botId)?.has(live) === true && live.intent === 'none' && !this.#closing;
    if (!running) return;
    live.queryFailures += 1;
    const wait = backoffMs(live.queryFailures, this.#d.random());
    this.#d.telemetry.hostLine(
      bot.botId,
      'warn',
      `The query program ${what}; starting it again in ${Math.round(wait / 1000)} s`,
      live.run.runId,
    );
    later(live, wait, () => {
      this.#serial
        .run(live.botId, async () => {
          if (this.#live.get(live.botId)?.has(live) === true) await this.#startQuery(bot, live);
        })
        .catch((error: unknown) => this.#d.onError(`query program of ${live.botId}`, error));
    });
  }

  async #ended(live: LiveRun): Promise<void> {
    const { runs, journal, telemetry, folders, bots, now, random } = this.#d;
    const exit = await live.unit.exited;
    clearTimers(live);
    const set = this.#live.get(live.botId);
    set?.delete(live);
    if (set?.size === 0) this.#live.delete(live.botId);
    await live.query?.stop(QUERY_STOP_MS);
    await telemetry.finish(live.botId, live.run.runId);
    const bot = bots.get(live.botId);
    if (bot === null) return;
    const end = await runEnd(live, exit, bot.options.timeout_sec ?? LIMITS.runTimeoutMs / 1000);
    telemetry.hostLine(
      live.botId,
      end.status === 'failed' || end.status === 'timed_out' ? 'error' : 'info',
      `Run ended: ${end.reason?.message ?? describeEnd(exit)}`,
      live.run.runId,
    );
    const stillRunning = this.liveRuns(live.botId).length > 0;
    const change = afterRun({ bot, live, end, now: now(), random: random(), stillRunning, closing: this.#closing });
    journal.change(live.botId, change, {
      kind: 'run',
      runId: live.run.runId,
      also: () => {
        runs.end(live.run.runId, end);
        runs.removeUnit(live.run.runId, 'bot');
        runs.removeUnit(live.run.runId, 'query');
        runs.prune(live.botId, RUNS_KEPT);
      },
    });
    await rm(folders.run(live.botId, live.run.runId), { recursive: true, force: true });
    await this.#reconcile(live.botId, live.intent === 'stop' ? 'update' : 'restart');
  }

  async #erase(bot: BotRow): Promise<void> {
    clearTimeout(this.#wakeups.get(bot.botId));
    this.#wakeups.delete(bot.botId);
    await this.#d.telemetry.removeBot(bot.botId);
    await rm(this.#d.folders.bot(bot.botId), { recursive: true, force: true, maxRetries: 5 });
    this.#d.journal.note(bot, 'deleted', null, null);
    this.#d.bots.remove(bot.botId);
    this.#gone.get(bot.botId)?.resolve();
    this.#gone.delete(bot.botId);
  }
}
