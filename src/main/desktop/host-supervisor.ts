import type { DesktopHost } from '../../contract/desktop-bridge.ts';
import { PlatformError } from '../../contract/errors.ts';
import { endWords, type HostEnd } from '../../node/host-process.ts';

/** A host that answers. */
export interface LiveHost {
  readonly url: string;
  /** The local owner's token, from host.json. */
  readonly token: string;
  readonly pid: number;
}

/** A host that this app has started. */
export interface OwnHost extends LiveHost {
  readonly exited: Promise<HostEnd>;
  /** Ends its process at once, where it does not end by itself. */
  kill(): void;
}

/** Services of the supervisor; injected so that a test can check its decisions without a window. */
export interface HostSupervisorParts {
  /** Returns the host that runs on the data folder and answers; null without one. */
  find(): Promise<LiveHost | null>;
  /** Starts a host; rejects with its PlatformError. `giveUp` kills a host that is not ready yet. */
  start(giveUp: AbortSignal): Promise<OwnHost>;
  /** Asks a host to stop. */
  stop(host: LiveHost, leaveBots: boolean): Promise<void>;
  changed(state: DesktopHost): void;
  now(): number;
  /** Resolves after `ms`, or as soon as the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<unknown>;
  onError(where: string, error: unknown): void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A host that ran this long was well: its next end counts as the first. */
const STEADY_MS = 60_000;
/** Number of starts in a row that may fail after a crash before a person has to look. */
const MOST_FAILED_STARTS = 5;
/** Longest time, in ms, for which another host may hold the lock without answering while it begins or ends. */
const HELD_MS = 15_000;
const HELD_STEP_MS = 250;
const AWAY_STEP_MS = 1000;
const STOP_MS = 60_000;

/** Waiting time before start number `attempt` (from 1) after a crash, in ms. */
export function restartWait(attempt: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
}

const isHeld = (error: unknown): boolean => error instanceof PlatformError && error.code === 'HOST_RUNNING';

/**
 * Keeps a host running for the window: joins one that runs on the data folder, else starts one, and restarts that with growing
 * waits when it dies. A host that was stopped in order, or was started elsewhere, is started only on request.
 */
export class HostSupervisor {
  readonly #parts: HostSupervisorParts;
  #state: DesktopHost = { at: 'starting' };
  #host: LiveHost | null = null;
  #own: OwnHost | null = null;
  /** Aborts the supervisor's present work; each new piece of work gets a controller of its own. */
  #way = new AbortController();
  #busy = false;
  /** The start in progress. */
  #starting: Promise<void> | null = null;
  #closing = false;
  readonly #giveUp = new AbortController();
  #crashes = 0;
  #startedAt = 0;

  constructor(parts: HostSupervisorParts) {
    this.#parts = parts;
  }

  get state(): DesktopHost {
    return this.#state;
  }

  /** The host that runs now; null without one. */
  get host(): LiveHost | null {
    return this.#host;
  }

  /** True for a host that ends with this app. */
  get isOwn(): boolean {
    return this.#own !== null;
  }

  /** Joins a running host or starts one. Never rejects: the state shows the outcome. */
  async open(): Promise<void> {
    if (this.#host !== null || this.#closing || this.#busy) return;
    const signal = this.#begin();
    this.#crashes = 0;
    this.#set({ at: 'starting' });
    await this.#bringUp(signal, 1);
  }

  /** Called when the connection to the host has ended. A host that was started elsewhere is looked for until it is back. */
  async check(): Promise<void> {
    if (this.#host === null || this.isOwn || this.#closing || this.#busy) return;
    const signal = this.#begin();
    this.#busy = false;
    let found = await this.#find();
    while (found === null && !signal.aborted) {
      this.#host = null;
      if (this.#state.at !== 'away') this.#set({ at: 'away' });
      await this.#parts.wait(AWAY_STEP_MS, signal);
      if (!signal.aborted) found = await this.#find();
    }
    if (found !== null && !signal.aborted && !isSame(found, this.#host)) this.#join(found);
  }

  /**
   * Ends an own host, with or without its bots, and resolves when it has ended; the supervisor starts nothing any more. True when
   * a host has ended in order: then it treated its bots as requested.
   */
  async close(leaveBots: boolean): Promise<boolean> {
    this.#closing = true;
    this.#way.abort();
    // A start that hangs would not notice the end of this process.
    if (this.#starting !== null && !(await this.#inTime(this.#starting))) this.#giveUp.abort();
    const inOrder = this.#own !== null && (await this.#end(this.#own, leaveBots));
    this.#own = null;
    this.#host = null;
    return inOrder;
  }

  async #end(own: OwnHost, leaveBots: boolean): Promise<boolean> {
    try {
      await this.#parts.stop(own, leaveBots);
    } catch (error) {
      // It may be about to end already; only one that does not is killed.
      this.#parts.onError('stop of the host', error);
    }
    if (!(await this.#inTime(own.exited))) own.kill();
    return (await own.exited).code === 0;
  }

  /** False when the work has not ended within the time that a stop may take. */
  async #inTime(work: Promise<unknown>): Promise<boolean> {
    const over = new AbortController();
    const late = this.#parts.wait(STOP_MS, over.signal).then(() => false);
    const inTime = await Promise.race([work.then(() => true), late]);
    over.abort();
    return inTime;
  }

  #begin(): AbortSignal {
    this.#way.abort();
    this.#way = new AbortController();
    this.#busy = true;
    return this.#way.signal;
  }

  #set(state: DesktopHost): void {
    this.#state = state;
    this.#parts.changed(state);
  }

  async #find(): Promise<LiveHost | null> {
    try {
      return await this.#parts.find();
    } catch (error) {
      this.#parts.onError('search for a host', error);
      return null;
    }
  }

  async #bringUp(signal: AbortSignal, most: number): Promise<void> {
    for (let failed = 1; !signal.aborted; failed++) {
      try {
        await this.#joinOrStart(signal);
        break;
      } catch (error) {
        this.#parts.onError('start of the host', error);
        if (failed >= most) {
          this.#fail(error);
          break;
        }
        await this.#waitAfter(error instanceof Error ? error.message : String(error), signal);
      }
    }
    if (!signal.aborted) this.#busy = false;
  }

  async #joinOrStart(signal: AbortSignal): Promise<void> {
    const end = this.#parts.now() + HELD_MS;
    for (;;) {
      const found = await this.#find();
      if (signal.aborted) return;
      if (found !== null) return this.#join(found);
      try {
        await this.#start(signal);
        return;
      } catch (error) {
        if (!isHeld(error) || this.#parts.now() > end) throw error;
      }
      await this.#parts.wait(HELD_STEP_MS, signal);
      if (signal.aborted) return;
    }
  }

  #start(signal: AbortSignal): Promise<void> {
    const start = this.#parts.start(this.#giveUp.signal).then(async (own) => {
      // It became ready after quitting began, without a question about bots that it may have adopted.
      if (signal.aborted) await this.#end(own, true);
      else this.#take(own);
    });
    this.#starting = start
      .catch(() => undefined)
      .finally(() => {
        this.#starting = null;
      });
    return start;
  }

  #join(found: LiveHost): void {
    this.#host = found;
    this.#own = null;
    this.#set({ at: 'running', own: false, pid: found.pid });
  }

  #take(own: OwnHost): void {
    this.#host = own;
    this.#own = own;
    this.#startedAt = this.#parts.now();
    this.#set({ at: 'running', own: true, pid: own.pid });
    void own.exited.then((end) => this.#ended(own, end));
  }

  async #ended(own: OwnHost, end: HostEnd): Promise<void> {
    if (this.#own !== own || this.#closing) return;
    this.#own = null;
    this.#host = null;
    if (end.code === 0) {
      this.#set({ at: 'stopped' });
      return;
    }
    const signal = this.#begin();
    if (this.#parts.now() - this.#startedAt >= STEADY_MS) this.#crashes = 0;
    const [how, said] = [endWords(end), end.said.trim()];
    this.#parts.onError('the host process ended', new Error(`${how}${said === '' ? '' : `: ${said}`}`));
    await this.#waitAfter(`${how}${said === '' ? '' : `, ${said.split('\n').at(-1)}`}`, signal);
    await this.#bringUp(signal, MOST_FAILED_STARTS);
  }

  async #waitAfter(why: string, signal: AbortSignal): Promise<void> {
    this.#crashes += 1;
    const ms = restartWait(this.#crashes);
    const next = new Date(this.#parts.now() + ms).toISOString();
    this.#set({ at: 'restarting', why, attempt: this.#crashes, next_at: next });
    await this.#parts.wait(ms, signal);
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#set({ at: 'failed', message, hint: error instanceof PlatformError ? error.hint : null });
  }
}

const isSame = (one: LiveHost, other: LiveHost | null): boolean =>
  other !== null && one.pid === other.pid && one.url === other.url && one.token === other.token;
