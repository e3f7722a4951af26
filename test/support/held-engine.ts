import type { Engine, Progress, Unit, UnitSpec } from '../../src/main/host/engine/engine.ts';
import { TRAITS } from './engine-traits.ts';

/** Wraps an engine under another name; the test controls its preparation and whether it is reachable. */
export class HeldEngine implements Engine {
  readonly name: string;
  level: Engine['level'];
  networkUse: Engine['networkUse'];
  nextTrial: NonNullable<Engine['nextTrial']> | null = null;
  readonly traits: Engine['traits'];
  /** What `isReady` says; true once a preparation went well. */
  ready = false;
  /** What probe says is wrong. */
  reason: string | null = null;
  /** While set, every start fails with this. */
  broken: Error | null = null;
  /** Preparations that were begun. */
  begun = 0;
  readonly started: UnitSpec[] = [];
  progress: Progress = () => undefined;
  readonly #real: Engine;
  readonly #listeners: (() => void)[] = [];
  readonly #lost: (() => void)[] = [];
  #held = Promise.withResolvers<void>();

  /** Unless it is told otherwise it stands for an engine with containers. */
  constructor(real: Engine, name = 'docker', level: Engine['level'] = 'container') {
    this.level = level;
    this.networkUse = level === 'container' ? 'own' : 'machine';
    this.traits = TRAITS[level];
    this.#real = real;
    this.name = name;
  }

  /** Ends the preparation that goes on: well, or with an error. */
  release(error?: Error): void {
    const held = this.#held;
    this.#held = Promise.withResolvers<void>();
    if (error === undefined) {
      this.ready = true;
      held.resolve();
    } else held.reject(error);
  }

  /** The engine answers no longer. */
  lose(): void {
    for (const listener of this.#lost) listener();
  }

  /** The engine answers again. */
  back(): void {
    for (const listener of this.#listeners) listener();
  }

  async probe(): ReturnType<Engine['probe']> {
    const info = await this.#real.probe();
    return {
      ...info,
      ...this.traits,
      name: this.name,
      level: this.level,
      available: this.reason === null,
      reason: this.reason,
    };
  }

  async prepare(runtime: string, progress?: Progress): Promise<void> {
    if (this.ready) return this.#real.prepare(runtime);
    this.begun += 1;
    this.progress = progress ?? (() => undefined);
    await this.#held.promise;
  }

  stillRuns(handle: unknown): Promise<boolean> {
    return this.#real.stillRuns(handle);
  }

  isReady(): boolean {
    return this.ready;
  }

  async start(...[spec, created]: Parameters<Engine['start']>): ReturnType<Engine['start']> {
    if (this.broken !== null) throw this.broken;
    this.started.push(spec);
    return this.#own(spec, await this.#real.start(spec, created));
  }

  adopt: Engine['adopt'] = async (spec, handle) => this.#own(spec, await this.#real.adopt(spec, handle));

  /** A unit of the real engine, held as this one would hold it. */
  #own(spec: UnitSpec, unit: Unit): Unit {
    const network = spec.network ?? this.networkUse;
    return Object.assign(unit, { confinement: { level: this.level, network, gatePort: null } });
  }

  state: Engine['state'] = (botId) => this.#real.state(botId);
  isGone: Engine['isGone'] = (spec, handle) => this.#real.isGone(spec, handle);
  outputs: Engine['outputs'] = (runDir, role) => this.#real.outputs(runDir, role);
  endOrphans: Engine['endOrphans'] = (isKnown) => this.#real.endOrphans(isKnown);
  nodes: Engine['nodes'] = () => this.#real.nodes();
  onLost(listener: () => void): void {
    this.#lost.push(listener);
  }
  onBack(listener: () => void): void {
    this.#listeners.push(listener);
  }
  close: Engine['close'] = () => this.#real.close();
}
