import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Docker from 'dockerode';
import { PlatformError } from '../../../contract/errors.ts';
import { errorText, systemErrorCode } from '../../base/system-error.ts';
import { addressesToTry, readAddress } from './address.ts';
import { type DockerFacts, readFacts } from './facts.ts';

/** An engine that answers. */
export interface Connected {
  readonly address: string;
  readonly facts: DockerFacts;
  /** For calls that answer soon: a call that hangs ends with an error. */
  readonly docker: Docker;
  /** For calls that last: waiting for an end, pulling, attached streams. */
  readonly patient: Docker;
}

const CALL_TIMEOUT_MS = 120_000;
const PROBE_TIMEOUT_MS = 5000;
/** How often an engine that does not answer is looked for. */
const LOOK_MS = 1000;
const AGAIN_SEC = 5;

/** The answer of an engine to a call that it refused. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** What an engine said when it refused a call; null for any other error. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return null;
  const json: unknown = 'json' in error ? error.json : null;
  const said = typeof json === 'object' && json !== null && 'message' in json ? json.message : null;
  return { status: error.statusCode, message: typeof said === 'string' ? said : error.message };
}

/** True for an answer that says: there is no such thing. */
export function isMissing(error: unknown): boolean {
  return refusalOf(error)?.status === 404;
}

/**
 * Waits until a container has ended. Not by `Container.wait`: an engine begins its answer at once and ends it then, and
 * dockerode never settles when it breaks off in between because the engine goes away.
 */
export async function waitForEnd({ patient }: Connected, id: string, abortSignal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  const statusCodes = { 200: true, 400: 'bad parameter', 404: 'no such container', 500: 'server error' };
  const request = { path: `/containers/${id}/wait?`, method: 'POST', isStream: true, statusCodes };
  patient.modem.dial(abortSignal === undefined ? request : { ...request, abortSignal }, (error, answer) => {
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

/** The way to an engine: finds it, notices when it goes and when it comes back. */
export class DockerConnection {
  readonly #setting: string | null;
  readonly #onLost = new Set<() => void>();
  readonly #onBack = new Set<() => void>();
  #connected: Connected | null = null;
  #looking: Promise<Connected> | null = null;
  #watch: NodeJS.Timeout | null = null;
  #closed = false;

  /** `setting`: the address from the host's settings, null for DOCKER_HOST or the usual places. */
  constructor(setting: string | null) {
    this.#setting = setting;
  }

  /** Called when an engine that answered does so no longer. */
  onLost(listener: () => void): void {
    this.#onLost.add(listener);
  }

  /** Called when an engine answers again after it did not. */
  onBack(listener: () => void): void {
    this.#onBack.add(listener);
  }

  /** True while the engine answered the last call. */
  get isUp(): boolean {
    return this.#connected !== null;
  }

  /** True while it is known that no engine answers. */
  get isDown(): boolean {
    return this.#watch !== null;
  }

  /** The engine; throws ENGINE_UNAVAILABLE, to be tried again, with the reason why there is none. */
  async get(): Promise<Connected> {
    if (this.#connected !== null) return this.#connected;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Does work with the engine and notices when it cannot be reached. What the engine refuses is thrown as it is. */
  async call<T>(work: (connected: Connected) => Promise<T>): Promise<T> {
    const connected = await this.get();
    try {
      return await work(connected);
    } catch (error) {
      if (refusalOf(error) !== null || error instanceof PlatformError) throw error;
      this.#lost(connected);
      throw this.#unavailable(`The container engine at ${connected.address} does not answer: ${whyNot(error)}`, error);
    }
  }

  close(): void {
    this.#closed = true;
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }

  #unavailable(message: string, cause?: unknown): PlatformError {
    return new PlatformError('ENGINE_UNAVAILABLE', message, {
      hint: 'Start Docker, or deploy with options.engine "process" to run the bot as a local process.',
      retryAfter: AGAIN_SEC,
      cause,
    });
  }

  async #look(): Promise<Connected> {
    const reasons: string[] = [];
    for (const text of addressesToTry(this.#setting)) {
      const address = readAddress(text);
      if ('why' in address) {
        reasons.push(`${address.text}: ${address.why}`);
        continue;
      }
      try {
        const facts = await readFacts(new Docker({ ...address.options, timeout: PROBE_TIMEOUT_MS }));
        if (typeof facts === 'string') {
          reasons.push(`${address.text}: ${facts}`);
          continue;
        }
        return this.#found({
          address: address.text,
          facts,
          docker: new Docker({ ...address.options, timeout: CALL_TIMEOUT_MS }),
          patient: new Docker(address.options),
        });
      } catch (error) {
        if (systemErrorCode(error) !== 'ENOENT' || this.#setting !== null) {
          reasons.push(`${address.text}: ${whyNot(error)}`);
        }
      }
    }
    this.#await();
    const why = reasons.length === 0 ? 'none was found in the usual places' : reasons.join('; ');
    throw this.#unavailable(`No container engine can be used: ${why}.`);
  }

  #found(connected: Connected): Connected {
    this.#connected = connected;
    if (this.#watch !== null) {
      clearInterval(this.#watch);
      this.#watch = null;
      for (const listener of this.#onBack) listener();
    }
    return connected;
  }

  #lost(connected: Connected): void {
    if (this.#connected !== connected || this.#closed) return;
    this.#connected = null;
    this.#await();
    for (const listener of this.#onLost) listener();
  }

  /** Looks for it from time to time until it answers. */
  #await(): void {
    if (this.#watch !== null || this.#closed) return;
    this.#watch = setInterval(() => {
      // A failure only says that it is still away; those who ask are told.
      this.get().catch(() => undefined);
    }, LOOK_MS);
    this.#watch.unref();
  }
}
