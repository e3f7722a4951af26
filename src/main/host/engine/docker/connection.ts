import { statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Docker, { type DockerOptions } from 'dockerode';
import { PlatformError } from '../../../../contract/errors.ts';
import { settlesWithin } from '../../../../node/bounded-wait.ts';
import { errorText, systemErrorCode } from '../../../../node/system-error.ts';
import type { Presence } from '../engine.ts';
import { addressesToTry, readAddress } from './engine-address.ts';
import { type DockerFacts, readFacts } from './facts.ts';

/** An engine that answers. */
export interface Connected {
  readonly address: string;
  readonly facts: DockerFacts;
  readonly docker: Docker;
  /** Rejects when this engine stops answering: callers that wait for the engine race their work with it. */
  readonly lost: Promise<never>;
}

/** Time limit for checking whether an engine answers. */
export const PROBE_TIMEOUT_MS = 5000;
/** Time limit of a call that only reads, or changes little. */
const CALL_TIMEOUT_MS = 20_000;
/** Time limit for making and starting containers, which take longer on a busy machine. */
export const SLOW_CALL_TIMEOUT_MS = 120_000;
/** Interval between checks for an engine that does not answer. */
const LOOK_MS = 1000;
/** Interval of pings to an idle engine. */
const BEAT_MS = 5000;
const AGAIN_SEC = 5;

/** The answer of an engine to a call that it refused. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Returns the answer of an engine that refused a call; null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return null;
  const json: unknown = 'json' in error ? error.json : null;
  const said = typeof json === 'object' && json !== null && 'message' in json ? json.message : null;
  return { status: error.statusCode, message: typeof said === 'string' ? said : error.message };
}

/** True for an error that says that the object does not exist. */
export function isMissing(error: unknown): boolean {
  return refusalOf(error)?.status === 404;
}

/**
 * Waits until a container has ended. Not by `Container.wait`: an engine begins its answer at once and ends it when the
 * container ends, and dockerode never settles if the engine goes away in between.
 */
export async function waitForEnd({ docker }: Connected, id: string, abortSignal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  const statusCodes = { 200: true, 400: 'bad parameter', 404: 'no such container', 500: 'server error' };
  const request = { path: `/containers/${id}/wait?`, method: 'POST', isStream: true, statusCodes };
  docker.modem.dial(abortSignal === undefined ? request : { ...request, abortSignal }, (error, answer) => {
    if (answer instanceof Readable) resolve(answer);
    else reject(error ?? new Error('the engine gave no answer'));
  });
  await text(await promise);
}

function whyNot(error: unknown): string {
  const code = systemErrorCode(error);
  if (code === 'EACCES')
    return 'this user may not use it (on Linux: add the user to the group "docker" and log in again)';
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'nothing answers there';
  return errorText(error);
}

/** True for an error of the connection to the engine; anything else that is thrown in a call is a fault of ours. */
function isOfTheWay(error: unknown): boolean {
  const code = systemErrorCode(error);
  return (code !== null && /^(E[A-Z]+|HPE_\w+)$/.test(code)) || /socket hang up|aborted/.test(errorText(error));
}

class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** Awaits work; throws if it takes longer than so many ms. */
async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  if (!(await settlesWithin(ms, work))) throw new TookTooLong(`${what} took longer than ${Math.round(ms / 1000)} s`);
  return work;
}

/** Options that keep the environment of this process from changing which engine is used. */
const NO_DEFAULTS: DockerOptions = {
  host: undefined,
  port: undefined,
  socketPath: undefined,
  protocol: 'http',
  pathPrefix: undefined,
  ca: undefined,
  cert: undefined,
  key: undefined,
  timeout: undefined,
} as unknown as DockerOptions;

/** Throws ENOENT where no engine can be: on a machine without one this is asked of all usual places each second. */
function checkSocket(path: string | undefined): void {
  // Windows has pipes, which are opened by a look at them.
  if (path !== undefined && process.platform !== 'win32') statSync(path);
}

/** The engine that this host has found; the host does not change to another one by itself. */
interface Home {
  readonly address: string;
  readonly id: string;
}

/** Connection to an engine: finds it, and notices when it goes away and comes back. */
export class DockerConnection {
  readonly #setting: string | null;
  readonly #onLost = new Set<() => void>();
  readonly #onBack = new Set<() => void>();
  #connected: { readonly to: Connected; readonly lose: (error: Error) => void } | null = null;
  #looking: Promise<Connected> | null = null;
  #watch: NodeJS.Timeout | null = null;
  #beat: NodeJS.Timeout | null = null;
  #home: Home | null = null;
  /** Error of the last check that found no engine. */
  #failure: PlatformError | null = null;
  #presence: Presence = 'absent';
  #closed = false;

  /** `setting`: the address from the host's settings, null for DOCKER_HOST or the usual places. */
  constructor(setting: string | null) {
    this.#setting = setting;
  }

  /** Calls the listener when an engine that answered no longer does. */
  onLost(listener: () => void): void {
    this.#onLost.add(listener);
  }

  /** Calls the listener when an engine answers again. */
  onBack(listener: () => void): void {
    this.#onBack.add(listener);
  }

  /** True while the engine answered the last call. */
  get isUp(): boolean {
    return this.#connected !== null;
  }

  /** True while the engine is known to be away. */
  get isDown(): boolean {
    return this.#watch !== null;
  }

  /** Address of the engine, known or set; null while it may be at any of the usual places. */
  get address(): string | null {
    const [only, ...others] = this.#candidates();
    return only === undefined || others.length > 0 ? null : readAddress(only).text;
  }

  /** Presence as of the last check. */
  get presence(): Presence {
    return this.#connected === null ? this.#presence : 'there';
  }

  /**
   * Returns the engine; if none answers, throws a retryable ENGINE_UNAVAILABLE with the reason. While the engine is
   * known to be away this fails at once: one check a second serves all callers.
   */
  async get(): Promise<Connected> {
    if (this.#connected !== null) return this.#connected.to;
    if (this.#watch !== null && this.#failure !== null) throw this.#failure;
    return this.#lookOnce();
  }

  /**
   * Runs work with the engine and notices when the engine cannot be reached. Refusals of the engine and faults of the
   * work itself are thrown as they are.
   */
  async call<T>(work: (connected: Connected) => Promise<T>, timeoutMs: number | null = CALL_TIMEOUT_MS): Promise<T> {
    const connected = await this.get();
    try {
      const done = Promise.race([work(connected), connected.lost]);
      return await (timeoutMs === null ? done : within(timeoutMs, 'The answer', done));
    } catch (error) {
      if (refusalOf(error) !== null || error instanceof PlatformError) throw error;
      if (error instanceof TookTooLong) await this.#checkAfter(connected, error);
      if (!isOfTheWay(error)) throw error;
      throw this.#lost(connected, error);
    }
  }

  /** As `call`, for work without a time limit. */
  last<T>(work: (connected: Connected) => Promise<T>): Promise<T> {
    return this.call(work, null);
  }

  close(): void {
    this.#closed = true;
    for (const timer of [this.#watch, this.#beat]) if (timer !== null) clearInterval(timer);
    this.#watch = null;
    this.#beat = null;
  }

  /** Checks after a call that took too long whether only the call is slow or the engine hangs. Always throws. */
  async #checkAfter(connected: Connected, late: Error): Promise<never> {
    try {
      await within(PROBE_TIMEOUT_MS, 'A sign of life', connected.docker.ping());
    } catch (error) {
      throw this.#lost(connected, error);
    }
    throw this.#unavailable(`The container engine at ${connected.address} is slow: ${late.message}`, late);
  }

  #unavailable(message: string, cause?: unknown): PlatformError {
    return new PlatformError('ENGINE_UNAVAILABLE', message, {
      hint: 'Start Docker, or choose another engine for the bot (options.engine): it is isolated less then.',
      retryAfter: AGAIN_SEC,
      cause,
    });
  }

  #lookOnce(): Promise<Connected> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** An engine that was found once is not replaced by another: its containers would run on and be started again there. */
  #candidates(): readonly string[] {
    return this.#home === null ? addressesToTry(this.#setting) : [this.#home.address];
  }

  async #look(): Promise<Connected> {
    const reasons: string[] = [];
    let presence: Presence = 'absent';
    for (const text of this.#candidates()) {
      const address = readAddress(text);
      if ('why' in address) {
        reasons.push(`${address.text}: ${address.why}`);
        continue;
      }
      try {
        checkSocket(address.options.socketPath);
        const docker = new Docker({ ...NO_DEFAULTS, ...address.options });
        const facts = await within(PROBE_TIMEOUT_MS, 'Its answer', readFacts(docker));
        const why = typeof facts === 'string' ? facts : this.#strange(facts);
        if (typeof facts !== 'string' && why === null) return this.#found(address.text, facts, docker);
        reasons.push(`${address.text}: ${why}`);
      } catch (error) {
        const code = systemErrorCode(error);
        if (!['ENOENT', 'ECONNREFUSED', 'EACCES'].includes(code ?? '')) presence = 'away';
        if (code !== 'ENOENT' || this.#setting !== null || this.#home !== null) {
          reasons.push(`${address.text}: ${whyNot(error)}`);
        }
      }
    }
    this.#presence = this.#home === null ? presence : 'away';
    const why = reasons.length === 0 ? 'none was found in the usual places' : reasons.join('; ');
    this.#failure = this.#unavailable(`No container engine can be used: ${why}.`);
    this.#await();
    throw this.#failure;
  }

  /** Returns the reason for which an engine at the known address is another one than before; null when it is the same. */
  #strange({ id }: DockerFacts): string | null {
    if (this.#home === null || this.#home.id === id) return null;
    return 'another engine answers there than before, and bots may still run in that one; start the host again to use this one';
  }

  #found(address: string, facts: DockerFacts, docker: Docker): Connected {
    const lost = Promise.withResolvers<never>();
    // It may reject before any caller waits for it.
    lost.promise.catch(() => undefined);
    const to: Connected = { address, facts, docker, lost: lost.promise };
    this.#connected = { to, lose: lost.reject };
    this.#home = { address, id: facts.id };
    this.#failure = null;
    this.#keepAsking(to);
    if (this.#watch !== null) {
      clearInterval(this.#watch);
      this.#watch = null;
      for (const listener of this.#onBack) listener();
    }
    return to;
  }

  /** Detects a connection that breaks while idle. */
  #keepAsking(connected: Connected): void {
    if (this.#beat !== null) clearInterval(this.#beat);
    if (this.#closed) return;
    this.#beat = setInterval(() => {
      within(PROBE_TIMEOUT_MS, 'A sign of life', connected.docker.ping()).catch((error: unknown) =>
        this.#lost(connected, error),
      );
    }, BEAT_MS);
    this.#beat.unref();
  }

  #lost(connected: Connected, cause: unknown): PlatformError {
    const failure = this.#unavailable(
      `The container engine at ${connected.address} does not answer: ${whyNot(cause)}`,
      cause,
    );
    if (this.#connected?.to !== connected) return failure;
    const { lose } = this.#connected;
    this.#connected = null;
    this.#failure = failure;
    if (this.#beat !== null) clearInterval(this.#beat);
    this.#beat = null;
    lose(failure);
    if (this.#closed) return failure;
    this.#await();
    for (const listener of this.#onLost) listener();
    return failure;
  }

  /** Checks for the engine from time to time until it answers. */
  #await(): void {
    if (this.#watch !== null || this.#closed) return;
    this.#watch = setInterval(() => {
      // A failure only confirms that the engine is away; callers of get() learn the reason.
      this.#lookOnce().catch(() => undefined);
    }, LOOK_MS);
    this.#watch.unref();
  }
}
