import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { pause } from '../../../node/bounded-wait.ts';
import { removeTree } from '../../../node/remove-tree.ts';
import type { Unit, UnitSpec } from '../engine/engine.ts';
import { SETTLE_MS, type StateFingerprint } from '../state/state-fingerprint.ts';
import type { StateView } from '../state/state-view.ts';
import type { Deadline } from './deadline.ts';
import { askWaiting, type QueryRun, type Question } from './query-run.ts';

/**
 * Outcome of a start: the program waits for its question, it does not support waiting, or nothing was started because
 * the state is changing, cannot be watched, or the program is no longer wanted.
 */
export type Opened = 'waits' | 'cannot wait' | 'not now';

/** Time for which a program may run on after its answer before it is ended. */
const LEAVE_MS = 1000;

/** Time limit of a first memory measurement, after which the program is used without it. */
const MEASURE_MS = 2000;

/**
 * Returns a hash of everything that decides a program's answer except its state: equal for two specs that differ only
 * in their run.
 */
export function keyOf(spec: UnitSpec): string {
  const { runId, runDir, queryRun, warm, env, ...same } = spec;
  const { RUN_ID, ...rest } = env;
  return createHash('sha256')
    .update(JSON.stringify([same, rest]))
    .digest('base64');
}

/** Returns the fingerprint of the state once it has settled; null if it does not settle, or cannot be watched. */
async function settledFingerprint(state: StateView, signal: AbortSignal): Promise<StateFingerprint | null> {
  const fingerprint = await state.fingerprint();
  if (fingerprint === null || fingerprint.settled) return fingerprint;
  const later = (await pause(2 * SETTLE_MS, signal)) ? await state.fingerprint() : null;
  return later?.settled === true ? later : null;
}

/** A program of one bot, started before its question is known. It owns its unit and its run folder. */
export class PrewarmedProcess {
  readonly run: QueryRun;
  readonly key: string;
  /** Time of the bot's last query, by `performance.now()`. */
  readonly usedAt: number;
  /** Wall-clock time, which goes on while the machine sleeps. */
  readonly #bornAt = Date.now();
  /** Zero until the program waits. */
  memoryBytes = 0;
  readonly #spec: UnitSpec;
  readonly #state: StateView;
  readonly #ending = new AbortController();
  #opening: Promise<Opened> | null = null;
  #opened = false;
  #unit: Unit | null = null;
  #fingerprint: StateFingerprint | null = null;
  #measuring: Promise<void> | null = null;
  #end: Promise<void> | null = null;

  constructor(run: QueryRun, spec: UnitSpec, usedAt: number) {
    this.run = run;
    this.#spec = { ...spec, queryRun: true, warm: true };
    this.#state = run.engine.state(spec.botId);
    this.key = keyOf(spec);
    this.usedAt = usedAt;
  }

  get botId(): string {
    return this.#spec.botId;
  }

  /** Starts the program; resolves once it waits or certainly will not. Rejects with the error of the engine. */
  open(readyMs: number): Promise<Opened> {
    this.#opening ??= this.#open(readyMs);
    return this.#opening;
  }

  async #open(readyMs: number): Promise<Opened> {
    const { signal } = this.#ending;
    if (signal.aborted) return 'not now';
    // Taken before the start: changes from here on, also while an engine copies the state, are detected before the
    // question.
    this.#fingerprint = await settledFingerprint(this.#state, signal);
    if (this.#fingerprint === null || signal.aborted) return 'not now';
    await mkdir(this.#spec.runDir, { recursive: true, mode: 0o700 });
    this.#unit = await this.run.engine.start(this.#spec, () => undefined);
    const late = new AbortController();
    const over = AbortSignal.any([signal, late.signal]);
    const ready = await Promise.race([this.#unit.warm?.ready ?? false, pause(readyMs, over).then(() => false)]);
    late.abort();
    if (signal.aborted) return 'not now';
    if (!ready) return 'cannot wait';
    this.#opened = true;
    const closed = new AbortController();
    await Promise.race([this.measure(), pause(MEASURE_MS, AbortSignal.any([signal, closed.signal]))]);
    closed.abort();
    return signal.aborted ? 'not now' : 'waits';
  }

  /** True if the program can be asked. */
  get isWaiting(): boolean {
    return this.#unit?.warm?.isWaiting === true;
  }

  /** True if the program could be asked once, and never can again. */
  get isLost(): boolean {
    return this.#opened && !this.isWaiting;
  }

  /** True if the program is not older than `ms`, as far as the clock can be trusted. */
  isYoung(ms: number): boolean {
    const age = Date.now() - this.#bornAt;
    return age >= 0 && age <= ms;
  }

  /** True if nothing of the state that the program may have read has changed since. */
  async isFresh(): Promise<boolean> {
    const now = await this.#state.fingerprint();
    return now !== null && now.text === this.#fingerprint?.text && this.isWaiting;
  }

  /** Calls back once a program that was started has ended by itself. */
  onExit(gone: () => void): void {
    void this.#unit?.exited.then(gone);
  }

  /** Measures the memory of the program; keeps the last value when that fails. */
  measure(): Promise<void> {
    // An engine that does not answer is not asked repeatedly.
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = null;
    });
    return this.#measuring;
  }

  async #measure(): Promise<void> {
    const stats = await this.#unit?.stats();
    this.memoryBytes = stats?.memoryBytes ?? this.memoryBytes;
  }

  /** Asks the one question. `run` is the present query. Throws as `runQuery` does. */
  async ask(run: QueryRun, question: Question, deadline: Deadline): Promise<unknown> {
    if (this.#unit === null) throw new Error('asked before it was opened');
    return askWaiting(run, this.#unit, question, deadline);
  }

  /** Gives a program that has answered a moment to end by itself, and then ends it. */
  async leave(): Promise<void> {
    await Promise.race([this.#unit?.exited, pause(LEAVE_MS, this.#ending.signal)]);
    await this.end();
  }

  /** Resolves once program and run folder are gone. Repeatable. */
  end(): Promise<void> {
    this.#ending.abort();
    this.#end ??= this.#finish();
    return this.#end;
  }

  async #finish(): Promise<void> {
    // The caller of open() receives the failure.
    await this.#opening?.catch(() => undefined);
    await this.#unit?.stop(0);
    await removeTree(this.#spec.runDir);
  }
}
