import type { Bot, DeployRequest, Run, UpdateRequest } from '../../contract/bot.ts';
import { invalid, PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { parseCron } from '../../isomorphic/cron.ts';
import { faultPoint } from '../base/fault-point.ts';
import type { Engines } from '../engine/engines.ts';
import type { BotRow, BotStore } from '../store/bot-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { BotCode, BotCodeSource } from './bot-code.ts';
import { checkAsked, checkEngineOptions, engineForNew } from './engine-choice.ts';
import { type Setup, setupChanges } from './failure/config-changes.ts';
import { type InstanceRequest, readDeployRequest, readUpdateRequest, splitType } from './instance-request.ts';
import type { Journal } from './journal.ts';
import { newRun } from './new-run.ts';
import { reason } from './reasons.ts';
import { type BotRecords, toRun } from './records.ts';
import { changedConfig, readConfig, shownConfig } from './shown-config.ts';
import type { Supervisor } from './supervisor.ts';

export interface InstancesDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly journal: Journal;
  readonly codes: BotCodeSource;
  readonly supervisor: Supervisor;
  readonly transaction: <T>(work: () => T) => T;
  readonly newBotId: () => string;
  readonly newRunId: () => string;
  readonly now: () => number;
  readonly engines: Engines;
  readonly records: BotRecords;
}

type Shape = Pick<InstanceRequest, 'type' | 'schedule' | 'config'>;

/** Instances of custom bots: what deploy, update, start, stop and delete do to the records (wire.md section 3). */
export class Instances {
  readonly #d: InstancesDeps;

  constructor(deps: InstancesDeps) {
    this.#d = deps;
  }

  /** Stores the instance and starts it when it is enabled. */
  async deploy(userId: string, body: DeployRequest): Promise<Bot> {
    const { journal, now } = this.#d;
    const read = readDeployRequest(body);
    const code = this.#open(userId, read.customBot, read.version);
    const request = { ...read, config: readConfig(code, read.config, {}) };
    this.#check(request, code);
    const engine = await engineForNew(this.#d.engines, request.options);
    checkEngineOptions(request.options, engine);
    const at = now();
    const botId = this.#d.newBotId();
    const row: BotRow = {
      botId,
      userId,
      ...request,
      engine,
      deleting: false,
      generation: 1,
      status: request.type === 'scheduled' ? 'scheduled' : 'starting',
      reason: null,
      restarts: 0,
      failures: 0,
      nextAttemptAt: null,
      scheduledFrom: at,
      createdAt: at,
      updatedAt: at,
    };
    faultPoint('deploy:checked');
    journal.add(row, () => {
      // The version may have been removed while the engine was asked.
      this.#open(userId, request.customBot, request.version);
      this.#nameFree(userId, request.name, null);
    });
    faultPoint('deploy:recorded');
    await this.#d.supervisor.reconcile(botId, 'deploy');
    await this.#d.supervisor.prepared(botId);
    return this.#read(botId);
  }

  /** Applies a change whole or not at all; a running realtime bot restarts once. */
  async update(given: BotRow, body: UpdateRequest): Promise<Bot> {
    const { options } = readUpdateRequest(body, given.flat);
    // Asked before the bot's turn: an engine may take its time to answer, and nothing else of the bot is to wait for that.
    await checkAsked(this.#d.engines, given.engine, options);
    await this.#d.supervisor.exclusively(given.botId, () => this.#change(this.#current(given), body));
    await this.#d.supervisor.reconcile(given.botId, 'update');
    await this.#d.supervisor.prepared(given.botId);
    return this.#read(given.botId);
  }

  #change(bot: BotRow, body: UpdateRequest): void {
    const { journal, now } = this.#d;
    const change = readUpdateRequest(body, bot.flat);
    const wanted = change.type === undefined ? null : splitType(change.type);
    if (wanted !== null && (wanted.type !== bot.type || wanted.customBot !== bot.customBot)) {
      throw invalid('INVALID_REQUEST', [
        {
          path: 'type',
          message: `a bot keeps its custom bot (${bot.type}/${bot.customBot})`,
          hint: 'Deploy a new bot for another custom bot.',
        },
      ]);
    }
    const version = change.version ?? bot.version;
    const code = this.#open(bot.userId, bot.customBot, version);
    const before = version === bot.version ? code : this.#open(bot.userId, bot.customBot, bot.version);
    const config = changedConfig(code, before, change, bot.config);
    const schedule = change.schedule === undefined ? bot.schedule : change.schedule;
    this.#check({ type: bot.type, schedule, config }, code);
    const enabled = change.enabled ?? bot.enabled;
    const next = {
      name: change.name ?? bot.name,
      version,
      schedule,
      config,
      options: change.options ?? bot.options,
      engine: change.options?.engine ?? bot.engine,
      enabled,
    };
    checkEngineOptions(next.options, next.engine);
    const same =
      JSON.stringify([next.version, next.config, next.options, next.engine]) ===
      JSON.stringify([bot.version, bot.config, bot.options, bot.engine]);
    const fresh = {
      status: bot.type === 'scheduled' ? bot.status : 'starting',
      reason: null,
      failures: 0,
      nextAttemptAt: null,
    } as const;
    // Failures of what it was before say nothing of what it is from now on.
    const anew = same ? {} : { failures: 0, nextAttemptAt: null };
    const revive = enabled && (!same || !bot.enabled) && this.#d.supervisor.liveRuns(bot.botId).length === 0;
    const stopping = change.enabled === false ? this.#stopping(bot) : {};
    const rescheduled = schedule !== bot.schedule || (enabled && !bot.enabled) ? { scheduledFrom: now() } : {};
    faultPoint('update:checked');
    journal.change(
      bot.botId,
      {
        ...next,
        ...rescheduled,
        ...anew,
        ...(revive ? fresh : {}),
        ...stopping,
        generation: bot.generation + (same ? 0 : 1),
        updatedAt: now(),
      },
      {
        kind: 'updated',
        also: () => this.#nameFree(bot.userId, next.name, bot.botId),
        changes: setupChanges(this.#setup(bot), this.#setup({ ...bot, ...next })),
      },
    );
    faultPoint('update:recorded');
  }

  /** The record as it is by now: it may have changed, or be on its way out, while its turn was waited for. */
  #current({ botId }: BotRow): BotRow {
    const bot = this.#d.bots.get(botId);
    if (bot === null || bot.deleting) throw new PlatformError('BOT_NOT_FOUND');
    return bot;
  }

  /** Enables a bot, or tries again one that failed, finished or waits for its next attempt. */
  async start(given: BotRow): Promise<Bot> {
    const { journal, supervisor, now } = this.#d;
    await supervisor.exclusively(given.botId, () => {
      const bot = this.#current(given);
      const fresh = {
        reason: null,
        failures: 0,
        nextAttemptAt: null,
        ...(bot.type === 'realtime' ? { status: 'starting' as const } : {}),
      };
      const from = bot.enabled ? {} : { scheduledFrom: now() };
      const idle = supervisor.liveRuns(bot.botId).length === 0;
      journal.change(bot.botId, { enabled: true, updatedAt: now(), ...from, ...(idle ? fresh : {}) });
    });
    await supervisor.reconcile(given.botId, 'manual');
    await supervisor.prepared(given.botId);
    return this.#read(given.botId);
  }

  /** Disables a bot; it stops and stays stopped. */
  async stop(bot: BotRow): Promise<Bot> {
    // After a start that is going on: it must find its end, too.
    await this.#d.supervisor.exclusively(bot.botId, () => {
      const change = { enabled: false, nextAttemptAt: null, updatedAt: this.#d.now(), ...this.#stopping(bot) };
      this.#d.journal.change(bot.botId, change);
    });
    await this.#d.supervisor.reconcile(bot.botId, 'manual');
    return this.#read(bot.botId);
  }

  /** A scheduled bot that is disabled may be run by hand: only its status says that its runs are to end. */
  #stopping({ type, botId }: BotRow): Partial<BotRow> {
    const runs = type === 'scheduled' && this.#d.supervisor.liveRuns(botId).length > 0;
    return runs ? { status: 'stopping' } : {};
  }

  /** Ends the program of a realtime bot once; it comes back by itself. */
  restart(bot: BotRow): Bot {
    if (bot.type === 'scheduled') {
      throw invalid('INVALID_REQUEST', [
        {
          path: 'bot_id',
          message: 'only realtime bots are restarted',
          hint: 'Run it now with `platform bot run`; `platform bot stop` ends a run that goes on.',
        },
      ]);
    }
    if (this.#d.supervisor.liveRuns(bot.botId).length === 0) {
      throw new PlatformError('BOT_NOT_RUNNING', `${bot.name} is not running`, {
        hint: 'Start it with `platform bot start`.',
      });
    }
    this.#d.supervisor.restart(bot.botId);
    return this.#read(bot.botId);
  }

  /** Runs a scheduled bot now, beside its schedule. */
  async runNow(bot: BotRow): Promise<Run> {
    if (bot.type !== 'scheduled') {
      throw invalid('INVALID_REQUEST', [
        { path: 'bot_id', message: 'only scheduled bots are run by hand', hint: 'Use `platform bot start`.' },
      ]);
    }
    const run = newRun(bot, this.#d.newRunId(), 'manual', this.#d.now());
    this.#d.transaction(() => {
      if (bot.options.overlap !== 'allow' && this.#d.runs.goesOn(bot.botId)) {
        throw new PlatformError('BOT_RUNNING', `${bot.name} is running already`, { hint: 'Wait for the run to end.' });
      }
      this.#d.runs.insert(run);
    });
    await this.#d.supervisor.startSoon(run);
    return toRun(this.#d.runs.get(run.runId) ?? run);
  }

  /**
   * Stops the bot, then removes instance, state, logs, metrics and runs; resolves when nothing is left. `endOthers` ends
   * what else works on the bot, after nothing new can begin and before anything is removed.
   */
  async delete(bot: BotRow, endOthers: () => Promise<void>): Promise<void> {
    faultPoint('delete:asked');
    this.#d.journal.change(bot.botId, {
      deleting: true,
      enabled: false,
      reason: reason('DELETED', 'Being deleted', null, this.#d.now()),
      ...(this.#d.supervisor.liveRuns(bot.botId).length > 0 ? { status: 'stopping' as const } : {}),
    });
    faultPoint('delete:recorded');
    const gone = this.#d.supervisor.whenGone(bot.botId);
    await endOthers();
    await this.#d.supervisor.reconcile(bot.botId);
    await gone;
  }

  #setup(bot: BotRow): Setup {
    const { version, schedule, options, engine } = bot;
    const code = this.#open(bot.userId, bot.customBot, version);
    const config = code.validate(bot.config).effective;
    return { version, runtime: code.runtime, engine, schedule, options, config, shown: shownConfig(code, config) };
  }

  #open(userId: string, customBot: string, version: string): BotCode {
    return this.#d.codes.open(userId, customBot, version);
  }

  #check(request: Shape, code: BotCode): void {
    if (request.type !== code.botType) {
      throw invalid('INVALID_REQUEST', [
        { path: 'type', message: `this custom bot is ${code.botType}`, hint: `Write ${code.botType}/<name> in type.` },
      ]);
    }
    if (request.type === 'realtime' && request.schedule !== null) {
      throw invalid('INVALID_SCHEDULE', [
        { path: 'schedule', message: 'a realtime bot has no schedule', hint: 'Leave schedule out.' },
      ]);
    }
    if (request.type === 'scheduled') {
      if (request.schedule === null) {
        throw invalid('INVALID_SCHEDULE', [
          {
            path: 'schedule',
            message: 'a scheduled bot needs a schedule',
            hint: 'For example "0 14 * * 1-5": 14:00 UTC on weekdays.',
          },
        ]);
      }
      parseCron(request.schedule);
    }
    if (Buffer.byteLength(JSON.stringify(request.config)) > LIMITS.configBytes) {
      throw invalid('INVALID_CONFIG', [{ path: 'config', message: `larger than ${LIMITS.configBytes} bytes` }]);
    }
    const { problems } = code.validate(request.config);
    if (problems.length > 0) throw invalid('INVALID_CONFIG', problems);
  }

  #nameFree(userId: string, name: string, botId: string | null): void {
    const other = this.#d.bots.byName(userId, name);
    if (other !== null && other.botId !== botId) {
      throw new PlatformError('NAME_TAKEN', `You have a bot named "${name}" already`, { hint: 'Choose another name.' });
    }
  }

  #read(botId: string): Bot {
    const bot = this.#d.bots.get(botId);
    if (bot === null) throw new PlatformError('BOT_NOT_FOUND');
    return this.#d.records.of(bot);
  }
}
