import { PassThrough } from 'node:stream';
import type { Container, ContainerInspectInfo } from 'dockerode';
import { PlatformError } from '../../../contract/errors.ts';
import type { EngineInfo } from '../../../contract/host.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { checkEntry, needsOf } from '../command-line.ts';
import type { Engine, OutputFile, Progress, Unit, UnitHandle, UnitLimits, UnitRole, UnitSpec } from '../engine.ts';
import { HOLD_BYTES } from '../output-guard.ts';
import { createWarmChannel, type WarmEnds } from '../warm-channel.ts';
import { type Connected, DockerConnection, isMissing, refusalOf } from './connection.ts';
import {
  containerEnvironment,
  containerName,
  describeContainer,
  LABELS,
  QUERY_PORT,
  servesQueries,
} from './container.ts';
import {
  type DockerHandle,
  DockerUnit,
  ENGINE_NAME,
  type QueryAddress,
  removeContainer,
  toDockerHandle,
  type UnitContext,
} from './docker-unit.ts';
import { type DockerFacts, isDirect } from './facts.ts';
import { Images } from './images.ts';
import { describeEngine } from './isolation.ts';
import { type LoopbackService, reachable } from './loopback-service.ts';
import { BotNetwork } from './network.ts';
import { makeUnitFiles, outputsOf, readEnd, type UnitFiles, unitFiles } from './unit-files.ts';

export interface DockerEngineOptions {
  /** Where the engine listens; null: DOCKER_HOST, else the usual places. */
  readonly address: string | null;
  /** Tells this host's containers from those of any other (base/host-id.ts). */
  readonly hostId: string;
  /** Folder with container.sh and the runners. */
  readonly runnersDir: string;
  /** Folder with the SDKs. */
  readonly sdkDir: string;
  /** For short-lived files; must lie where the folders of bots lie. */
  readonly workDir: string;
  /** Images by runtime, in place of the default ones. */
  readonly images?: Readonly<Record<string, string>>;
  /** Limits of units whose spec sets none. */
  readonly defaultLimits?: UnitLimits;
  readonly loopbackService?: LoopbackService;
  readonly clock?: Clock;
  /** How often the output of a unit is looked at, milliseconds. */
  readonly guardMs?: number;
  /** Output of a unit that may wait to be stored before the unit is held, in bytes. */
  readonly holdBytes?: number;
  readonly report: (message: string, error: unknown) => void;
  readonly notice: (spec: UnitSpec, message: string) => void;
}

/** Room for every bot we know, and little enough that dozens of them share a laptop. */
export const DEFAULT_LIMITS = { memoryMb: 512, cpus: 1, processes: 512, temporaryMb: 64 } as const satisfies UnitLimits;

/** Runs bots in containers (architecture.md, decision 8). */
export class DockerEngine implements Engine {
  readonly name = ENGINE_NAME;
  readonly images: Images;
  readonly network: BotNetwork;
  readonly #o: DockerEngineOptions;
  readonly #connection: DockerConnection;
  readonly #limits: UnitLimits;
  readonly #context: UnitContext;
  /** Containers that must not run and could not be removed, by id, with their bots: nothing of those is started before. */
  readonly #doomed = new Map<string, string>();
  /** A sweep that the engine was not there for, limited to what an earlier host has made. */
  #sweep: (() => Promise<string[]>) | null = null;

  constructor(options: DockerEngineOptions) {
    this.#o = options;
    this.#connection = new DockerConnection(options.address);
    this.network = new BotNetwork(this.#connection, options.hostId);
    this.images = new Images({ ...options, connection: this.#connection }, options.images ?? {});
    this.#limits = { ...DEFAULT_LIMITS, ...options.defaultLimits };
    this.#context = {
      connection: this.#connection,
      clock: options.clock ?? systemClock,
      guardMs: options.guardMs ?? 1000,
      holdBytes: options.holdBytes ?? HOLD_BYTES,
      report: options.report,
      notice: options.notice,
    };
    this.#connection.onLost(() => {
      this.images.forget();
    });
    this.#connection.onBack(() => {
      this.#sweepNow().catch((error: unknown) =>
        options.report('Containers that nobody knows could not be removed', error),
      );
    });
  }

  async probe(): Promise<EngineInfo> {
    try {
      // A call, so that an engine that is gone is noticed here.
      const facts = await this.#connection.call(async (connected) => {
        await connected.docker.ping();
        return connected.facts;
      });
      return describeEngine(facts);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { name: ENGINE_NAME, available: false, reason: error.message, isolation: [] };
    }
  }

  onBack(listener: () => void): void {
    this.#connection.onBack(listener);
  }

  onLost(listener: () => void): void {
    this.#connection.onLost(listener);
  }

  async prepare(runtime: string, progress?: Progress): Promise<void> {
    needsOf(runtime);
    await this.images.prepare(runtime, progress);
  }

  isReady(runtime: string): boolean {
    return this.#connection.isDown || this.images.isReady(runtime);
  }

  async start(given: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit> {
    const { facts } = await this.#connection.get();
    const spec = await this.#reaching(this.#withDefaults(given), facts);
    await this.#removeDoomed(spec.botId);
    await checkEntry(spec, needsOf(spec.runtime));
    const files = unitFiles(spec.runDir, spec.role);
    const env = containerEnvironment(spec);
    await makeUnitFiles(spec, files, facts.user, env.secret);
    const container = await this.#create(spec, files, env.listed);
    const handle: DockerHandle = {
      engine: ENGINE_NAME,
      container: container.id,
      startedAt: this.#context.clock.now(),
    };
    try {
      created(handle);
      const line = spec.warm === true ? await this.#attach(container.id) : null;
      await this.#run(container.id);
      return await this.#unit(spec, handle, files, line);
    } catch (error) {
      this.#doomed.set(container.id, spec.botId);
      await this.#removeDoomed(spec.botId).catch((failure: unknown) =>
        this.#o.report(`The container of run ${spec.runId} could not be removed yet`, failure),
      );
      throw error;
    }
  }

  async #reaching(spec: UnitSpec, facts: DockerFacts): Promise<UnitSpec> {
    const { loopbackService } = this.#o;
    if (loopbackService === undefined) return spec;
    return reachable(spec, loopbackService, facts, async () => {
      await this.network.ensure();
      return this.network.gateway();
    });
  }

  /** A container whose start failed half-way may run all the same: a second copy must not be started beside it. */
  async #removeDoomed(botId: string): Promise<void> {
    for (const [id, owner] of this.#doomed) {
      if (owner !== botId) continue;
      await removeContainer(this.#connection, id);
      this.#doomed.delete(id);
    }
  }

  async adopt(given: UnitSpec, stored: UnitHandle): Promise<Unit> {
    const spec = this.#withDefaults(given);
    const handle = toDockerHandle(stored);
    const files = unitFiles(spec.runDir, spec.role);
    if ((await readEnd(files)) !== null)
      return new DockerUnit({ spec, handle, files, address: null, warm: null }, this.#context);
    const { State } = await this.#connection.call(({ docker }) => docker.getContainer(handle.container).inspect());
    if (State.Status === 'created') throw new Error('the container was made and never started');
    // What it was told to ask for must be there again.
    if (State.Running) await this.#reaching(spec, (await this.#connection.get()).facts);
    return this.#unit(spec, handle, files);
  }

  async isGone(spec: UnitSpec, _handle: unknown): Promise<boolean> {
    try {
      const found = await this.#list([`${LABELS.run}=${spec.runId}`, `${LABELS.role}=${spec.role}`]);
      const runs = found.some(({ State }) => !['created', 'exited', 'dead'].includes(State));
      if (!runs) for (const { Id } of found) await removeContainer(this.#connection, Id);
      return !runs;
    } catch (error) {
      // Nobody can tell while the engine is away.
      if (error instanceof PlatformError) return false;
      throw error;
    }
  }

  outputs(runDir: string, role: UnitRole): readonly OutputFile[] {
    return outputsOf(unitFiles(runDir, role));
  }

  async endStrays(_botsDir: string, isKnown: (runId: string) => boolean): Promise<string[]> {
    if ((await this.probe()).available) return this.#removeUnknown(isKnown, Number.POSITIVE_INFINITY);
    const before = this.#context.clock.now();
    this.#sweep = () => this.#removeUnknown(isKnown, before);
    return [];
  }

  async #sweepNow(): Promise<void> {
    const sweep = this.#sweep;
    this.#sweep = null;
    await sweep?.();
  }

  /** `before`: only containers that were made earlier, ms since the epoch. */
  async #removeUnknown(isKnown: (runId: string) => boolean, before: number): Promise<string[]> {
    const ended = new Set<string>();
    for (const { Id, Labels, Created } of await this.#list([])) {
      const runId = Labels[LABELS.run] ?? '';
      if (isKnown(runId) || Created * 1000 >= before) continue;
      await removeContainer(this.#connection, Id);
      ended.add(runId);
    }
    return [...ended];
  }

  async close(): Promise<void> {
    if (this.#connection.isUp) await this.network.release();
    this.#connection.close();
  }

  #withDefaults(spec: UnitSpec): UnitSpec {
    return { ...spec, limits: { ...this.#limits, ...spec.limits } };
  }

  /** Containers of this host, running or not, that carry all of the labels. */
  #list(labels: readonly string[]) {
    const label = [`${LABELS.host}=${this.#o.hostId}`, ...labels];
    return this.#connection.call(({ docker }) => docker.listContainers({ all: true, filters: { label } }));
  }

  /** Makes the container. What was removed behind our back (image, network) is made again, once. */
  async #create(spec: UnitSpec, files: UnitFiles, env: Readonly<Record<string, string>>): Promise<Container> {
    for (let attempt = 0; ; attempt++) {
      const image = await this.images.prepare(spec.runtime);
      const network = spec.network === 'none' ? null : await this.network.ensure();
      try {
        return await this.#connection.call(({ docker, facts }) =>
          docker.createContainer(describeContainer(spec, { ...this.#o, image, facts, files, network }, env)),
        );
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === null) throw error;
        if (attempt > 0) throw this.#refused(refusal.message, error);
        if (refusal.status === 409) await this.#clearName(spec);
        else this.images.forget();
      }
    }
  }

  /** Removes what has the name of a unit and does not run: an earlier program of the same role that is on its way out. */
  async #clearName(spec: UnitSpec): Promise<void> {
    const name = containerName(this.#o.hostId, spec.runId, spec.role);
    let info: ContainerInspectInfo;
    try {
      info = await this.#connection.call(({ docker }) => docker.getContainer(name).inspect());
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    if (info.State.Running || info.State.Paused) {
      throw new PlatformError(
        'ENGINE_UNAVAILABLE',
        'This program of the bot runs already, so a second copy was not started',
        {
          retryAfter: 5,
        },
      );
    }
    await removeContainer(this.#connection, info.Id);
  }

  #refused(message: string, cause: unknown): PlatformError {
    return new PlatformError('ENGINE_UNAVAILABLE', `The container engine could not start the bot: ${message.trim()}`, {
      hint: "The message is the engine's own. `platform doctor` looks at the engine and its images.",
      retryAfter: 30,
      cause,
    });
  }

  async #run(id: string): Promise<void> {
    try {
      await this.#connection.call(({ docker }) => docker.getContainer(id).start());
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      throw this.#refused(refusal.message, error);
    }
  }

  /** The line to a program that waits for its question: what it reports comes on the container's own stdout. */
  #attach(id: string): Promise<Omit<WarmEnds, 'exited'>> {
    return this.#connection.call(async ({ patient }) => {
      const options = { stream: true, stdin: true, stdout: true, hijack: true };
      const both = await patient.getContainer(id).attach(options);
      const input = new PassThrough();
      const reports = new PassThrough();
      input.pipe(both);
      input.on('close', () => both.end());
      patient.modem.demuxStream(both, reports, new PassThrough().resume());
      for (const end of ['end', 'close', 'error']) both.on(end, () => reports.end());
      return { input, reports };
    });
  }

  async #unit(
    spec: UnitSpec,
    handle: DockerHandle,
    files: UnitFiles,
    line: Omit<WarmEnds, 'exited'> | null = null,
  ): Promise<DockerUnit> {
    const address = servesQueries(spec) ? await this.#address(spec, handle) : null;
    const warm = line === null ? null : (exited: Promise<unknown>) => createWarmChannel({ ...line, exited });
    return new DockerUnit({ spec, handle, files, address, warm }, this.#context);
  }

  /** Where queries go: to the bot's container, whose network its query program shares. */
  async #address(spec: UnitSpec, handle: DockerHandle): Promise<QueryAddress | null> {
    const holder = spec.role === 'bot' ? handle.container : containerName(this.#o.hostId, spec.runId, 'bot');
    try {
      return await this.#connection.call((connected) => addressOf(connected, holder));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

async function addressOf({ docker, facts }: Connected, id: string): Promise<QueryAddress | null> {
  const { NetworkSettings } = await docker.getContainer(id).inspect();
  if (!isDirect(facts)) {
    const port = Number(NetworkSettings.Ports?.[`${QUERY_PORT}/tcp`]?.[0]?.HostPort);
    return Number.isInteger(port) && port > 0 ? { host: '127.0.0.1', port } : null;
  }
  const host = Object.values(NetworkSettings.Networks ?? {})
    .map((one) => one.IPAddress)
    .find((one) => one !== undefined && one !== '');
  return host === undefined ? null : { host, port: QUERY_PORT };
}
