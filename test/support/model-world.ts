import { PlatformError } from '../../src/contract/errors.ts';
import { BotBus } from '../../src/main/host/bots/bot-bus.ts';
import type { BotCode } from '../../src/main/host/bots/bot-code.ts';
import { followEngines } from '../../src/main/host/bots/engine-watch.ts';
import { shownHealth, WELL } from '../../src/main/host/bots/health.ts';
import { Holds } from '../../src/main/host/bots/holds.ts';
import { Instances } from '../../src/main/host/bots/instances.ts';
import { Isolation } from '../../src/main/host/bots/isolation.ts';
import { Journal } from '../../src/main/host/bots/journal.ts';
import type { plan } from '../../src/main/host/bots/plan.ts';
import { recoverBots, startBots } from '../../src/main/host/bots/recover.ts';
import { RepeatedDeploys } from '../../src/main/host/bots/repeated-deploys.ts';
import { createSchedulePort } from '../../src/main/host/bots/schedule-port.ts';
import { Supervisor } from '../../src/main/host/bots/supervisor.ts';
import { type OpenConfig, type StartSteps, UnitSpecs } from '../../src/main/host/bots/unit-spec.ts';
import { BotRecords } from '../../src/main/host/bots/wire-records.ts';
import type { BotRow } from '../../src/main/host/control/bot-store.ts';
import type { Engine, Unit, UnitExit, UnitHandle, UnitSpec } from '../../src/main/host/engine/engine.ts';
import { MayRun } from '../../src/main/host/engine/engine.ts';
import { Engines } from '../../src/main/host/engine/engines.ts';
import type { Telemetry } from '../../src/main/host/logs/telemetry-types.ts';
import type { SchedulePort } from '../../src/main/host/schedule/scheduler.ts';
import { ModelStore, type Tables } from './model-store.ts';
import { NO_ARMINGS, NOTHING_STAGED } from './no-armings.ts';
import type { SteadyTimers } from './steady-timers.ts';

/** The invariants of bots and their programs. A violation begins with one of these names. */
export const INVARIANTS = {
  oneProgram: 'Never two programs of a realtime bot run at once.',
  oneRunPerDueTime: 'Never two programs run for one due time.',
  stopsInTheEnd: 'A bot that is stopped, disabled or deleted has no program once faults stop, and is not started.',
  runsInTheEnd: 'A bot that shall run does so once faults stop, or has failed for a stored reason.',
  noEventLost: 'A change of state is stored with its event in one transaction, and published after that.',
  noStartBesideOrphan: 'Nothing of a bot starts while an orphan of it may run.',
  heldStaysHeld: 'No program of a held bot begins, and it has none once faults stop.',
  deletedStaysDeleted: 'A deleted bot never starts again, and goes once faults stop.',
} as const;
type Invariant = keyof typeof INVARIANTS;

/** The bots of a world; runs of `overlap` may go on side by side. */
export const MODEL_BOTS = ['realtime', 'scheduled', 'overlap'] as const;
export type ModelBot = (typeof MODEL_BOTS)[number];

/** How the next start goes wrong. */
export type StartFault = 'refused' | 'lacking' | 'broken' | 'mayRun' | 'mayNotRun';

/** A fault planted on purpose, to see that it is found. */
export interface Planted {
  readonly plan?: typeof plan;
  readonly journal?: (journal: Journal, store: ModelStore) => Journal;
}

interface Program {
  readonly runId: string;
  readonly botId: string;
  exit: UnitExit | null;
  /** Its engine can neither find it nor say that it is gone. */
  isHidden: boolean;
  isToStop: boolean;
  watchers: ((exit: UnitExit) => void)[];
}

interface Host {
  readonly supervisor: Supervisor;
  readonly instances: Instances;
  readonly holds: Holds;
  readonly schedule: SchedulePort;
  readonly engines: Engines;
  /** Requests and due times come once it has recovered. */
  /** It has taken over what an earlier host has left: it answers requests. */
  isReady: boolean;
  /** It has started its bots: what it does every few seconds goes on. */
  hasStarted: boolean;
  published: number;
  readonly stored: number;
}

/** What has happened in a world. */
export interface Counts {
  readonly deaths: number;
  readonly programs: number;
}

type Settable = 'now' | 'fuse' | 'isDiskFull' | 'failingWrites' | 'failingLogs' | 'isStubborn' | 'isClosing';

class HostDied extends Error {}

/** Something of which a test gives as much as is used. */
const partly = <T>(given: Partial<T>): T => given as T;
const never = <T>(): Promise<T> => new Promise(() => undefined);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const codeOf = (botType: BotCode['botType']): BotCode =>
  partly<BotCode>({
    botType,
    runtime: 'python311',
    botEntry: 'main.py',
    command: null,
    queryEntry: null,
    prewarmsQueries: false,
    modes: [],
    permits: null,
    codeDir: '/code',
    validate: (config) => ({ effective: config, problems: [] }),
    secrets: () => [],
    redact: (config) => config,
    mapSecrets: (config) => config,
    restore: (config) => config,
  });
const CODES = { realtime: codeOf('realtime'), scheduled: codeOf('scheduled') };
/** Nobody can reach the bot, so that nothing asks its port. */
const OPTIONS = { network: 'none' } as const;
const ENGINE = 'model';
const START = Date.parse('2026-01-01T00:00:00Z');
export const MINUTE = 60_000;

class ModelUnitSpecs extends UnitSpecs {
  /** Makes no folders. */
  override start(engine: Engine, _bot: BotRow, spec: UnitSpec, { created }: StartSteps): Promise<Unit> {
    return engine.start(spec, created);
  }
}

/**
 * A machine with bots, in memory: programs, an engine, a control database and clocks that do what a test says; and the
 * real supervisor, plan, recovery and requests of a host, which can die before and after everything that it does.
 */
export class ModelWorld {
  readonly violations: string[] = [];
  readonly store = new ModelStore((before, after) => this.#commit(before, after));
  readonly timers: SteadyTimers;
  now = START;
  /** How much more the host does before it dies. */
  fuse = Number.POSITIVE_INFINITY;
  isDiskFull = false;
  failingWrites = 0;
  failingLogs = 0;
  isStubborn = false;
  /** The host is asked to end after this command, with its programs or without. */
  isClosing: 'leave' | 'end' | null = null;
  startFaults: StartFault[] = [];
  readonly #planted: Planted;
  #host: Host | null = null;
  /** Grows with each host: what a dead one still does has no effect. */
  #epoch = 0;
  #isUp = true;
  #isReady = true;
  #holds: (() => void)[] | null = null;
  #prepares: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  #programs: Program[] = [];
  #onLost: () => void = () => undefined;
  #onBack: () => void = () => undefined;
  readonly #dueTimes = new Set<string>();
  readonly #unwantedSince = new Map<string, number>();
  #commands = 0;
  #deaths = 0;
  #ids = 0;

  constructor(timers: SteadyTimers, bots: readonly ModelBot[] = MODEL_BOTS, planted: Planted = {}) {
    this.timers = timers;
    this.#planted = planted;
    this.store.transaction(() => {
      for (const botId of bots) this.#deploy(botId);
    });
  }

  get counts(): Counts {
    return { deaths: this.#deaths, programs: this.#programs.length };
  }

  get host(): Host | null {
    return this.#host?.isReady === true ? this.#host : null;
  }

  bot(botId: string): BotRow | null {
    return this.store.bots.get(botId);
  }

  /** Changes the clock, or what goes wrong from now on. */
  set(change: Partial<Pick<ModelWorld, Settable>>): void {
    Object.assign(this, change);
  }

  /** The next command: what comes of it, as far as nothing holds it up, is done when this resolves. */
  async command(work: () => void): Promise<void> {
    this.#commands += 1;
    if (this.#host === null) this.boot();
    await turn();
    work();
    await turn();
  }

  boot(): void {
    const epoch = this.#epoch;
    const host = this.#makeHost(() => this.#alive(epoch), epoch);
    this.#host = host;
    const known = new Set(this.store.runs.units().map(({ runId }) => runId));
    const d = { bots: this.store.bots, runs: this.store.runs, supervisor: host.supervisor, onError: () => undefined };
    void recoverBots(d, known).then(async (unstarted) => {
      if (this.#host !== host) return;
      host.isReady = true;
      await startBots(d, unstarted);
      if (this.#host !== host) return;
      followEngines({ ...d, engines: host.engines });
      host.hasStarted = true;
    });
  }

  die(): void {
    const host = this.#host;
    if (host !== null) this.#deaths += 1;
    this.#host = null;
    this.store.hostDied();
    this.#epoch += 1;
    this.fuse = Number.POSITIVE_INFINITY;
    host?.supervisor.close({ leave: true }).catch(() => undefined);
    this.timers.reset();
    this.#holds = this.#holds === null ? null : [];
    this.#prepares = [];
    for (const program of this.#programs) program.watchers = [];
  }

  /** The host ends in an orderly way where that was asked for; its programs go with it, or stay. */
  async closeIfAsked(): Promise<void> {
    if (this.isClosing === null) return;
    this.#host?.supervisor.close({ leave: this.isClosing === 'leave' }).catch(() => undefined);
    this.isClosing = null;
    for (let round = 0; round < 6; round++) {
      await turn();
      this.timers.pass(MINUTE);
    }
    await turn();
    this.die();
  }

  /** What the host does every few seconds. */
  tick(): void {
    if (this.#host?.hasStarted !== true) return;
    this.host?.instances.settleWishes().catch(() => undefined);
    this.host?.supervisor.reconcileAll().catch(() => undefined);
  }

  pass(ms: number): void {
    this.now += ms;
    this.timers.pass(ms);
  }

  /** Programs that have not done so end now, as they were asked to. */
  endStopped(): void {
    for (const program of this.#programs)
      if (program.isToStop) this.#end(program, { exitCode: null, signal: 'SIGTERM' });
  }

  exit(botId: string, exit: Pick<UnitExit, 'exitCode' | 'signal'>): void {
    const program = this.#programs.find((one) => one.botId === botId && one.exit === null);
    if (program !== undefined) this.#end(program, exit);
  }

  hide(botId: string, isHidden: boolean): void {
    for (const program of this.#programs) if (program.botId === botId) program.isHidden = isHidden;
  }

  engineLost(): void {
    this.#isUp = false;
    this.#onLost();
  }

  engineBack(): void {
    this.#isUp = true;
    for (const program of this.#programs) this.#tell(program);
    if (!this.isStubborn) this.endStopped();
    this.#onBack();
  }

  /** The engine takes its time with everything, until `release`. */
  hold(): void {
    this.#holds ??= [];
  }

  release(): void {
    const holds = this.#holds ?? [];
    this.#holds = null;
    for (const resolve of holds) resolve();
  }

  unready(): void {
    this.#isReady = false;
  }

  ready(error: Error | null): void {
    this.#isReady = error === null;
    const waiting = this.#prepares;
    this.#prepares = [];
    for (const { resolve, reject } of waiting) error === null ? resolve() : reject(error);
  }

  /** Ends all faults, lets time pass until everything is as it shall be, and notes what is not. */
  async settle(): Promise<void> {
    this.#endFaults();
    let wrong: readonly string[] = [];
    for (let round = 0; round < 16; round++) {
      await this.command(() => {
        this.endStopped();
        this.tick();
      });
      wrong = this.#wrong();
      if (wrong.length === 0) break;
      await this.command(() => this.pass(MINUTE));
    }
    this.violations.push(...wrong);
  }

  #endFaults(): void {
    this.fuse = Number.POSITIVE_INFINITY;
    this.isDiskFull = false;
    this.failingWrites = 0;
    this.failingLogs = 0;
    this.isStubborn = false;
    this.startFaults = [];
    for (const program of this.#programs) program.isHidden = false;
    this.release();
    this.ready(null);
    this.engineBack();
  }

  #wrong(): string[] {
    const host = this.host;
    if (host === null) return ['runsInTheEnd: the host has not recovered'];
    const wrong: string[] = [];
    const alive = this.#alivePrograms();
    const say = (invariant: Invariant, text: string): void => void wrong.push(`${invariant}: ${text}`);
    for (const { botId, runId } of alive) {
      const isSupervised = host.supervisor.liveRuns(botId).some(({ run }) => run.runId === runId);
      if (!isSupervised) say('stopsInTheEnd', `${runId} of ${botId} runs unsupervised`);
    }
    for (const { runId, status } of this.store.runs.unfinished())
      if (!alive.some((program) => program.runId === runId))
        say('runsInTheEnd', `${runId} is ${status} without a program`);
    for (const bot of this.store.bots.all()) this.#wrongOf(bot, alive, say);
    const { published, stored } = host;
    const events = this.store.tables.events.length - stored;
    if (published !== events) say('noEventLost', `${events} stored, ${published} published`);
    return wrong;
  }

  #wrongOf(bot: BotRow, alive: readonly Program[], say: (invariant: Invariant, text: string) => void): void {
    const { botId, status, reason, enabled } = bot;
    const own = alive.filter((program) => program.botId === botId);
    const told = `${botId} is ${status} (${reason?.code}) with ${own.length} programs`;
    if (bot.deleting) {
      say('deletedStaysDeleted', told);
      return;
    }
    if (bot.hold !== null && own.length > 0) say('heldStaysHeld', told);
    if (!enabled) {
      const unasked = own.filter(({ runId }) => this.store.runs.get(runId)?.trigger !== 'manual');
      if (unasked.length > 0 || (own.length === 0 && status !== 'stopped')) say('stopsInTheEnd', told);
      return;
    }
    if (bot.type === 'scheduled') {
      if (status !== (own.length > 0 ? 'running' : 'scheduled')) say('runsInTheEnd', told);
      return;
    }
    const isDone = reason !== null && (status === 'failed' || (status === 'stopped' && reason.code === 'COMPLETED'));
    const [live] = this.host?.supervisor.liveRuns(botId) ?? [];
    const runs = own.length === 1 && status === 'running' && live?.epoch === bot.epoch;
    if (!runs && !(isDone && own.length === 0)) say('runsInTheEnd', told);
  }

  #violate(invariant: Invariant, text: string): void {
    this.violations.push(`${invariant}: ${text}`);
  }

  #alivePrograms(): Program[] {
    return this.#programs.filter(({ exit }) => exit === null);
  }

  /** A dead host does nothing more; one that lives comes a step closer to its end. */
  #alive(epoch: number): void {
    if (epoch === this.#epoch) {
      this.fuse -= 1;
      if (this.fuse >= 0) return;
      this.die();
    }
    throw new HostDied();
  }

  /** A step outside of the host: it may die before that. */
  async #gate(epoch: number): Promise<void> {
    try {
      this.#alive(epoch);
    } catch {
      return never();
    }
  }

  /** As `#gate`, in the engine, which may take its time. */
  async #enter(epoch: number): Promise<void> {
    await this.#gate(epoch);
    if (this.#holds === null) return;
    const holds = this.#holds;
    await new Promise<void>((resolve) => void holds.push(resolve));
    if (epoch !== this.#epoch) return never();
  }

  #deploy(botId: ModelBot): void {
    const type: BotRow['type'] = botId === 'realtime' ? 'realtime' : 'scheduled';
    const isScheduled = type === 'scheduled';
    const options = { ...OPTIONS, ...(botId === 'overlap' ? { overlap: 'allow' as const } : {}) };
    const [customBot, version, at] = [type, '1.0.0', this.now];
    const times = { nextAttemptAt: null, scheduledFrom: at, createdAt: at, updatedAt: at };
    const setup = {
      schedule: isScheduled ? '* * * * *' : null,
      timezone: 'UTC',
      config: {},
      flat: false,
      engine: ENGINE,
    };
    const status = isScheduled ? 'scheduled' : 'starting';
    const counts = { epoch: 1, generation: 1, restarts: 0, failures: 0 };
    const state = { enabled: true, deleting: false, trash: null, status, reason: null, health: WELL } as const;
    const own = { botId, userId: 'user_1', name: botId, type, customBot, version, options };
    this.store.bots.insert({ ...own, ...setup, ...counts, ...state, ...times, isolationException: null, hold: null });
    const health = shownHealth({ enabled: true, health: WELL, reason: null }).state;
    const event = { botId, userId: 'user_1', at, kind: 'deployed', status, health, reason: null, runId: null } as const;
    this.store.events.add({ ...event, changes: [] });
  }

  #commit(before: Tables, after: Tables): void {
    if (this.isDiskFull || this.failingWrites > 0) {
      this.failingWrites = Math.max(0, this.failingWrites - 1);
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    }
    const events = after.events.slice(before.events.length);
    for (const [botId, bot] of after.bots) {
      const old = before.bots.get(botId);
      if (old === bot) continue;
      const isShown =
        old?.status !== bot.status ||
        old.reason?.code !== bot.reason?.code ||
        shownHealth(old).state !== shownHealth(bot).state;
      const isTold = events.some((event) => event.botId === botId && event.status === bot.status);
      // A wish that the disk keeps out is shown before it is stored, and told of once it is.
      if (isShown && !isTold && !this.store.isWished(botId))
        this.#violate('noEventLost', `${botId} became ${bot.status} (${bot.reason?.code}) untold`);
      if (bot.enabled && !bot.deleting) this.#unwantedSince.delete(botId);
      else if (!this.#unwantedSince.has(botId)) this.#unwantedSince.set(botId, this.#commands);
    }
    for (const botId of before.bots.keys()) {
      if (after.bots.has(botId) || events.some((event) => event.botId === botId && event.kind === 'deleted')) continue;
      this.#violate('noEventLost', `${botId} went untold`);
    }
  }

  #checkStart(spec: UnitSpec): void {
    const { botId, runId } = spec;
    const bot = this.bot(botId);
    const isLate = (this.#unwantedSince.get(botId) ?? this.#commands) < this.#commands;
    if (bot === null || (bot.deleting && isLate)) {
      this.#violate('deletedStaysDeleted', `${botId} starts`);
      return;
    }
    const isManual = this.store.runs.get(runId)?.trigger === 'manual';
    if (!bot.enabled && isLate && !isManual) this.#violate('stopsInTheEnd', `${botId} starts while it is disabled`);
    const live = new Set(this.#host?.supervisor.liveRuns(botId).map(({ run }) => run.runId));
    for (const program of this.#programs) {
      const mayRun = program.exit === null || (program.isHidden && this.#isStored(program));
      if (program.botId !== botId || live.has(program.runId) || !mayRun) continue;
      this.#violate('noStartBesideOrphan', `${botId} starts beside ${program.runId}`);
    }
  }

  #isStored({ runId }: Program): boolean {
    const run = this.store.runs.get(runId);
    return run !== null && run.endedAt === null;
  }

  #run({ botId, runId }: UnitSpec): Program {
    const program: Program = { runId, botId, exit: null, isHidden: false, isToStop: false, watchers: [] };
    const others = this.#alivePrograms().filter((one) => one.botId === botId);
    if (botId === 'realtime' && others.length > 0) this.#violate('oneProgram', `${runId} beside ${others[0]?.runId}`);
    if ((this.bot(botId)?.hold ?? null) !== null) this.#violate('heldStaysHeld', `${runId} of ${botId} begins`);
    const scheduledAt = this.store.runs.get(runId)?.scheduledAt ?? null;
    const key = `${botId} ${scheduledAt}`;
    if (scheduledAt !== null && this.#dueTimes.has(key)) this.#violate('oneRunPerDueTime', `${key} runs twice`);
    this.#dueTimes.add(key);
    this.#programs.push(program);
    return program;
  }

  #end(program: Program, exit: Pick<UnitExit, 'exitCode' | 'signal'>): void {
    program.exit ??= { ...exit, endedAt: this.now };
    this.#tell(program);
  }

  #tell(program: Program): void {
    const { exit, watchers } = program;
    if (exit === null || !this.#isUp) return;
    program.watchers = [];
    for (const watch of watchers) watch(exit);
  }

  #unit(program: Program, epoch: number): Unit {
    const exited = new Promise<UnitExit>((resolve) => void program.watchers.push(resolve));
    this.#tell(program);
    return partly<Unit>({
      handle: { engine: ENGINE, runId: program.runId },
      startedAt: this.now,
      confinement: { level: 'none', network: 'none', gatePort: null },
      outputs: [],
      result: async () => 'missing',
      exited,
      warm: null,
      outputRead: () => undefined,
      stop: () => {
        if (epoch !== this.#epoch) return never();
        program.isToStop = true;
        if (this.#isUp && !this.isStubborn) this.#end(program, { exitCode: null, signal: 'SIGTERM' });
        return exited;
      },
    });
  }

  #checkUp(): void {
    if (!this.#isUp) throw new PlatformError('ENGINE_UNAVAILABLE', 'The engine does not answer', { retryAfter: 5 });
  }

  #find(handle: unknown): Program | undefined {
    const runId = typeof handle === 'object' && handle !== null && 'runId' in handle ? handle.runId : null;
    return this.#programs.find((program) => program.runId === runId);
  }

  async #start(spec: UnitSpec, created: (handle: UnitHandle) => void, epoch: number): Promise<Unit> {
    // What a host still does after its death has no effect.
    if (epoch === this.#epoch) this.#checkStart(spec);
    await this.#enter(epoch);
    this.#checkUp();
    const fault = this.startFaults.shift();
    if (fault === 'refused') throw new PlatformError('INVALID_CONFIG', 'refused');
    if (fault === 'lacking') throw new PlatformError('ISOLATION_REQUIRED', 'lacking', { retryAfter: 10 });
    if (fault === 'broken') throw new Error('no memory');
    created({ engine: ENGINE, runId: spec.runId });
    // A program that was not told to go never runs its code.
    if (epoch !== this.#epoch) return never();
    if (fault === 'mayNotRun') throw new MayRun(new Error('cut off'));
    const program = this.#run(spec);
    if (fault === 'mayRun') throw new MayRun(new Error('cut off'));
    await this.#enter(epoch);
    return this.#unit(program, epoch);
  }

  #engine(epoch: number): Engine {
    return partly<Engine>({
      name: ENGINE,
      level: 'none',
      isReady: () => this.#isReady,
      prepare: async () => {
        if (this.#isReady) return;
        await new Promise<void>((resolve, reject) => void this.#prepares.push({ resolve, reject }));
      },
      start: (spec, created) => this.#start(spec, created, epoch),
      adopt: async (_, handle) => {
        await this.#enter(epoch);
        this.#checkUp();
        const program = this.#find(handle);
        if (program === undefined || program.isHidden) throw new Error('cannot be found');
        return this.#unit(program, epoch);
      },
      isGone: async (_, handle) => {
        await this.#enter(epoch);
        const program = this.#find(handle);
        return this.#isUp && (program === undefined || (!program.isHidden && program.exit !== null));
      },
      outputs: () => [],
      endOrphans: async (isKnown) => {
        await this.#enter(epoch);
        this.#checkUp();
        const ended = this.#programs.filter(({ runId }) => !isKnown(runId));
        for (const program of ended) {
          program.isHidden = false;
          this.#end(program, { exitCode: null, signal: 'SIGKILL' });
        }
        return ended.map(({ runId }) => runId);
      },
      onLost: (listener) => {
        this.#onLost = listener;
      },
      onBack: (listener) => {
        this.#onBack = listener;
      },
    });
  }

  #telemetry(epoch: number): Telemetry {
    const log = async (): Promise<void> => {
      await this.#gate(epoch);
      if (this.failingLogs === 0) return;
      this.failingLogs -= 1;
      throw new Error('the log cannot be written');
    };
    const hostLine = (): void => undefined;
    return partly<Telemetry>({
      openBot: log,
      attach: log,
      finish: log,
      removeBot: log,
      unread: async () => 0,
      hostLine,
    });
  }

  #makeHost(alive: () => void, epoch: number): Host {
    const now = (): number => this.now;
    const onError = (): void => undefined;
    const transaction = <T>(work: () => T): T => {
      alive();
      const done = this.store.transaction(work);
      alive();
      return done;
    };
    const newRunId = (): string => {
      this.#ids += 1;
      return `run_${String(this.#ids).padStart(6, '0')}`;
    };
    const bots = guarded(this.store.bots, alive);
    const runs = guarded(this.store.runs, alive);
    const { events } = this.store;
    const bus = new BotBus();
    const real = new Journal({ bots, events, bus, transaction, now });
    const journal = this.#planted.journal?.(real, this.store) ?? real;
    const engines = new Engines([this.#engine(epoch)], 'process');
    const isolation = new Isolation('none', engines);
    const codes = { open: (_: string, name: string) => (name === 'realtime' ? CODES.realtime : CODES.scheduled) };
    const folders = { bot: () => '/bots/bot', state: () => '/state', run: () => '/run' };
    const state = { sweepTemp: async () => 0 };
    const openConfig: OpenConfig = (_, config) => ({ config, values: [], isLive: false });
    const unitSpecs = new ModelUnitSpecs({
      engines,
      codes,
      folders,
      state,
      isolation,
      tokens: { query: () => 'token', control: () => 'control' },
      openConfig,
      networks: { pass: () => null, environment: async () => ({ env: {}, way: null }) },
      armings: NO_ARMINGS,
    });
    const supervisor = new Supervisor({
      bots,
      runs,
      events,
      journal,
      unitSpecs,
      telemetry: this.#telemetry(epoch),
      folders,
      removeTree: () => this.#gate(epoch),
      newRunId,
      now,
      random: () => 0.5,
      plan: this.#planted.plan,
      onError,
    });
    const liveRuns = (botId: string) => supervisor.liveRuns(botId);
    const records = new BotRecords({
      bots,
      runs,
      codes,
      liveRuns,
      isolation,
      armings: NO_ARMINGS,
      staged: NOTHING_STAGED,
      now,
      url: () => '',
    });
    const port = { bots, runs, supervisor, transaction, newRunId, now, onError };
    const own = {
      journal,
      codes,
      engines,
      isolation,
      records,
      newBotId: () => 'bot',
      assertHere: () => undefined,
      putAway: () => undefined,
    };
    // Their packages name none.
    const interpreters = { check: () => ({}) };
    const keys = { find: () => null, add: () => undefined };
    const repeatedDeploys = new RepeatedDeploys({ keys, hostKey: 'key', now });
    const given = { interpreters, repeatedDeploys, armings: NO_ARMINGS, staged: NOTHING_STAGED };
    const instances = new Instances({ ...port, ...own, ...given });
    const newHoldId = (): string => `hold_${newRunId()}`;
    const stored = this.store.tables.events.length;
    const host: Host = {
      supervisor,
      instances,
      holds: new Holds({ bots, journal, supervisor, staged: NOTHING_STAGED, newHoldId, now, onError }),
      schedule: createSchedulePort(port),
      engines,
      isReady: false,
      hasStarted: false,
      published: 0,
      stored,
    };
    bus.subscribe(() => {
      host.published += 1;
    });
    return host;
  }
}

/** An object whose functions ask first whether their host lives. */
function guarded<T extends object>(of: T, alive: () => void): T {
  const entries = Object.entries(of).map(([name, value]) => {
    const call = (...given: unknown[]): unknown => {
      alive();
      return Reflect.apply(value, of, given);
    };
    return [name, call];
  });
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}
