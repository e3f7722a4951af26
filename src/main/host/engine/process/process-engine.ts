import { existsSync } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { NamedInterpreter } from '../../../../contract/custom-bot.ts';
import { PlatformError } from '../../../../contract/errors.ts';
import type { EngineInfo } from '../../../../contract/host.ts';
import type { IsolationLevel } from '../../../../contract/isolation.ts';
import { type Clock, systemClock } from '../../../../node/clock.ts';
import { bootId, identify, isAlive, toIdentity } from '../../../../node/process-identity.ts';
import { listProcesses, type ProcessRow } from '../../../../node/process-table.ts';
import { endOrphans, environmentEntry, killTree, treeMembers } from '../../../../node/process-tree.ts';
import { removeTree } from '../../../../node/remove-tree.ts';
import { errorText } from '../../../../node/system-error.ts';
import { LocalState } from '../../state/local-state.ts';
import type { StateView } from '../../state/state-view.ts';
import type {
  Confinement,
  Engine,
  EngineNode,
  EngineTraits,
  OutputFile,
  Progress,
  Unit,
  UnitExit,
  UnitHandle,
  UnitLimits,
  UnitRole,
  UnitSpec,
} from '../engine.ts';
import { noneAllowed } from '../named-interpreter.ts';
import { PAUSE_AT_BYTES } from '../output-back-pressure.ts';
import { nodeFor, thisMachine } from '../placement.ts';
import { needsOf } from '../runtime-needs.ts';
import { controlFiles, makeControlFiles } from '../stop-hook.ts';
import type { WayToGate } from '../way-to-gate.ts';
import { codeView } from './code-view.ts';
import { describeEngine, TRAITS } from './describe-isolation.ts';
import { describeSandbox, SANDBOX_ENGINE, SANDBOX_TRAITS } from './describe-sandbox.ts';
import { botEnvironment, OWNER_MARK, SANDBOX_MARK, treeMarker } from './environment.ts';
import { exitLeft } from './exit-file.ts';
import { insideSandbox, readsReplica } from './inside-sandbox.ts';
import { Interpreters } from './interpreters.ts';
import { type Launched, launch, WARM_FD } from './launcher.ts';
import { launchLimits } from './limits.ts';
import { ProcessUnit, type UnitContext, type UnitProgram } from './process-unit.ts';
import { type Command, commandOf, interpreterOf, type Programs } from './program-command.ts';
import { queryPortOf } from './query-port.ts';
import { outputsOf, type RunFiles, runFiles } from './run-files.ts';
import { AGAIN_AFTER_MS, levelWith, type Sandbox, type SandboxNetwork } from './sandbox.ts';
import { copyState } from './state-copy.ts';
import { StateReplica } from './state-replica.ts';
import { ENGINE_NAME, type ProcessHandle, toProcessHandle } from './unit-handle.ts';

export interface ProcessEngineOptions {
  /** Folder with launch.sh and the runners of languages. */
  readonly runnersDir: string;
  /** The Node for bots; by default that of this process. */
  readonly nodePath?: string;
  /** Returns the folder with the state of a bot; keys live in its `.platform` folder. */
  readonly stateDir: (botId: string) => string;
  /** The folder with the folders of all bots: programs that write elsewhere are not from this data folder. */
  readonly botsDir: string;
  /**
   * Id of the data folder of these programs, which distinguishes them from programs of the folder that it was copied
   * from.
   */
  readonly owner?: string;
  /** Runs every program in this sandbox, as an engine of its own name; absent: plain processes. */
  readonly sandbox?: Sandbox;
  /**
   * The way to the gate of the programs of a bot, in a sandbox that holds them to it. Absent: they have no network. It rejects
   * with ENGINE_UNAVAILABLE where there is no gate.
   */
  readonly way?: (botId: string) => Promise<WayToGate>;
  /** True for a bot of network mode `enforce`, no program of which starts where the sandbox leaves the network open. Absent: none is. */
  readonly enforces?: (botId: string) => boolean;
  /**
   * The file of an interpreter that a package names. Throws INTERPRETER_NOT_ALLOWED or INTERPRETER_UNUSABLE. Absent: none may be
   * named.
   */
  readonly named?: (command: NamedInterpreter) => Promise<string>;
  /** Limits of units whose spec sets none. */
  readonly defaultLimits?: UnitLimits;
  readonly clock?: Clock;
  /** Interval between checks of a unit's limits, in ms. */
  readonly guardMs?: number;
  /** Output of a unit that may wait to be stored before the unit is paused, in bytes. */
  readonly pauseAtBytes?: () => number;
  /** Receives background faults, e.g. a process that cannot be ended yet. */
  readonly report?: (message: string, error: unknown) => void;
  /** Receives lines for a bot's log, e.g. that it is paused because it writes too fast. */
  readonly notice?: (spec: UnitSpec, message: string) => void;
}

/** Stops a fork bomb without limiting any known bot. */
const DEFAULT_LIMITS: UnitLimits = { processes: 512 };
const ADOPT_POLL_MS = 200;
/** Share of the guard's interval within which units share one reading of the process list. */
const SAMPLE_SHARE = 0.9;

function cannotWait(): PlatformError {
  return new PlatformError('ENGINE_UNAVAILABLE', 'On Windows no program is started before its question is known.', {
    hint: 'Nothing has to be done: the query program is started for each query.',
  });
}

/** A trial passes that fails only because the machine is busy: the next start makes another one. */
function notEnforced(botId: string, open: string): PlatformError {
  return new PlatformError('ENGINE_UNAVAILABLE', `The sandbox does not hold the network here: ${open}`, {
    hint: `Nothing would hold this bot to its permits, as its network mode enforce demands. The host tries again by itself. If it stays so, let a person choose \`platform bot network ${botId} --mode observe\`, which leaves the bot an open network.`,
    retryAfter: AGAIN_AFTER_MS / 1000,
  });
}

/** What a program is held by that is started with this network. */
function confinementOf(spec: UnitSpec, level: IsolationLevel, network: SandboxNetwork): Confinement {
  if (network === 'none') return { level, network, gatePort: null };
  if (network === 'open') return { level, network: 'machine', gatePort: spec.gatePort ?? null };
  return { level, network: 'gate', gatePort: network.port };
}

/** Runs bots as processes of this user, plain or in a sandbox. `probe` says what isolates them. */
export function createProcessEngine(options: ProcessEngineOptions): Engine {
  return new ProcessEngine(options);
}

class ProcessEngine implements Engine {
  readonly name: string;
  readonly traits: EngineTraits;
  readonly isOptIn: boolean;
  readonly #sandbox: Sandbox | null;
  readonly #way: ((botId: string) => Promise<WayToGate>) | null;
  readonly #enforces: (botId: string) => boolean;
  readonly #runnersDir: string;
  readonly #stateDir: (botId: string) => string;
  readonly #botsDir: string;
  readonly #owner: string | null;
  readonly #programs: Programs;
  readonly #limits: UnitLimits;
  readonly #context: UnitContext;
  /** Query ports of running units, with the number of units on each. */
  readonly #ports = new Map<number, number>();
  #sample: { readonly at: number; readonly rows: Promise<readonly ProcessRow[]> } | null = null;

  constructor(options: ProcessEngineOptions) {
    this.#sandbox = options.sandbox ?? null;
    this.#way = options.way ?? null;
    this.#enforces = options.enforces ?? (() => false);
    this.name = this.#sandbox === null ? ENGINE_NAME : SANDBOX_ENGINE;
    this.isOptIn = this.#sandbox !== null;
    this.traits = this.#sandbox === null ? TRAITS : SANDBOX_TRAITS;
    this.#runnersDir = options.runnersDir;
    this.#stateDir = options.stateDir;
    this.#botsDir = options.botsDir;
    this.#owner = options.owner ?? null;
    this.#programs = {
      known: new Interpreters(options.nodePath),
      named: options.named ?? (async (one) => noneAllowed(one)),
    };
    this.#limits = options.defaultLimits ?? DEFAULT_LIMITS;
    this.#context = {
      clock: options.clock ?? systemClock,
      sample: () => this.#processes(),
      guardMs: options.guardMs ?? 1000,
      pauseAtBytes: options.pauseAtBytes ?? (() => PAUSE_AT_BYTES),
      notice: options.notice ?? (() => undefined),
      report: options.report ?? ((message, error) => process.emitWarning(`${message}: ${errorText(error)}`)),
    };
  }

  get level(): IsolationLevel {
    return this.#sandbox?.level ?? 'none';
  }

  get networkUse(): 'machine' | 'gate' {
    return this.level === 'sandbox' ? 'gate' : 'machine';
  }

  get nextTrial(): NonNullable<Engine['nextTrial']> | null {
    return this.#sandbox === null || this.level === 'sandbox' ? null : { level: 'sandbox', afterMs: AGAIN_AFTER_MS };
  }

  get refusesEnforce(): boolean {
    return this.#sandbox !== null && this.level !== 'sandbox';
  }

  async probe(): Promise<EngineInfo> {
    const plain = await describeEngine(this.#runnersDir);
    return this.#sandbox === null ? plain : describeSandbox(plain, await this.#sandbox.trial());
  }

  async prepare(runtime: string, _?: Progress, command?: NamedInterpreter): Promise<void> {
    await interpreterOf(this.#programs, needsOf(runtime), command);
    await this.#sandbox?.trial();
  }

  async nodes(): Promise<readonly EngineNode[]> {
    return [thisMachine()];
  }

  isReady(): boolean {
    return true;
  }

  async start(given: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit> {
    const spec = this.#withDefaults(given);
    nodeFor(await this.nodes(), spec.placement);
    const warm = spec.warm === true && spec.queryRun;
    if (warm && process.platform === 'win32') throw cannotWait();
    const files = this.#files(spec);
    const command = await this.#command(spec, this.#sandbox === null ? null : files.temporary);
    await this.#makeFolders(spec, files);
    const serves = spec.botType === 'realtime' && !spec.queryRun;
    const queryPort = serves ? await queryPortOf(files.queryPort, new Set(this.#ports.keys())) : null;
    const { stateDir, replica } = await this.#stateOf(spec, files);
    // A query program writes no result.
    const isBot = spec.role === 'bot';
    const mountDir = isBot ? await codeView(spec.code.dir, files.codeView, files.result) : spec.code.dir;
    const around = { files, mountDir, stateDir, queryPort, pathDirs: command.pathDirs };
    const env = botEnvironment(spec, { ...around, owner: this.#owner, warmFd: warm ? WARM_FD : null });
    const limits = await launchLimits(spec.limits, command.reservedMb);
    const sandbox = this.#sandbox;
    const inside = { stateDir, files, queryPort, warm, runnersDir: this.#runnersDir };
    const network = sandbox === null ? 'open' : await this.#network(spec, sandbox);
    const started =
      sandbox === null
        ? { ...command, env, identity: null }
        : insideSandbox(sandbox, spec, { ...command, env }, { ...inside, network });
    const plan = { ...started, codeDir: spec.code.dir, limits, files, runnersDir: this.#runnersDir, warm };
    const launched = await launch(plan, this.#context);
    const confinement = confinementOf(spec, sandbox === null ? 'none' : levelWith(network), network);
    const handle = await this.#announce(spec, launched, { queryPort, confinement }, created);
    launched.go();
    return this.#unit(spec, { handle, files, ended: launched.ended, warm: launched.warm, replica });
  }

  async adopt(given: UnitSpec, stored: UnitHandle): Promise<Unit> {
    const spec = this.#withDefaults(given);
    const handle = toProcessHandle(stored, this.name, (pid) => environmentEntry(pid, SANDBOX_MARK));
    const files = this.#files(spec);
    // Earlier releases gave query programs the state itself.
    const hasReplica = readsReplica(spec) && existsSync(files.stateView);
    const replica = hasReplica ? new StateReplica(this.#stateDir(spec.botId), files.stateView) : null;
    return this.#unit(spec, { handle, files, ended: this.#launcherGone(handle, files), warm: null, replica });
  }

  async isGone(spec: UnitSpec, handle: unknown): Promise<boolean> {
    const boot = await bootId();
    const known = toIdentity(handle);
    // Without a pid only the environment identifies a process, and only Linux lets this user read it.
    if (known === null && process.platform !== 'linux') return false;
    const root = known ?? { pid: -1, started: '0', boot };
    const marker = treeMarker(spec, this.#files(spec));
    return treeMembers({ root, marker }, await listProcesses(), boot).length === 0;
  }

  state(botId: string): StateView {
    return new LocalState(this.#stateDir(botId));
  }

  outputs(runDir: string, role: UnitRole): readonly OutputFile[] {
    return outputsOf(runFiles(runDir, role));
  }

  async stillRuns(handle: unknown): Promise<boolean> {
    const identity = toIdentity(handle);
    return identity !== null && isAlive(identity);
  }

  async endOrphans(isKnown: (runId: string) => boolean): Promise<string[]> {
    const runOf = (resultFile: string): string | null => {
      const path = relative(this.#botsDir, resultFile);
      return path.startsWith('..') || isAbsolute(path) ? null : (path.split(sep)[2] ?? null);
    };
    const ended = await endOrphans('RESULT_FILE', (file, entry) => {
      const runId = runOf(file);
      if (runId === null || isKnown(runId)) return false;
      // Programs of earlier releases have no mark. If the original folder was renamed, its programs ran where a copy is
      // now.
      const owner = entry(OWNER_MARK);
      if ((entry(SANDBOX_MARK) === null) !== (this.#sandbox === null)) return false;
      return owner === null || owner === this.#owner;
    });
    return ended.flatMap((file) => runOf(file) ?? []);
  }

  onLost(): void {
    // Always present: it is part of the host.
  }

  onBack(listener: () => void): void {
    // It is part of the host and never lost: but a sandbox may hold what it did not hold before.
    this.#sandbox?.onHeld(listener);
  }

  async close(): Promise<void> {
    // Holds no resources: units run on by themselves.
  }

  #withDefaults(spec: UnitSpec): UnitSpec {
    return { ...spec, limits: { ...this.#limits, ...spec.limits } };
  }

  #files({ runDir, role }: UnitSpec): RunFiles {
    return this.#sandbox === null ? runFiles(runDir, role) : runFiles(runDir, role, join(runDir, 'own'));
  }

  /** What a sandbox lacks by one trial, it may hold by the next. */
  get #again(): { readonly retryAfter?: number } {
    return this.#sandbox === null ? {} : { retryAfter: AGAIN_AFTER_MS / 1000 };
  }

  async #command(spec: UnitSpec, temporary: string | null): Promise<Command> {
    const command = await commandOf(spec, this.#runnersDir, this.#programs, temporary);
    const { available, reason } = await this.probe();
    if (!available)
      throw new PlatformError('ENGINE_UNAVAILABLE', reason ?? 'Programs cannot be started here.', this.#again);
    if (spec.network === 'none') await this.#refuseNetwork();
    return command;
  }

  /** Throws ENGINE_UNAVAILABLE where the sandbox does not hold a bot to having no network. */
  async #refuseNetwork(): Promise<void> {
    const open = this.#sandbox === null ? null : (await this.#sandbox.trial()).network;
    if (open === null) return;
    const message = `This bot has "network": "none", which the sandbox does not hold on this machine: ${open}`;
    throw new PlatformError('ENGINE_UNAVAILABLE', message, {
      hint: 'The host tries again by itself. If it stays so, run it in a container (options.engine), or let it have the network (options.network "bridge").',
      ...this.#again,
    });
  }

  /**
   * The network of a program in the sandbox. Throws ENGINE_UNAVAILABLE where it should have the gate, and has none, and where
   * nothing would hold a bot in `enforce` to it.
   */
  async #network(spec: UnitSpec, sandbox: Sandbox): Promise<SandboxNetwork> {
    if (spec.network === 'none') return 'none';
    const open = (await sandbox.trial()).network;
    if (open !== null && this.#enforces(spec.botId)) throw notEnforced(spec.botId, open);
    if (open !== null) return 'open';
    return this.#way === null ? 'none' : await this.#way(spec.botId);
  }

  /**
   * Returns the state folder for a program and the replica behind it: only the bot itself gets the folder that keeps
   * its state.
   */
  async #stateOf(spec: UnitSpec, files: RunFiles): Promise<{ stateDir: string; replica: StateReplica | null }> {
    const own = this.#stateDir(spec.botId);
    if (spec.queryRun) return { stateDir: await copyState(own, files.stateView), replica: null };
    if (!readsReplica(spec)) return { stateDir: own, replica: null };
    await removeTree(files.stateView);
    const replica = new StateReplica(own, files.stateView);
    await replica.refresh();
    return { stateDir: files.stateView, replica };
  }

  /** Also removes the remains of an earlier program of the same role and run, because a query program restarts. */
  async #makeFolders(spec: UnitSpec, files: RunFiles): Promise<void> {
    for (const folder of [files.home, files.temporary]) await mkdir(folder, { recursive: true, mode: 0o700 });
    await mkdir(join(this.#stateDir(spec.botId), '.platform'), { recursive: true, mode: 0o700 });
    await rm(files.exit, { force: true, recursive: true });
    // Only programs of this one query know the folder, and none of them runs.
    if (spec.queryRun) await rm(files.queryResult, { force: true, recursive: true });
    if (spec.controlToken !== undefined) {
      await mkdir(files.control, { recursive: true, mode: 0o700 });
      await makeControlFiles(controlFiles(files.control));
    }
    await access(spec.code.dir);
  }

  /** Announces that the unit can be found again from now on; until `go` none of the bot's code has run. */
  async #announce(
    spec: UnitSpec,
    launched: Launched,
    known: Pick<ProcessHandle, 'queryPort' | 'confinement'>,
    created: (handle: UnitHandle) => void,
  ): Promise<ProcessHandle> {
    const identity = await identify(launched.pid);
    try {
      if (identity === null)
        throw new PlatformError('ENGINE_UNAVAILABLE', 'The launcher ended before the bot was started.', {
          retryAfter: 1,
        });
      const handle: ProcessHandle = {
        engine: this.name,
        ...identity,
        startedAt: this.#context.clock.now(),
        ...known,
      };
      created(handle);
      return handle;
    } catch (error) {
      launched.abandon();
      const files = this.#files(spec);
      if (identity !== null) await killTree({ root: identity, marker: treeMarker(spec, files) });
      await launched.ended;
      throw error;
    }
  }

  async #launcherGone(handle: ProcessHandle, files: RunFiles): Promise<UnitExit> {
    for (;;) {
      try {
        if (!(await isAlive(handle))) break;
      } catch (error) {
        this.#context.report(`Process ${handle.pid} could not be looked at`, error);
      }
      await wait(ADOPT_POLL_MS);
    }
    const unseen = { exitCode: null, signal: null, endedAt: this.#context.clock.now() };
    return exitLeft(files.exit, unseen, this.#context.report);
  }

  #unit(spec: UnitSpec, program: UnitProgram): Unit {
    const unit = new ProcessUnit(spec, program, this.#context);
    const port = program.handle.queryPort;
    if (port !== null) {
      this.#ports.set(port, (this.#ports.get(port) ?? 0) + 1);
      void unit.exited.then(() => {
        const left = (this.#ports.get(port) ?? 1) - 1;
        if (left === 0) this.#ports.delete(port);
        else this.#ports.set(port, left);
      });
    }
    return unit;
  }

  #processes(): Promise<readonly ProcessRow[]> {
    const now = performance.now();
    if (this.#sample === null || now - this.#sample.at > this.#context.guardMs * SAMPLE_SHARE)
      this.#sample = { at: now, rows: listProcesses() };
    return this.#sample.rows;
  }
}
