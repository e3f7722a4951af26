import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { StopReason } from '../../../../contract/stop-reason.ts';
import type { Clock } from '../../../../node/clock.ts';
import { bootId } from '../../../../node/process-identity.ts';
import { listProcesses, type ProcessRow } from '../../../../node/process-table.ts';
import { endTree, type ProcessTree, signalProcess, treeMembers } from '../../../../node/process-tree.ts';
import { type BoundedText, readUntrusted } from '../../../../node/read-untrusted.ts';
import type {
  Confinement,
  Listening,
  OutputFile,
  Place,
  Unit,
  UnitExit,
  UnitSpec,
  UnitStats,
  WarmChannel,
} from '../engine.ts';
import { OutputBackPressure, pause } from '../output-back-pressure.ts';
import { connectTo, servesNone } from '../query-connection.ts';
import { controlFiles, StopHook, type StopHookEnd } from '../stop-hook.ts';
import { treeMarker } from './environment.ts';
import { overLimit } from './limits.ts';
import { listeningOf, TELLS_LISTENING } from './listening-addresses.ts';
import { outputsOf, type RunFiles } from './run-files.ts';
import type { StateReplica } from './state-replica.ts';
import type { ProcessHandle } from './unit-handle.ts';

/** Services that a unit needs from its engine. */
export interface UnitContext {
  readonly clock: Clock;
  /** Returns processes of this machine, from a reading that is at most a moment old. */
  readonly sample: () => Promise<readonly ProcessRow[]>;
  readonly guardMs: number;
  /** Output of a unit that may wait to be stored before the unit is paused, in bytes. */
  readonly pauseAtBytes: () => number;
  /** Receives background faults, for which no caller waits. */
  readonly report: (message: string, error: unknown) => void;
  /** Adds a message for the owner of a unit to the bot's log. */
  readonly notice: (spec: UnitSpec, message: string) => void;
}

/** The program of a unit, under its launcher. */
export interface UnitProgram {
  readonly handle: ProcessHandle;
  readonly files: RunFiles;
  /** Resolves with the known facts about the end once the launcher is gone; never rejects. */
  readonly ended: Promise<UnitExit>;
  readonly warm: WarmChannel | null;
  /** Copy of the bot's state that the program sees; null where it sees the state itself, or a copy made for one query. */
  readonly replica: StateReplica | null;
}

const RETRY_MS = 1000;

const pidsOf = (rows: readonly ProcessRow[]): number[] => rows.map(({ pid }) => pid);

/** Unit of a program under its launcher, started by this host or found again. */
export class ProcessUnit implements Unit {
  readonly handle: ProcessHandle;
  readonly startedAt: number;
  readonly confinement: Confinement;
  readonly outputs: readonly OutputFile[];
  readonly exited: Promise<UnitExit>;
  readonly warm: WarmChannel | null;
  readonly #tree: ProcessTree;
  readonly #spec: UnitSpec;
  readonly #files: RunFiles;
  readonly #context: UnitContext;
  readonly #replica: StateReplica | null;
  readonly #hook: StopHook | null;
  /** Its end has begun: it is paused no more. */
  #isAsked = false;
  #deadline = Number.POSITIVE_INFINITY;
  #ending: Promise<void> | null = null;
  #gone = false;
  #limit: string | null = null;
  #cpuMs = 0;
  readonly #output: OutputBackPressure;

  constructor(spec: UnitSpec, program: UnitProgram, context: UnitContext) {
    const { handle, files } = program;
    this.handle = handle;
    this.warm = program.warm;
    this.#replica = program.replica;
    this.startedAt = handle.startedAt;
    this.confinement = handle.confinement;
    this.outputs = outputsOf(files);
    this.#files = files;
    this.#spec = spec;
    this.#context = context;
    const { controlToken } = spec;
    this.#hook =
      controlToken === undefined ? null : new StopHook(controlFiles(files.control), controlToken, context.clock);
    this.#tree = { root: handle, marker: treeMarker(spec, files) };
    this.#output = new OutputBackPressure({
      outputs: this.outputs,
      pauseAtBytes: context.pauseAtBytes,
      pause: () => this.#pause(),
      resume: async () => this.#signal(await this.#members(), 'SIGCONT'),
      notice: (message) => context.notice(spec, message),
    });
    this.exited = this.#watch(program.ended);
    void this.#guard();
  }

  async #watch(launcherEnded: Promise<UnitExit>): Promise<UnitExit> {
    const exit = await launcherEnded;
    // Nothing supervises the remaining processes any more. During a stop they keep the promised grace.
    if (this.#ending === null) this.#deadline = performance.now();
    await this.#end();
    this.#gone = true;
    return this.#limit === null ? exit : { ...exit, limit: this.#limit };
  }

  /** Ends the tree; keeps trying, because a second copy must never run beside remains of the first. */
  #end(): Promise<void> {
    this.#ending ??= (async () => {
      for (;;) {
        try {
          await endTree(this.#tree, () => this.#deadline);
          return;
        } catch (error) {
          this.#context.report(`Processes of run ${this.#spec.runId} could not be ended yet`, error);
          await wait(RETRY_MS);
        }
      }
    })();
    return this.#ending;
  }

  async runStopHook(reason: StopReason, graceMs: number): Promise<StopHookEnd> {
    if (this.#hook === null) return { is: 'none' };
    this.#isAsked = true;
    if (this.#output.mayBePaused && process.platform === 'linux') this.#wake();
    return this.#hook.run(reason, graceMs, this.exited);
  }

  async stopAsked(): Promise<StopReason | null> {
    return (await this.#hook?.asked())?.reason ?? null;
  }

  stop(graceMs: number): Promise<UnitExit> {
    this.#deadline = Math.min(this.#deadline, performance.now() + Math.max(0, graceMs));
    if (!this.#gone) void this.#end();
    if (this.#output.mayBePaused && process.platform === 'linux') this.#wake();
    return this.exited;
  }

  /** Resumes the program before its end, because a paused program cannot end in order. */
  #wake(): void {
    this.#output
      .resume()
      .catch((error: unknown) => this.#context.report(`Run ${this.#spec.runId} could not be woken`, error));
  }

  async #pause(): Promise<boolean> {
    const members = await this.#members();
    // A stop may have begun meanwhile: a paused program would not get its SIGTERM.
    if (this.#ending !== null || this.#isAsked) return false;
    this.#signal(members, 'SIGSTOP');
    return true;
  }

  async #members(): Promise<ProcessRow[]> {
    const rows = treeMembers({ root: this.#tree.root, marker: [] }, await this.#context.sample(), await bootId());
    return rows.filter((row) => row.pid !== this.#tree.root.pid);
  }

  async result(most: number): Promise<BoundedText> {
    // A rename replaces the link, so only the bot itself can have replaced it by a plain file.
    const own = this.#spec.role === 'bot' ? await readUntrusted(this.#files.resultBesideCode, most) : 'missing';
    return own === 'missing' || own === 'strange' ? readUntrusted(this.#files.result, most) : own;
  }

  answer(most: number): Promise<BoundedText> {
    return readUntrusted(this.#files.queryResult, most);
  }

  async stats(): Promise<UnitStats | null> {
    if (this.#gone || process.platform === 'win32') return null;
    const members = await this.#members();
    if (members.length === 0) return null;
    // The time of a child that was not waited for is lost from the sum; the total must not fall because of that.
    this.#cpuMs = Math.max(
      this.#cpuMs,
      members.reduce((sum, row) => sum + row.cpuMs, 0),
    );
    const memoryBytes = members.reduce((sum, row) => sum + row.residentBytes, 0);
    return { cpuMs: this.#cpuMs, memoryBytes, processes: members.length, network: null };
  }

  outputRead(unread: () => Promise<number>): void {
    this.#output.outputRead(unread);
  }

  /** Checks the unit once a second until it is gone. */
  async #guard(): Promise<void> {
    if (process.platform === 'win32') return;
    const over = new AbortController();
    void this.exited.then(() => over.abort());
    while (await pause(this.#context.guardMs, over.signal)) {
      await this.#check('output', () => this.#checkOutput());
      await this.#check('limits', () => this.#checkLimits());
    }
  }

  async #check(what: string, check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      this.#context.report(`The ${what} of run ${this.#spec.runId} could not be checked`, error);
    }
  }

  async #checkLimits(): Promise<void> {
    const { limits } = this.#spec;
    if (this.#limit !== null || (limits.memoryMb === undefined && limits.processes === undefined)) return;
    this.#limit = overLimit(limits, await this.#members());
    if (this.#limit !== null) void this.stop(0);
  }

  async #checkOutput(): Promise<void> {
    if (this.#ending === null && !this.#isAsked) await this.#output.check();
  }

  #signal(members: readonly ProcessRow[], signal: NodeJS.Signals): void {
    for (const { pid } of members) signalProcess(pid, signal);
  }

  async listening(): Promise<Listening | null> {
    if (!TELLS_LISTENING) return null;
    const queries = this.#queryPlace();
    const known = await listeningOf(pidsOf(await this.#members()));
    if (known === null) return null;
    if (known.some(({ port }) => port === queries?.port)) return { at: known, queries };
    // Lists the processes again: one may have started since, or left its parent.
    const at = await listeningOf(pidsOf(treeMembers(this.#tree, await listProcesses(), await bootId())));
    return at === null ? null : { at, queries };
  }

  #queryPlace(): Place | null {
    const { queryPort } = this.handle;
    return queryPort === null ? null : { host: '127.0.0.1', port: queryPort };
  }

  async connectQuery(): Promise<Duplex> {
    const place = this.#queryPlace();
    if (place === null) throw servesNone();
    return connectTo(place);
  }

  async refreshState(): Promise<void> {
    await this.#replica?.refresh();
  }
}
