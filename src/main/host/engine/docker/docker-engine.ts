import type { NamedInterpreter } from '../../../../contract/custom-bot.ts';
import { PlatformError } from '../../../../contract/errors.ts';
import type { EngineInfo } from '../../../../contract/host.ts';
import { settlesWithin } from '../../../../node/bounded-wait.ts';
import { type Clock, systemClock } from '../../../../node/clock.ts';
import { bootId } from '../../../../node/process-identity.ts';
import { LocalState } from '../../state/local-state.ts';
import type { StateView } from '../../state/state-view.ts';
import {
  type Engine,
  type EngineNode,
  MayRun,
  type OutputFile,
  type Presence,
  type Progress,
  type Unit,
  type UnitHandle,
  type UnitLimits,
  type UnitRole,
  type UnitSpec,
} from '../engine.ts';
import { namedIn } from '../named-interpreter.ts';
import { PAUSE_AT_BYTES } from '../output-back-pressure.ts';
import { nodeFor, thisMachine } from '../placement.ts';
import { checkEntry } from '../program-entry.ts';
import { needsOf } from '../runtime-needs.ts';
import { createWarmChannel, type WarmEnds } from '../warm-channel.ts';
import { DockerConnection, isMissing, PROBE_TIMEOUT_MS } from './connection.ts';
import { containerEnvironment, LABELS } from './container-create-options.ts';
import { Removals, removeContainer } from './container-removals.ts';
import { ContainerStarter, RefusedStart } from './container-starter.ts';
import { describeEngine, TRAITS } from './describe-isolation.ts';
import { type DockerHandle, DockerUnit, ENGINE_NAME, toDockerHandle, type UnitContext } from './docker-unit.ts';
import type { DockerFacts } from './facts.ts';
import { Images } from './images.ts';
import { BotNetwork } from './network.ts';
import { listContainers, Orphans } from './orphans.ts';
import { attach, queryAddress } from './query-channels.ts';
import { type LoopbackService, reachable } from './reach-loopback-service.ts';
import { makeUnitFiles, outputsOf, readEnd, type UnitFiles, unitFiles } from './unit-files.ts';

export interface DockerEngineOptions {
  /** Address of the engine; null: DOCKER_HOST, else the usual places. */
  readonly address: string | null;
  /** Distinguishes this host's containers from any other's (node/host-id.ts). */
  readonly hostId: string;
  /** The folder with the state of a bot; keys live in its `.platform` folder. */
  readonly stateDir: (botId: string) => string;
  /** Folder with container.sh and the runners. */
  readonly runnersDir: string;
  /** Folder with the SDKs. */
  readonly sdkDir: string;
  /** For short-lived files; must be on the file system of the bots' folders. */
  readonly workDir: string;
  /** Images by runtime that replace the default ones. */
  readonly images?: Readonly<Record<string, string>>;
  /**
   * The image of an interpreter that a package names; null: that of its runtime. Throws INTERPRETER_NOT_ALLOWED. Absent: none may
   * be named.
   */
  readonly imageOfNamed?: (command: NamedInterpreter) => string | null;
  /** Limits of units whose spec sets none. */
  readonly defaultLimits?: UnitLimits;
  readonly loopbackService?: LoopbackService;
  readonly clock?: Clock;
  /** Interval of checks of a unit's output, milliseconds. */
  readonly guardMs?: number;
  /** Output of a unit that may wait to be stored before the unit is paused, in bytes. */
  readonly pauseAtBytes?: () => number;
  readonly report: (message: string, error: unknown) => void;
  readonly notice: (spec: UnitSpec, message: string) => void;
}

/** Longest time that a stopping host waits for the check of an image: an engine may hang. */
const CHECKED_MS = 10_000;

/** Enough for every known bot, and small enough that dozens of them share a laptop. */
export const DEFAULT_LIMITS = { memoryMb: 512, cpus: 1, processes: 512, temporaryMb: 64 } as const satisfies UnitLimits;

/** Runs bots in containers (docs/docker.md). */
export class DockerEngine implements Engine {
  readonly name = ENGINE_NAME;
  readonly level = 'container';
  readonly networkUse = 'own';
  readonly traits = TRAITS;
  readonly images: Images;
  readonly network: BotNetwork;
  readonly #options: DockerEngineOptions;
  readonly #connection: DockerConnection;
  readonly #removals: Removals;
  readonly #limits: UnitLimits;
  readonly #context: UnitContext;
  readonly #orphans: Orphans;
  readonly #containers: ContainerStarter;
  readonly #onBack = new Set<() => void>();

  constructor(options: DockerEngineOptions) {
    this.#options = options;
    this.#connection = new DockerConnection(options.address);
    this.#removals = new Removals(this.#connection, options.report);
    this.#orphans = new Orphans(this.#connection, options);
    this.network = new BotNetwork(this.#connection, options.hostId);
    this.images = new Images({ ...options, connection: this.#connection }, options.images ?? {}, options.imageOfNamed);
    this.#containers = new ContainerStarter({
      ...options,
      connection: this.#connection,
      images: this.images,
      network: this.network,
      orphans: this.#orphans,
      removals: this.#removals,
    });
    this.#limits = { ...DEFAULT_LIMITS, ...options.defaultLimits };
    this.#context = {
      connection: this.#connection,
      clock: options.clock ?? systemClock,
      guardMs: options.guardMs ?? 1000,
      pauseAtBytes: options.pauseAtBytes ?? (() => PAUSE_AT_BYTES),
      report: options.report,
      notice: options.notice,
      removals: this.#removals,
    };
    this.#connection.onLost(() => {
      this.images.forget();
    });
    this.#connection.onBack(() => void this.#back());
  }

  /** Removes unknown containers before anything starts: one may be a copy of that very bot. */
  async #back(): Promise<void> {
    await this.#orphans.endNow();
    for (const listener of this.#onBack) listener();
  }

  async probe(): Promise<EngineInfo> {
    try {
      // Goes through call(), which notices an engine that has gone.
      const { facts, address } = await this.#connection.call(async (connected) => {
        await connected.docker.ping();
        return connected;
      }, PROBE_TIMEOUT_MS);
      return describeEngine(facts, address);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const { address } = this.#connection;
      return {
        name: ENGINE_NAME,
        ...TRAITS,
        level: this.level,
        available: false,
        reason: error.message,
        address,
        isolation: [],
      };
    }
  }

  onBack(listener: () => void): void {
    this.#onBack.add(listener);
  }

  async presence(): Promise<Presence> {
    return this.#connection.presence;
  }

  onLost(listener: () => void): void {
    this.#connection.onLost(listener);
  }

  async prepare(runtime: string, progress?: Progress, command?: NamedInterpreter): Promise<void> {
    namedIn(needsOf(runtime), command);
    await this.images.prepare(runtime, progress, command);
  }

  async nodes(): Promise<readonly EngineNode[]> {
    return [thisMachine()];
  }

  isReady(runtime: string, command?: NamedInterpreter): boolean {
    return this.#connection.isDown || this.images.isReady(runtime, command);
  }

  async start(given: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit> {
    nodeFor(await this.nodes(), given.placement);
    const { facts } = await this.#connection.get();
    const spec = await this.#reaching(this.#withDefaults(given), facts);
    await checkEntry(spec, needsOf(spec.runtime));
    const files = unitFiles(spec.runDir, spec.role);
    const env = containerEnvironment(spec);
    const stateDir = this.#options.stateDir(spec.botId);
    await makeUnitFiles({ role: spec.role, stateDir }, files, facts.user, env.secret);
    const container = await this.#containers.create(spec, files, env.listed);
    const handle: DockerHandle = {
      engine: ENGINE_NAME,
      container: container.id,
      startedAt: this.#context.clock.now(),
      daemon: facts.id,
      boot: await bootId(),
      isOffline: spec.network === 'none',
    };
    let line: Omit<WarmEnds, 'exited'> | null = null;
    try {
      created(handle);
      if (spec.warm === true) line = await attach(this.#connection, container.id);
    } catch (error) {
      // None of the bot's code has run.
      await this.#removals.now(container.id);
      throw error;
    }
    try {
      await this.#containers.start(container.id);
      return await this.#unit(spec, handle, files, line);
    } catch (error) {
      const refused = error instanceof RefusedStart;
      // Only this call knows a query run; a bot that may run is treated like one of an earlier host.
      if (refused || spec.queryRun) await this.#removals.now(container.id);
      throw refused || spec.queryRun ? error : new MayRun(error);
    }
  }

  async #reaching(spec: UnitSpec, facts: DockerFacts): Promise<UnitSpec> {
    const { loopbackService } = this.#options;
    if (loopbackService === undefined) return spec;
    return reachable(spec, loopbackService, facts, async () => {
      await this.network.ensure();
      return this.network.gateway();
    });
  }

  async adopt(given: UnitSpec, stored: UnitHandle): Promise<Unit> {
    const spec = this.#withDefaults(given);
    const handle = toDockerHandle(stored);
    const files = unitFiles(spec.runDir, spec.role);
    if ((await readEnd(files)) !== null)
      return new DockerUnit({ spec, handle, files, address: null, warm: null }, this.#context);
    const { facts } = await this.#connection.get();
    if (facts.id !== handle.daemon) throw elsewhere();
    const { State } = await this.#connection.call(({ docker }) => docker.getContainer(handle.container).inspect());
    if (State.Status === 'created') throw new Error('the container was made and never started');
    if (State.Running) await this.#serveAgain(spec, facts);
    return this.#unit(spec, handle, files);
  }

  /** Restores the port and token that a container was started with; the bot itself needs nothing to continue. */
  async #serveAgain(spec: UnitSpec, facts: DockerFacts): Promise<void> {
    try {
      await this.#reaching(spec, facts);
    } catch (error) {
      this.#options.report(`The offline prices cannot be served to run ${spec.runId}`, error);
    }
  }

  async isGone(spec: UnitSpec, stored: unknown): Promise<boolean> {
    const handle = handleOrNull(stored);
    // The machine has restarted since: a container that the engine starts by itself is not ours.
    const outlived = handle !== null && handle.boot !== (await bootId());
    try {
      const { facts } = await this.#connection.get();
      if (handle !== null && handle.daemon !== facts.id) return outlived;
      const named = await listContainers(this.#connection, this.#options.hostId, [
        `${LABELS.run}=${spec.runId}`,
        `${LABELS.role}=${spec.role}`,
      ]);
      const known = handle === null ? [] : await this.#byId(handle.container);
      const found = [...known, ...named.map(({ Id, State }) => ({ id: Id, state: State }))];
      if (found.some(({ state }) => !['created', 'exited', 'dead'].includes(state))) return false;
      for (const { id } of found) await removeContainer(this.#connection, id);
      return true;
    } catch (error) {
      // The answer is unknown while the engine is away.
      if (error instanceof PlatformError) return outlived;
      throw error;
    }
  }

  async stillRuns(stored: unknown): Promise<boolean> {
    const handle = handleOrNull(stored);
    if (handle === null) return false;
    const { facts } = await this.#connection.get();
    if (facts.id !== handle.daemon) return false;
    return (await this.#byId(handle.container)).some(({ state }) => !['created', 'exited', 'dead'].includes(state));
  }

  async #byId(id: string): Promise<{ readonly id: string; readonly state: string }[]> {
    try {
      const { Id, State } = await this.#connection.call(({ docker }) => docker.getContainer(id).inspect());
      return [{ id: Id, state: State.Status }];
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  state(botId: string): StateView {
    return new LocalState(this.#options.stateDir(botId));
  }

  outputs(runDir: string, role: UnitRole): readonly OutputFile[] {
    return outputsOf(unitFiles(runDir, role));
  }

  async endOrphans(isKnown: (runId: string) => boolean): Promise<string[]> {
    return this.#orphans.end(isKnown, (await this.probe()).available);
  }

  async close(): Promise<void> {
    this.#orphans.close();
    try {
      await settlesWithin(CHECKED_MS, this.images.checked());
      await this.#removals.close();
      if (this.#connection.isUp) await this.network.release();
    } finally {
      this.#connection.close();
    }
  }

  #withDefaults(spec: UnitSpec): UnitSpec {
    return { ...spec, limits: { ...this.#limits, ...spec.limits } };
  }

  async #unit(
    spec: UnitSpec,
    handle: DockerHandle,
    files: UnitFiles,
    line: Omit<WarmEnds, 'exited'> | null = null,
  ): Promise<DockerUnit> {
    const address = await queryAddress(this.#connection, this.#options.hostId, spec, handle);
    const warm = line === null ? null : (exited: Promise<unknown>) => createWarmChannel({ ...line, exited });
    return new DockerUnit({ spec, handle, files, address, warm }, this.#context);
  }
}

function elsewhere(): PlatformError {
  return new PlatformError(
    'ENGINE_UNAVAILABLE',
    'The container of this bot belongs to a different engine than the one that answers now',
    {
      hint: 'Let that engine answer again (docker_host in settings.json names one). If it is gone for good, start this machine again.',
      retryAfter: 30,
    },
  );
}

function handleOrNull(stored: unknown): DockerHandle | null {
  try {
    return toDockerHandle(stored);
  } catch {
    // Written by another release, or damaged: the labels must suffice.
    return null;
  }
}
