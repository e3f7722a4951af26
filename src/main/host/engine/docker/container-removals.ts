import { PlatformError } from '../../../../contract/errors.ts';
import { pause, settlesWithin } from '../../../../node/bounded-wait.ts';
import { type DockerConnection, refusalOf } from './connection.ts';

const AGAIN_MS = 1000;
/** Time for which the end of the host waits for removals in progress. */
const CLOSE_MS = 10_000;

/** Removes a container, running or not; a missing container counts as removed. */
export async function removeContainer(connection: DockerConnection, idOrName: string): Promise<void> {
  try {
    await connection.call(({ docker }) => docker.getContainer(idOrName).remove({ force: true, v: true }));
  } catch (error) {
    // 409: the engine is already removing it.
    const refusal = refusalOf(error);
    if (refusal?.status !== 404 && !(refusal?.status === 409 && /already in progress/.test(refusal.message)))
      throw error;
  }
}

/** Removes containers in the background and retries until it succeeds: the engine may be away or busy. */
export class Removals {
  readonly #connection: DockerConnection;
  readonly #report: (message: string, error: unknown) => void;
  readonly #going = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(connection: DockerConnection, report: (message: string, error: unknown) => void) {
    this.#connection = connection;
    this.#report = report;
  }

  /** Begins to remove a container at once, in the background. */
  begin(idOrName: string): void {
    this.#enter(this.#untilGone(idOrName, false));
  }

  /** Begins to remove a container in a moment: after a lost answer to its creation the container may not exist yet. */
  beginLater(idOrName: string): void {
    this.#enter(this.#later(idOrName));
  }

  /** Resolves when the container is gone, or when the first try has failed; further tries then run in the background. */
  async now(idOrName: string): Promise<void> {
    try {
      await removeContainer(this.#connection, idOrName);
    } catch (error) {
      this.#report(`Container ${idOrName} could not be removed yet`, error);
      this.beginLater(idOrName);
    }
  }

  /**
   * Waits for removals that the engine is working on: the process ends afterwards and would discard requests that it
   * has not sent yet. Remaining containers are left to the next host.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#connection.isUp) await settlesWithin(CLOSE_MS, Promise.all(this.#going));
  }

  #enter(work: Promise<void>): void {
    this.#going.add(work);
    void work.then(() => this.#going.delete(work));
  }

  async #later(idOrName: string): Promise<void> {
    if (await pause(AGAIN_MS, this.#closing.signal)) await this.#untilGone(idOrName, true);
  }

  /** The absence of the engine is reported once; `told`: it was reported. */
  async #untilGone(idOrName: string, told: boolean): Promise<void> {
    let silent = told;
    do {
      try {
        await removeContainer(this.#connection, idOrName);
        return;
      } catch (error) {
        if (!silent || !(error instanceof PlatformError))
          this.#report(`Container ${idOrName} could not be removed yet`, error);
        silent = true;
      }
    } while (await pause(AGAIN_MS, this.#closing.signal));
  }
}
