import type { Bot, BotChange, DeployRequest, Reason, Run, UpdateRequest } from '../../../contract/bot.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { DEFAULT_TIMEZONE } from '../../../shared/schedule.ts';
import { COPIED, NEEDS_ARMING } from '../../../shared/waiting-reasons.ts';
import type { Armings } from '../arming/armings.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { RunStore } from '../control/run-store.ts';
import type { AllowedInterpreters } from '../engine/allowed-interpreters.ts';
import type { Engines } from '../engine/engines.ts';
import { armedChange } from './armed-change.ts';
import type { BotCode, BotCodeSource } from './bot-code.ts';
import { BotWishes } from './bot-wishes.ts';
import { changedInstance, setupOf } from './changed-instance.ts';
import { checkInstance } from './check-instance.ts';
import { currentBot, unchangedBot } from './current-bot.ts';
import { checkAsked, checkEngineOptions, engineForNew } from './engine-choice.ts';
import { setupChanges } from './failure/setup-changes.ts';
import { changedSince, startedAgain, WELL } from './health.ts';
import { assertNotHeld, assertReleased } from './holds.ts';
import { readDeployRequest, readUpdateRequest } from './instance-request.ts';
import type { Isolation } from './isolation.ts';
import type { Journal } from './journal.ts';
import { newRun } from './new-run-row.ts';
import { reason } from './reasons.ts';
import { readConfig } from './redacted-config.ts';
import type { RepeatedDeploys } from './repeated-deploys.ts';
import { settleWish } from './settle-wish.ts';
import type { StagedChanges } from './staged-changes.ts';
import type { Supervisor } from './supervisor.ts';
import { type BotRecords, toRun } from './wire-records.ts';

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
  readonly isolation: Isolation;
  readonly interpreters: Pick<AllowedInterpreters, 'check'>;
  readonly records: BotRecords;
  readonly repeatedDeploys: RepeatedDeploys;
  readonly staged: Pick<StagedChanges, 'drop'>;
  readonly armings: Pick<Armings, 'follow' | 'disarm' | 'afterChange' | 'checkByHand' | 'checkProgram' | 'waitFor'>;
  /** Throws COPIED while no bot may start here. */
  readonly assertHere: () => void;
  /** Records that a bot was deleted, as what its row says by a wish. */
  readonly putAway: (bot: BotRow) => void;
}

interface ChangeOptions {
  /** Told with what the change itself says. */
  readonly notes: readonly BotChange[];
  readonly check: (before: BotRow, after: BotRow) => void;
  /** Asked for a change of an armed bot: the name of the person who makes it. Throws where none has entered their PIN. */
  readonly inPerson: () => string;
  /** Runs in the transaction that stores the change. */
  readonly also: () => void;
}

interface StartOptions {
  readonly release: string | null;
  readonly ifGeneration?: number | undefined;
  readonly byHost?: boolean;
}

const noPerson = (): never => {
  throw new PlatformError('SESSION_REQUIRED', 'Only a person changes what an armed bot runs');
};

/** True for an update that only stops the bot. */
function onlyStops(body: UpdateRequest): boolean {
  return (
    body.enabled === false &&
    Object.keys(body).every((key) => key === 'bot_id' || key === 'enabled' || key === 'if_generation')
  );
}

/** Instances of custom bots: what deploy, update, start, stop and the removal for good do to the records. */
export class Instances {
  readonly #deps: InstancesDeps;
  readonly #wishes: BotWishes;

  constructor(deps: InstancesDeps) {
    this.#deps = deps;
    this.#wishes = new BotWishes(deps);
  }

  /**
   * Stores the instance and starts it when it is enabled. A request with an idempotency key that made a bot before answers with
   * that bot. `also` runs in the transaction that stores it.
   */
  async deploy(userId: string, body: DeployRequest, also: (botId: string) => void = () => undefined): Promise<Bot> {
    this.#deps.assertHere();
    const { idempotency_key: key, ...request } = body;
    if (key === undefined) return await this.#deploy(userId, body, () => undefined, also);
    return await this.#deps.repeatedDeploys.run({
      userId,
      key,
      request,
      make: (record) => this.#deploy(userId, body, record, also),
      read: (botId) => {
        const bot = this.#deps.bots.get(botId);
        return bot === null || bot.deleting || bot.trash !== null ? null : this.#deps.records.of(bot);
      },
    });
  }

  async #deploy(
    userId: string,
    body: DeployRequest,
    record: (botId: string) => void,
    also: (botId: string) => void,
  ): Promise<Bot> {
    const { journal, now } = this.#deps;
    const read = readDeployRequest(body);
    const code = this.#open(userId, read.customBot, read.version);
    const request = { ...read, config: readConfig(code, read.config, {}) };
    checkInstance(request, code);
    this.#checkInterpreter(code);
    const engine = await engineForNew(this.#deps.engines, request.options);
    this.#deps.isolation.checkNew(engine);
    checkEngineOptions(this.#deps.engines, request.options, engine);
    const at = now();
    const botId = this.#deps.newBotId();
    const asked: BotRow = {
      botId,
      userId,
      ...request,
      timezone: request.timezone ?? DEFAULT_TIMEZONE,
      engine,
      isolationException: null,
      deleting: false,
      trash: null,
      epoch: 1,
      generation: 1,
      status: request.type === 'scheduled' ? 'scheduled' : 'starting',
      reason: null,
      health: WELL,
      hold: null,
      restarts: 0,
      failures: 0,
      nextAttemptAt: null,
      scheduledFrom: at,
      createdAt: at,
      updatedAt: at,
    };
    const why = asked.enabled ? this.#deps.armings.waitFor(asked, 'hand') : null;
    const row: BotRow = why === null ? asked : { ...asked, enabled: false, status: 'stopped', reason: why };
    faultPoint('deploy:checked');
    const check = (): void => {
      // The version may have been removed while the engine answered.
      this.#open(userId, request.customBot, request.version);
      this.nameFree(userId, request.name, null);
      record(botId);
    };
    journal.add(row, check, () => also(botId));
    faultPoint('deploy:recorded');
    await this.#deps.supervisor.reconcile(botId, 'deploy');
    await this.#deps.supervisor.prepared(botId);
    return this.#read(botId);
  }

  /**
   * Applies a change whole or not at all; a running realtime bot restarts once. `check` sees the bot before and after it, and may
   * throw.
   */
  async update(
    given: BotRow,
    body: UpdateRequest,
    { notes = [], check = () => undefined, inPerson = noPerson, also = () => undefined }: Partial<ChangeOptions> = {},
  ): Promise<Bot> {
    const { options, enabled } = readUpdateRequest(body, given.flat);
    const how = { notes, check, inPerson, also };
    if (enabled === true) this.#deps.assertHere();
    // Asked before the bot's turn, because an engine may be slow and must not block other work on the bot.
    await checkAsked(this.#deps.engines, given.engine, options);
    // A stop waits for no trial.
    if (!onlyStops(body)) await this.#deps.isolation.retry(given.engine);
    await this.#deps.supervisor.exclusively(given.botId, () => {
      const bot = unchangedBot(this.#deps.bots, given, body.if_generation);
      this.settle(bot.botId);
      if (onlyStops(body)) this.#wishes.orWish(bot, 'stop', () => this.#change(bot, body, how));
      else this.#change(currentBot(this.#deps.bots, given), body, how);
    });
    await this.#deps.supervisor.reconcile(given.botId, 'update');
    this.#wishes.store(given);
    await this.#deps.supervisor.prepared(given.botId);
    return this.#read(given.botId);
  }

  /**
   * Ends the exception of any user's bot: it moves to an engine that isolates enough, as by an update. Throws
   * BOT_NOT_FOUND if no bot with an exception has this id.
   */
  async endException(botId: string): Promise<Bot> {
    await this.#deps.isolation.retry();
    const bot = this.#deps.bots.get(botId);
    if (bot === null || bot.deleting || bot.trash !== null || bot.isolationException === null) {
      throw new PlatformError('BOT_NOT_FOUND', 'No bot with this id runs with an exception', {
        hint: '`platform isolation list` shows those that do.',
      });
    }
    const options = { ...bot.options, engine: this.#deps.isolation.enough() };
    const message = 'An owner of the host ended the isolation exception of the bot';
    return this.update(bot, { bot_id: botId, options }, { notes: [{ what: 'host', message }] });
  }

  #change(bot: BotRow, body: UpdateRequest, { notes, check, inPerson, also }: ChangeOptions): void {
    const { journal, codes, now } = this.#deps;
    const { enabled: isWanted, ...what } = changedInstance(codes, bot, body);
    if (isWanted) assertNotHeld(bot);
    const { enabled, waits, by, ends } = armedChange(
      this.#deps.armings,
      bot,
      { ...bot, ...what, enabled: isWanted },
      inPerson,
    );
    const next = { ...what, enabled };
    const isolationException = this.#deps.isolation.afterChange(bot, next);
    checkEngineOptions(this.#deps.engines, next.options, next.engine);
    if (enabled || next.version !== bot.version)
      this.#checkInterpreter(this.#open(bot.userId, bot.customBot, next.version));
    check(bot, { ...bot, ...next });
    const same =
      JSON.stringify([next.version, next.config, next.options, next.engine]) ===
      JSON.stringify([bot.version, bot.config, bot.options, bot.engine]);
    const fresh = {
      status: bot.type === 'scheduled' ? bot.status : 'starting',
      reason: null,
      failures: 0,
      nextAttemptAt: null,
      health: same ? startedAgain(bot.health, bot.type) : changedSince(bot.health, bot.type),
    } as const;
    // Failures before the change say nothing about the bot after it.
    const anew = same ? {} : { failures: 0, nextAttemptAt: null, health: changedSince(bot.health, bot.type) };
    const revive = enabled && (!same || !bot.enabled) && this.#deps.supervisor.liveRuns(bot.botId).length === 0;
    const stopping = body.enabled === false ? this.#stopping(bot) : waits === null ? {} : this.#waiting(bot, waits);
    const isFree =
      bot.reason?.code === NEEDS_ARMING && this.#deps.armings.waitFor({ ...bot, ...next }, 'hand') === null;
    const otherTimes = next.schedule !== bot.schedule || next.timezone !== bot.timezone;
    const rescheduled = otherTimes || (enabled && !bot.enabled) ? { scheduledFrom: now() } : {};
    faultPoint('update:checked');
    journal.change(
      bot.botId,
      {
        ...next,
        isolationException,
        ...rescheduled,
        ...anew,
        ...(revive ? fresh : {}),
        // Without its live secret it need not be armed any more.
        ...(isFree ? { reason: null } : {}),
        ...stopping,
        epoch: bot.epoch + (same ? 0 : 1),
        updatedAt: now(),
      },
      {
        kind: 'updated',
        also: () => {
          this.nameFree(bot.userId, next.name, bot.botId);
          if (by !== null) this.#deps.armings.follow({ ...bot, ...next }, by);
          if (ends) this.#deps.armings.disarm(bot.botId);
          also();
        },
        changes: [...notes, ...setupChanges(setupOf(codes, bot), setupOf(codes, { ...bot, ...next }))],
      },
    );
    faultPoint('update:recorded');
  }

  /** Throws INTERPRETER_NOT_ALLOWED for code whose package names an interpreter that no owner allows. */
  #checkInterpreter({ command }: BotCode): void {
    if (command !== null) this.#deps.interpreters.check(command);
  }

  /** A bot that a change gave a live secret stops, and waits until a person arms it. */
  #waiting(bot: BotRow, why: Reason): Partial<BotRow> {
    const runs = this.#deps.supervisor.liveRuns(bot.botId).length > 0;
    return { reason: why, nextAttemptAt: null, status: runs ? 'stopping' : 'stopped' };
  }

  /**
   * Enables a bot, or retries one that failed, finished or is backing off. `release` is the hold that a person has read and
   * gives up. Throws BOT_HELD, HOLD_UNREAD or NEEDS_ARMING; `byHost` starts one, too, whose arming has ended while it was to run.
   */
  async start(given: BotRow, { release, ifGeneration, byHost = false }: StartOptions): Promise<Bot> {
    const { journal, supervisor, now } = this.#deps;
    this.#deps.assertHere();
    await this.#deps.isolation.retry(given.engine);
    await supervisor.exclusively(given.botId, () => {
      this.settle(given.botId);
      const bot = unchangedBot(this.#deps.bots, given, ifGeneration);
      assertReleased(bot, release);
      this.#deps.isolation.checkStart(bot);
      if (byHost) this.#deps.armings.checkProgram(bot);
      else this.#deps.armings.checkByHand(bot);
      const fresh = {
        reason: null,
        failures: 0,
        nextAttemptAt: null,
        health: startedAgain(bot.health, bot.type),
        ...(bot.type === 'realtime' ? { status: 'starting' as const } : {}),
      };
      const from = bot.enabled ? {} : { scheduledFrom: now() };
      const idle = supervisor.liveRuns(bot.botId).length === 0;
      journal.change(bot.botId, { enabled: true, hold: null, updatedAt: now(), ...from, ...(idle ? fresh : {}) });
    });
    await supervisor.reconcile(given.botId, 'manual');
    await supervisor.prepared(given.botId);
    return this.#read(given.botId);
  }

  /** Disables a bot; it stops and stays stopped. */
  async stop(given: BotRow, ifGeneration?: number): Promise<Bot> {
    // Waits for a running start, whose program must be stopped, too.
    await this.#deps.supervisor.exclusively(given.botId, () => {
      const bot = unchangedBot(this.#deps.bots, given, ifGeneration);
      const change = {
        enabled: false,
        nextAttemptAt: null,
        updatedAt: this.#deps.now(),
        // A bot stopped by name does not start with the others that wait.
        ...(bot.reason?.code === COPIED ? { reason: null } : {}),
        ...this.#stopping(bot),
      };
      this.#wishes.orWish(bot, 'stop', () => this.#deps.journal.change(bot.botId, change));
    });
    await this.#deps.supervisor.reconcile(given.botId, 'manual');
    this.#wishes.store(given);
    return this.#read(given.botId);
  }

  /** A disabled scheduled bot may run by hand, so only its status ends its runs. */
  #stopping({ type, botId }: BotRow): Partial<BotRow> {
    const runs = type === 'scheduled' && this.#deps.supervisor.liveRuns(botId).length > 0;
    return runs ? { status: 'stopping' } : {};
  }

  /** Ends the program of a realtime bot once; the host starts it again. */
  async restart(bot: BotRow): Promise<Bot> {
    if (bot.type === 'scheduled') {
      throw invalid('INVALID_REQUEST', [
        {
          path: 'bot_id',
          message: 'only realtime bots are restarted',
          hint: 'Run it now with `platform bot run`; `platform bot stop` ends a run that goes on.',
        },
      ]);
    }
    if (this.#deps.supervisor.liveRuns(bot.botId).length === 0) {
      throw new PlatformError('BOT_NOT_RUNNING', `${bot.name} is not running`, {
        hint: 'Start it with `platform bot start`.',
      });
    }
    this.#deps.armings.checkByHand(bot);
    await this.#deps.supervisor.restart(bot.botId);
    return this.#read(bot.botId);
  }

  /** Runs a scheduled bot now, beside its schedule. */
  async runNow(given: BotRow): Promise<Run> {
    await this.#deps.isolation.retry(given.engine);
    const bot = currentBot(this.#deps.bots, given);
    if (bot.type !== 'scheduled') {
      throw invalid('INVALID_REQUEST', [
        { path: 'bot_id', message: 'only scheduled bots are run by hand', hint: 'Use `platform bot start`.' },
      ]);
    }
    this.#deps.assertHere();
    assertNotHeld(bot);
    this.#deps.isolation.checkStart(bot);
    this.#deps.armings.checkByHand(bot);
    const run = newRun(bot, this.#deps.newRunId(), 'manual', this.#deps.now());
    this.#deps.transaction(() => {
      if (bot.options.overlap !== 'allow' && this.#deps.runs.goesOn(bot.botId)) {
        throw new PlatformError('BOT_RUNNING', `${bot.name} is running already`, { hint: 'Wait for the run to end.' });
      }
      this.#deps.runs.insert(run);
    });
    await this.#deps.supervisor.startSoon(run);
    return toRun(this.#deps.runs.get(run.runId) ?? run);
  }

  /** Stops the bot, then removes instance, state, logs, metrics and runs; resolves when nothing is left. */
  async erase(bot: BotRow): Promise<void> {
    const change = {
      deleting: true,
      enabled: false,
      reason: reason('DELETED', 'Being deleted', null, this.#deps.now()),
      ...(this.#deps.supervisor.liveRuns(bot.botId).length > 0 ? { status: 'stopping' as const } : {}),
    };
    this.#wishes.orWish(bot, 'delete', () => this.#deps.journal.change(bot.botId, change));
    faultPoint('erase:recorded');
    const gone = this.#deps.supervisor.whenGone(bot.botId);
    await this.#deps.supervisor.reconcile(bot.botId);
    this.#deps.bots.storeWish(bot.botId);
    await gone;
    if (this.#deps.bots.get(bot.botId) !== null) this.#wishes.store(bot);
  }

  /** Records what a full disk kept out of a bot's record; throws while the disk is still full. */
  settle(botId: string): void {
    settleWish(this.#deps, botId);
  }

  /** Records the changes that a full disk kept out, as far as there is space now. */
  async settleWishes(): Promise<void> {
    for (const [botId] of this.#deps.bots.wishes())
      await this.#deps.supervisor.exclusively(botId, () => this.settle(botId));
  }

  #open(userId: string, customBot: string, version: string): BotCode {
    return this.#deps.codes.open(userId, customBot, version);
  }

  /** Throws NAME_TAKEN if another bot has the name. */
  nameFree(userId: string, name: string, botId: string | null): void {
    const other = this.#deps.bots.byName(userId, name);
    if (other !== null && other.botId !== botId) {
      throw new PlatformError('NAME_TAKEN', `You have a bot named "${name}" already`, { hint: 'Choose another name.' });
    }
  }

  #read(botId: string): Bot {
    const bot = this.#deps.bots.get(botId);
    if (bot === null) throw new PlatformError('BOT_NOT_FOUND');
    return this.#deps.records.of(bot);
  }
}
