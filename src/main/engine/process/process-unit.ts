import { setTimeout as wait } from 'node:timers/promises';
import { PlatformError } from '../../../contract/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { bootId } from '../../base/process-identity.ts';
import type { ProcessRow } from '../../base/process-table.ts';
import { endTree, type ProcessTree, treeMembers } from '../../base/process-tree.ts';
import type { OutputFile, Unit, UnitExit, UnitSpec, UnitStats } from '../engine.ts';
import { treeMarker } from './environment.ts';
import { overLimit } from './limits.ts';
import { outputsOf, runFiles } from './run-files.ts';
import type { ProcessHandle } from './unit-handle.ts';

/** What a unit needs from its engine. */
export interface UnitContext {
  readonly clock: Clock;
  /** Processes of this machine, a moment old at most. */
  readonly sample: () => Promise<readonly ProcessRow[]>;
  readonly guardMs: number;
  /** Something failed in the background where nobody waits for an answer. */
  readonly report: (message: string, error: unknown) => void;
}

const RETRY_MS = 1000;

/** A program under its launcher. Whether we started it or found it again makes no difference from here on. */
export class ProcessUnit implements Unit {
  readonly handle: ProcessHandle;
  readonly startedAt: number;
  readonly outputs: readonly OutputFile[];
  readonly resultFile: string;
  readonly queryResultFile: string;
  readonly exited: Promise<UnitExit>;
  readonly #tree: ProcessTree;
  readonly #spec: UnitSpec;
  readonly #context: UnitContext;
  #deadline = Number.POSITIVE_INFINITY;
  #ending: Promise<void> | null = null;
  #gone = false;
  #limit: string | null = null;
  #cpuMs = 0;

  /** `launcherEnded` resolves with what is known about the end once the launcher is gone; it never rejects. */
  constructor(spec: UnitSpec, handle: ProcessHandle, launcherEnded: Promise<UnitExit>, context: UnitContext) {
    const files = runFiles(spec.runDir, spec.role);
    this.handle = handle;
    this.startedAt = handle.startedAt;
    this.outputs = outputsOf(files);
    this.resultFile = files.result;
    this.queryResultFile = files.queryResult;
    this.#spec = spec;
    this.#context = context;
    this.#tree = { root: handle, marker: treeMarker(spec, files) };
    this.exited = this.#watch(launcherEnded);
    void this.#guard();
  }

  async #watch(launcherEnded: Promise<UnitExit>): Promise<UnitExit> {
    const exit = await launcherEnded;
    // Nobody is left to answer for what remains. During a stop it keeps the grace that was promised.
    if (this.#ending === null) this.#deadline = performance.now();
    await this.#end();
    this.#gone = true;
    return this.#limit === null ? exit : { ...exit, limit: this.#limit };
  }

  /** Ends the tree; does not give up, because a second copy must never run beside a remainder of the first. */
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

  stop(graceMs: number): Promise<UnitExit> {
    this.#deadline = Math.min(this.#deadline, performance.now() + Math.max(0, graceMs));
    if (!this.#gone) void this.#end();
    return this.exited;
  }

  async #members(): Promise<ProcessRow[]> {
    const rows = treeMembers({ root: this.#tree.root, marker: [] }, await this.#context.sample(), await bootId());
    return rows.filter((row) => row.pid !== this.#tree.root.pid);
  }

  async stats(): Promise<UnitStats | null> {
    if (this.#gone || process.platform === 'win32') return null;
    const members = await this.#members();
    if (members.length === 0) return null;
    // Time of a child that was not waited for leaves the sum with it; the total must not fall for that.
    this.#cpuMs = Math.max(
      this.#cpuMs,
      members.reduce((sum, row) => sum + row.cpuMs, 0),
    );
    const memoryBytes = members.reduce((sum, row) => sum + row.residentBytes, 0);
    return { cpuMs: this.#cpuMs, memoryBytes, processes: members.length };
  }

  async #guard(): Promise<void> {
    const { limits } = this.#spec;
    if (process.platform === 'win32' || (limits.memoryMb === undefined && limits.processes === undefined)) return;
    while (!this.#gone) {
      await Promise.race([wait(this.#context.guardMs, undefined, { ref: false }), this.exited]);
      if (this.#gone) return;
      try {
        const over = overLimit(limits, await this.#members());
        if (over === null) continue;
        this.#limit = over;
        void this.stop(0);
        return;
      } catch (error) {
        this.#context.report(`The limits of run ${this.#spec.runId} could not be checked`, error);
      }
    }
  }

  queryAddress(): { readonly host: string; readonly port: number } {
    const { queryPort } = this.handle;
    if (queryPort !== null) return { host: '127.0.0.1', port: queryPort };
    throw new PlatformError('BOT_NOT_RUNNING', 'This run has no port for queries: only realtime bots serve them.');
  }
}
