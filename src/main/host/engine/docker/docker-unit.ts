import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { PlatformError } from '../../../../contract/errors.ts';
import type { StopReason } from '../../../../contract/stop-reason.ts';
import type { Clock } from '../../../../node/clock.ts';
import { type BoundedText, readUntrusted } from '../../../../node/read-untrusted.ts';
import type {
  Confinement,
  OutputFile,
  Place,
  Unit,
  UnitExit,
  UnitHandle,
  UnitSpec,
  UnitStats,
  WarmChannel,
} from '../engine.ts';
import { OutputBackPressure, pause } from '../output-back-pressure.ts';
import { connectTo, servesNone } from '../query-connection.ts';
import { StopHook, type StopHookEnd } from '../stop-hook.ts';
import { type DockerConnection, isMissing, refusalOf, waitForEnd } from './connection.ts';
import { endOf } from './container-end.ts';
import type { Removals } from './container-removals.ts';
import { toStats } from './stats.ts';
import { outputsOf, readEnd, type UnitFiles, writeEnd } from './unit-files.ts';

export const ENGINE_NAME = 'docker';

/** Stored data for finding a container again. */
export interface DockerHandle extends UnitHandle {
  readonly engine: typeof ENGINE_NAME;
  /** Full id of the container. */
  readonly container: string;
  readonly startedAt: number;
  /** Id of the engine that has the container: no other engine knows its state. */
  readonly daemon: string;
  /** Boot of this machine: no container of ours outlives it. */
  readonly boot: string;
  /** True where the container has no network; absent of one that an earlier release started. */
  readonly isOffline?: boolean;
}

/** Checks a stored handle. Throws for a handle of another engine. */
export function toDockerHandle(handle: unknown): DockerHandle {
  if (typeof handle === 'object' && handle !== null && 'engine' in handle && 'container' in handle) {
    const { engine, container } = handle;
    const { startedAt, daemon, boot, isOffline } = {
      ...{ startedAt: null, daemon: null, boot: null, isOffline: false },
      ...handle,
    };
    const isOurs = engine === ENGINE_NAME && typeof container === 'string' && typeof startedAt === 'number';
    if (isOurs && typeof daemon === 'string' && typeof boot === 'string')
      return { engine, container, startedAt, daemon, boot, isOffline: isOffline === true };
  }
  throw new Error(`not a unit of the docker engine: ${JSON.stringify(handle)}`);
}

/** Services that a unit needs from its engine. */
export interface UnitContext {
  readonly connection: DockerConnection;
  readonly clock: Clock;
  /** Interval between checks of the output, in ms. */
  readonly guardMs: number;
  readonly pauseAtBytes: () => number;
  readonly report: (message: string, error: unknown) => void;
  readonly notice: (spec: UnitSpec, message: string) => void;
  readonly removals: Removals;
}

const AGAIN_MS = 500;

/** Unit in a container, started by this host or found again. */
export class DockerUnit implements Unit {
  readonly handle: DockerHandle;
  readonly startedAt: number;
  readonly confinement: Confinement;
  readonly outputs: readonly OutputFile[];
  readonly exited: Promise<UnitExit>;
  readonly warm: WarmChannel | null;
  readonly #spec: UnitSpec;
  readonly #files: UnitFiles;
  readonly #context: UnitContext;
  readonly #address: Place | null;
  readonly #output: OutputBackPressure;
  readonly #hook: StopHook | null;
  /** Its end has begun: it is paused no more. */
  #isAsked = false;
  #deadline = Number.POSITIVE_INFINITY;
  #ending: Promise<void> | null = null;
  #sooner = Promise.withResolvers<void>();
  #gone = false;

  constructor(
    known: {
      readonly spec: UnitSpec;
      readonly handle: DockerHandle;
      readonly files: UnitFiles;
      readonly address: Place | null;
      readonly warm: ((exited: Promise<UnitExit>) => WarmChannel) | null;
    },
    context: UnitContext,
  ) {
    this.handle = known.handle;
    this.startedAt = known.handle.startedAt;
    const network = known.handle.isOffline === true ? 'none' : 'own';
    this.confinement = { level: 'container', network, gatePort: null };
    this.#spec = known.spec;
    this.#files = known.files;
    this.#address = known.address;
    this.#context = context;
    const { controlToken } = known.spec;
    this.#hook = controlToken === undefined ? null : new StopHook(known.files.control, controlToken, context.clock);
    this.outputs = outputsOf(known.files);
    this.#output = new OutputBackPressure({
      outputs: this.outputs,
      pauseAtBytes: context.pauseAtBytes,
      pause: () => this.#pause(),
      resume: () => this.#resume(),
      notice: (message) => context.notice(known.spec, message),
    });
    this.exited = this.#watch();
    this.warm = known.warm === null ? null : known.warm(this.exited);
    void this.#guard();
  }

  get #id(): string {
    return this.handle.container;
  }

  /** Waits for the end of the container, across failures and restarts of the engine. */
  async #watch(): Promise<UnitExit> {
    for (;;) {
      try {
        const exit = await this.#ended();
        if (exit !== null) {
          this.#gone = true;
          await this.#settle(exit);
          return exit;
        }
      } catch (error) {
        this.#context.report(`Container of run ${this.#spec.runId} could not be waited for`, error);
        await wait(AGAIN_MS);
      }
    }
  }

  /** Returns the end of the container; null when it goes on after all, or the engine went away meanwhile. */
  async #ended(): Promise<UnitExit | null> {
    const { connection, clock } = this.#context;
    try {
      await connection.last((connected) => waitForEnd(connected, this.#id));
      const info = await connection.call(({ docker }) => docker.getContainer(this.#id).inspect());
      if (info.State.Running || info.State.Paused || info.State.Restarting) return null;
      return endOf(info, clock.now());
    } catch (error) {
      if (isMissing(error)) {
        return (await readEnd(this.#files)) ?? { exitCode: null, signal: null, endedAt: clock.now() };
      }
      if (!(error instanceof PlatformError)) throw error;
      await wait(AGAIN_MS);
      return null;
    }
  }

  /** Records the end before the container is removed, so that a later host still learns of it. */
  async #settle(exit: UnitExit): Promise<void> {
    try {
      // No later host looks for a query run.
      if (!this.#spec.queryRun) await writeEnd(this.#files, exit);
    } catch (error) {
      this.#context.report(`The end of run ${this.#spec.runId} could not be written down`, error);
    }
    this.#context.removals.begin(this.#id);
  }

  async runStopHook(reason: StopReason, graceMs: number): Promise<StopHookEnd> {
    if (this.#hook === null) return { is: 'none' };
    this.#isAsked = true;
    if (this.#output.mayBePaused) await this.#resume();
    return this.#hook.run(reason, graceMs, this.exited);
  }

  async stopAsked(): Promise<StopReason | null> {
    return (await this.#hook?.asked())?.reason ?? null;
  }

  stop(graceMs: number): Promise<UnitExit> {
    this.#deadline = Math.min(this.#deadline, performance.now() + Math.max(0, graceMs));
    this.#sooner.resolve();
    this.#sooner = Promise.withResolvers();
    if (!this.#gone) this.#ending ??= this.#end();
    return this.exited;
  }

  /** Asks the container to end, and kills it at the deadline; keeps trying while the engine is away. */
  async #end(): Promise<void> {
    let asked = performance.now() >= this.#deadline;
    while (!this.#gone) {
      const late = performance.now() >= this.#deadline;
      try {
        if (late || !asked) {
          if (this.#output.mayBePaused) await this.#resume();
          await this.#signal(late ? 'SIGKILL' : 'SIGTERM');
          asked = true;
        }
      } catch (error) {
        this.#context.report(`Container of run ${this.#spec.runId} could not be ended yet`, error);
        await this.#ends(AGAIN_MS);
        continue;
      }
      await this.#ends(late ? AGAIN_MS : Math.max(0, this.#deadline - performance.now()));
    }
  }

  /** Waits for the end, for an earlier deadline, or for so many ms. */
  async #ends(ms: number): Promise<void> {
    const over = new AbortController();
    const longest = 2 ** 31 - 1;
    await Promise.race([this.exited, this.#sooner.promise, pause(Math.min(ms, longest), over.signal)]);
    over.abort();
  }

  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    try {
      await this.#context.connection.call(({ docker }) => docker.getContainer(this.#id).kill({ signal }));
    } catch (error) {
      // The container ended by itself meanwhile, or has not begun to run yet.
      const refusal = refusalOf(error);
      if (refusal?.status !== 404 && refusal?.status !== 409) throw error;
    }
  }

  async #pause(): Promise<boolean> {
    if (this.#ending !== null || this.#isAsked || this.#gone) return false;
    await this.#context.connection.call(({ docker }) => docker.getContainer(this.#id).pause());
    // A stop may have begun meanwhile: a paused container would not get its SIGTERM.
    if (this.#ending === null && !this.#isAsked) return true;
    await this.#resume();
    return false;
  }

  async #resume(): Promise<void> {
    try {
      await this.#context.connection.call(({ docker }) => docker.getContainer(this.#id).unpause());
    } catch (error) {
      // The container is not paused, or gone.
      const refusal = refusalOf(error);
      if (refusal === null || ![404, 409, 500].includes(refusal.status)) throw error;
    }
  }

  result(most: number): Promise<BoundedText> {
    return readUntrusted(this.#files.result, most);
  }

  answer(most: number): Promise<BoundedText> {
    return readUntrusted(this.#files.queryResult, most);
  }

  async stats(): Promise<UnitStats | null> {
    if (this.#gone) return null;
    try {
      return await this.#context.connection.call(async ({ docker }) =>
        toStats(await docker.getContainer(this.#id).stats({ stream: false, 'one-shot': true })),
      );
    } catch (error) {
      if (isMissing(error) || error instanceof PlatformError) return null;
      throw error;
    }
  }

  outputRead(unread: () => Promise<number>): void {
    this.#output.outputRead(unread);
  }

  async #guard(): Promise<void> {
    const over = new AbortController();
    void this.exited.then(() => over.abort());
    while (await pause(this.#context.guardMs, over.signal)) {
      if (this.#ending !== null || this.#isAsked) continue;
      try {
        await this.#output.check();
      } catch (error) {
        this.#context.report(`The output of run ${this.#spec.runId} could not be checked`, error);
      }
    }
  }

  async connectQuery(): Promise<Duplex> {
    if (this.#address === null) throw servesNone();
    return connectTo(this.#address);
  }
}
