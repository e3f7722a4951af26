import type { Worker, WorkerOptions } from 'node:worker_threads';
import { PlatformError } from '../../../contract/errors.ts';
import {
  type AnswerMessage,
  type CallMessage,
  errorFromBody,
  type WorkerEvent,
  type WorkerSettings,
} from './worker-protocol.ts';

const RESTART_FIRST_MS = 100;
const RESTART_MAX_MS = 10_000;
/** A worker that lived this long restarts without delay. */
const STABLE_MS = 60_000;

type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Result<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

interface Pending {
  readonly message: CallMessage;
  /** Sent again once after the worker died; a call that kills the worker twice is given up. */
  readonly retried: boolean;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export type StartWorker = (url: URL, options: WorkerOptions) => Worker;

export interface LinkOptions {
  readonly url: URL;
  readonly settings: WorkerSettings;
  readonly start: StartWorker;
  onEvent(event: WorkerEvent): void;
  /** The worker ended unasked; a new one is started and then gets `calls` before anything else. */
  onRestart(): readonly (readonly [call: string, ...args: unknown[]])[];
  onError(error: Error): void;
}

/** A worker thread with typed calls. When it dies it is started again and unanswered calls are sent once more. */
export class WorkerLink<Calls> {
  readonly #options: LinkOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #nextId = 1;
  #closed = false;
  #deaths = 0;
  #restart: NodeJS.Timeout | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Starts the worker; resolves when it answers calls, rejects when it dies before. */
  async start(): Promise<void> {
    await this.#spawn();
  }

  call<Name extends keyof Calls & string>(name: Name, ...args: Arguments<Calls[Name]>): Promise<Result<Calls[Name]>> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const message: CallMessage = { id: this.#nextId++, call: name, args };
      this.#pending.set(message.id ?? 0, {
        message,
        retried: false,
        resolve: (value) => resolve(value as Result<Calls[Name]>),
        reject,
      });
      this.#worker?.postMessage(message);
    });
  }

  /** A call without an answer; lost when the worker is just being restarted. */
  tell<Name extends keyof Calls & string>(name: Name, ...args: Arguments<Calls[Name]>): void {
    this.#worker?.postMessage({ id: null, call: name, args } satisfies CallMessage);
  }

  /** Ends the worker after its open calls; `call` is its own closing call. */
  async close(call: keyof Calls & string, ...args: Arguments<Calls[typeof call]>): Promise<void> {
    if (this.#closed) return;
    const closing = this.#worker === null ? Promise.resolve() : this.call(call, ...args);
    this.#closed = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    try {
      await closing;
    } finally {
      await this.#worker?.terminate();
      this.#rejectAll(closedError());
    }
  }

  #spawn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const worker = this.#options.start(this.#options.url, { workerData: this.#options.settings });
      let failure: Error | null = null;
      worker.on('message', (message: AnswerMessage | WorkerEvent) => {
        if ('id' in message) this.#settle(message);
        else if (message.event === 'ready') {
          this.#worker = worker;
          resolve();
        } else this.#options.onEvent(message);
      });
      worker.on('error', (error) => {
        failure = error instanceof Error ? error : new Error(String(error));
      });
      worker.on('exit', (code) => {
        const cause = failure ?? new Error(`it exited with code ${code}`);
        const wasReady = this.#worker === worker;
        if (wasReady) this.#worker = null;
        if (performance.now() - startedAt > STABLE_MS) this.#deaths = 0;
        const error = new PlatformError('INTERNAL', `The log worker died: ${cause.message}`, { cause });
        if (!wasReady) reject(error);
        else if (this.#closed) this.#rejectAll(closedError());
        else this.#died(error);
      });
    });
  }

  #died(error: PlatformError): void {
    this.#options.onError(error);
    for (const [id, call] of this.#pending) {
      if (!call.retried) continue;
      this.#pending.delete(id);
      call.reject(error);
    }
    this.#scheduleRestart();
  }

  #scheduleRestart(): void {
    const delay = Math.min(RESTART_MAX_MS, RESTART_FIRST_MS * 2 ** this.#deaths++);
    this.#restart = setTimeout(() => {
      this.#restart = null;
      this.#spawn().then(
        () => this.#resume(),
        (error: unknown) => {
          this.#options.onError(error instanceof Error ? error : new Error(String(error)));
          this.#rejectAll(error instanceof Error ? error : new Error(String(error)));
          if (!this.#closed) this.#scheduleRestart();
        },
      );
    }, delay);
  }

  #resume(): void {
    for (const [call, ...args] of this.#options.onRestart()) {
      this.#worker?.postMessage({ id: null, call, args } satisfies CallMessage);
    }
    for (const [id, call] of this.#pending) {
      this.#pending.set(id, { ...call, retried: true });
      this.#worker?.postMessage(call.message);
    }
  }

  #settle(answer: AnswerMessage): void {
    const call = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.ok) call?.resolve(answer.value);
    else call?.reject(errorFromBody(answer.error));
  }

  #rejectAll(error: Error): void {
    for (const call of this.#pending.values()) call.reject(error);
    this.#pending.clear();
  }
}

function closedError(): PlatformError {
  return new PlatformError('INTERNAL', 'The host is stopping and takes no more log requests');
}
