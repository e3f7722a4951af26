import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { PlatformError } from '../../src/contract/errors.ts';
import type {
  Engine,
  EngineNode,
  OutputFile,
  Unit,
  UnitHandle,
  UnitRole,
  UnitSpec,
} from '../../src/main/host/engine/engine.ts';
import { nodeFor } from '../../src/main/host/engine/placement.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import type { StateView } from '../../src/main/host/state/state-view.ts';
import { TRAITS } from './engine-traits.ts';
import { plainStream } from './plain-stream.ts';
import { RUNNERS } from './units.ts';

const LOOK_MS = 10;
const PIECE = 64 * 1024;

/** Where a program's output goes on the host's disk. */
function outputsIn(runDir: string, role: UnitRole): readonly OutputFile[] {
  return (['stdout', 'stderr'] as const).map((stream) => ({ path: join(runDir, `${role}.mirror.${stream}`), stream }));
}

/** Adds what a far output has and the host's copy lacks. How far it is, the length of the copy alone tells. */
function mirror(far: string, near: string): void {
  const [from, to] = [openSync(far, 'r'), openSync(near, 'a', 0o600)];
  try {
    const piece = Buffer.alloc(PIECE);
    for (let at = statSync(near).size; ; ) {
      const bytes = readSync(from, piece, 0, PIECE, at);
      if (bytes === 0) return;
      writeSync(to, piece, 0, bytes);
      at += bytes;
    }
  } finally {
    closeSync(from);
    closeSync(to);
  }
}

/** A program of the far place, with its output on the host's disk. */
function mirrored(far: Unit, handle: UnitHandle, outputs: readonly OutputFile[]): Unit {
  const pairs = outputs.flatMap(({ path, stream }) => {
    const from = far.outputs.find((one) => one.stream === stream)?.path;
    return from === undefined ? [] : [{ from, path }];
  });
  const copy = (): void => {
    for (const { from, path } of pairs) mirror(from, path);
  };
  let going = true;
  const follow = async (): Promise<void> => {
    for (; going; await wait(LOOK_MS)) copy();
  };
  copy();
  const following = follow();
  const end = async () => {
    const exit = await far.exited;
    going = false;
    await following;
    copy();
    return exit;
  };
  const exited = end();
  return {
    handle,
    startedAt: far.startedAt,
    confinement: far.confinement,
    outputs,
    exited,
    warm: far.warm,
    runStopHook: async (reason, graceMs) => (await far.runStopHook?.(reason, graceMs)) ?? { is: 'none' },
    stopAsked: async () => (await far.stopAsked?.()) ?? null,
    stop: async (graceMs) => {
      await far.stop(graceMs);
      return exited;
    },
    result: (most) => far.result(most),
    answer: (most) => far.answer(most),
    stats: () => far.stats(),
    outputRead: (unread) => far.outputRead(unread),
    connectQuery: async () => {
      return plainStream(await far.connectQuery());
    },
  };
}

/** The nodes of a place: the labels of each, and whether it answers. */
export type Nodes = Readonly<Record<string, Omit<EngineNode, 'name'>>>;

const TWO_NODES: Nodes = {
  near: { labels: { region: 'tokyo', disk: 'fast' }, available: true },
  far: { labels: { region: 'paris' }, available: true },
};

/**
 * An engine whose programs and states lie on nodes under a root of its own, which the host never learns: code is brought
 * to a node once, known by its hash, output is mirrored to the host's disk, and all else goes through the calls of the
 * contract.
 */
export class RemoteEngine implements Engine {
  readonly name = 'elsewhere';
  readonly level = 'none';
  readonly networkUse = 'own';
  readonly traits = TRAITS.none;
  readonly #root: string;
  readonly #copies: string;
  readonly #nodes: Nodes;
  readonly #far: Engine;

  /** `copies`: the host's folder for its copies of states. */
  constructor(root: string, copies: string, nodes = TWO_NODES) {
    this.#root = root;
    this.#copies = copies;
    this.#nodes = nodes;
    this.#far = createProcessEngine({
      runnersDir: RUNNERS,
      stateDir: (botId) => this.#stateDir(botId),
      botsDir: join(root, 'bots'),
    });
  }

  #botDir(botId: string): string {
    return join(this.#root, 'bots', botId);
  }

  #stateDir(botId: string): string {
    return join(this.#botDir(botId), 'state');
  }

  #there(spec: UnitSpec): UnitSpec {
    const { placement, ...rest } = spec;
    const code = { ...spec.code, dir: join(this.#root, 'code', spec.code.hash) };
    return { ...rest, code, runDir: join(this.#botDir(spec.botId), 'runs', spec.runId) };
  }

  /** Remembers the newest epoch of a bot. Throws for an older one: its host goes on with what is no longer so. */
  #checkEpoch({ botId, epoch }: UnitSpec): void {
    const file = join(this.#botDir(botId), 'epoch');
    const seen = existsSync(file) ? Number(readFileSync(file, 'utf8')) : epoch;
    if (epoch < seen)
      throw new PlatformError('ENGINE_UNAVAILABLE', `Epoch ${epoch} of ${botId} is over: ${seen} has been seen`);
    mkdirSync(this.#botDir(botId), { recursive: true, mode: 0o700 });
    writeFileSync(file, String(epoch));
  }

  async nodes(): Promise<readonly EngineNode[]> {
    return Object.entries(this.#nodes).map(([name, node]) => ({ name, ...node }));
  }

  #handle(far: UnitHandle, node: string): UnitHandle {
    return { engine: this.name, node, far };
  }

  #farHandle({ engine, far }: UnitHandle): UnitHandle {
    if (engine !== this.name) throw new Error(`not a unit of ${this.name}`);
    return far as UnitHandle;
  }

  async probe(): ReturnType<Engine['probe']> {
    return { ...(await this.#far.probe()), ...this.traits, name: this.name, level: this.level };
  }

  prepare(runtime: string): Promise<void> {
    return this.#far.prepare(runtime);
  }

  isReady(runtime: string): boolean {
    return this.#far.isReady(runtime);
  }

  async start(spec: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit> {
    const { name: node } = nodeFor(await this.nodes(), spec.placement);
    this.#checkEpoch(spec);
    const there = this.#there(spec);
    if (!existsSync(there.code.dir)) cpSync(spec.code.dir, there.code.dir, { recursive: true });
    for (const dir of [there.runDir, this.#stateDir(spec.botId)]) mkdirSync(dir, { recursive: true, mode: 0o700 });
    const unit = await this.#far.start(there, (handle) => created(this.#handle(handle, node)));
    return mirrored(unit, this.#handle(unit.handle, node), outputsIn(spec.runDir, spec.role));
  }

  async adopt(spec: UnitSpec, handle: UnitHandle): Promise<Unit> {
    const unit = await this.#far.adopt(this.#there(spec), this.#farHandle(handle));
    return mirrored(unit, handle, outputsIn(spec.runDir, spec.role));
  }

  isGone(spec: UnitSpec, handle: unknown): Promise<boolean> {
    return this.#far.isGone(this.#there(spec), this.#farHandle(handle as UnitHandle));
  }

  stillRuns(handle: unknown): Promise<boolean> {
    return this.#far.stillRuns(this.#farHandle(handle as UnitHandle));
  }

  state(botId: string): StateView {
    const far = this.#far.state(botId);
    return {
      list: () => far.list(),
      read: (key) => far.read(key),
      write: (key, text) => far.write(key, text),
      delete: (key) => far.delete(key),
      measure: (without) => far.measure(without),
      fingerprint: () => far.fingerprint(),
      sweep: () => far.sweep(),
      snapshot: async () => {
        const copy = join(this.#copies, botId);
        cpSync(await far.snapshot(), copy, { recursive: true });
        return copy;
      },
    };
  }

  outputs(runDir: string, role: UnitRole): readonly OutputFile[] {
    return outputsIn(runDir, role);
  }

  endOrphans(isKnown: (runId: string) => boolean): Promise<string[]> {
    return this.#far.endOrphans(isKnown);
  }

  onLost(): void {
    // It is always there.
  }

  onBack(): void {
    // It was never lost.
  }

  close(): Promise<void> {
    return this.#far.close();
  }
}

/**
 * The same object, whose calls fail when what they give, or throw, holds a path: its fields, and what its own calls
 * give, as well.
 */
export function withoutPath<T extends object>(target: T, path: string): T {
  const checked = <V>(value: V): V => {
    if (inspect(value, { depth: 8 }).includes(path)) throw new Error(`the host was given a path below ${path}`);
    return value;
  };
  const wrapped = (value: unknown): unknown => {
    if (value instanceof Promise) {
      return value.then(wrapped, (error: unknown) => {
        throw checked(error);
      });
    }
    if (typeof value !== 'object' || value === null || value instanceof Duplex) return value;
    return withoutPath(checked(value), path);
  };
  return new Proxy(target, {
    get(owner, name) {
      const value: unknown = Reflect.get(owner, name, owner);
      if (typeof value !== 'function') return Object.isFrozen(owner) ? value : wrapped(value);
      return (...args: readonly unknown[]) => wrapped(Reflect.apply(value, owner, args));
    },
  });
}
