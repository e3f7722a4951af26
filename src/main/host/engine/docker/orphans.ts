import type { ContainerInfo } from 'dockerode';
import { type DockerConnection, isMissing } from './connection.ts';
import { LABELS } from './container-create-options.ts';
import { removeContainer } from './container-removals.ts';

const AGAIN_MS = 2000;
const LIST_ATTEMPTS = 5;

/** Containers of a host, running or not, that carry all of the labels. */
export async function listContainers(
  connection: DockerConnection,
  hostId: string,
  labels: readonly string[] = [],
): Promise<ContainerInfo[]> {
  const label = [`${LABELS.host}=${hostId}`, ...labels];
  for (let attempt = 1; ; attempt++) {
    try {
      return await connection.call(({ docker }) => docker.listContainers({ all: true, filters: { label } }));
    } catch (error) {
      // Docker 20.10 fails to list while any container is being removed.
      if (!isMissing(error) || attempt === LIST_ATTEMPTS) throw error;
    }
  }
}

/** Removes containers of this host that its database does not know, once the engine is reachable. */
export class Orphans {
  readonly #connection: DockerConnection;
  readonly #hostId: string;
  readonly #report: (message: string, error: unknown) => void;
  /** A sweep that waits until the engine is back. */
  #waiting: (() => Promise<string[]>) | null = null;
  /** Runs that were started while a sweep was waiting. */
  readonly #started = new Set<string>();

  constructor(
    connection: DockerConnection,
    options: { readonly hostId: string; readonly report: (message: string, error: unknown) => void },
  ) {
    this.#connection = connection;
    this.#hostId = options.hostId;
    this.#report = options.report;
  }

  /** Returns the runs whose containers were removed; empty while the engine is away, and then done when it is back. */
  async end(isKnown: (runId: string) => boolean, available: boolean): Promise<string[]> {
    if (available) return this.#removeUnknown(isKnown);
    this.#waiting = () => this.#removeUnknown((runId) => isKnown(runId) || this.#started.has(runId));
    this.#again();
    return [];
  }

  /** A run started from now on is known. */
  spare(runId: string): void {
    if (this.#waiting !== null) this.#started.add(runId);
  }

  /** Makes up for the sweep that waits. What fails here is tried again. */
  async endNow(): Promise<void> {
    try {
      await this.#waiting?.();
      this.#waiting = null;
      this.#started.clear();
    } catch (error) {
      this.#report('Orphaned containers could not be removed', error);
      this.#again();
    }
  }

  close(): void {
    this.#waiting = null;
  }

  /** An engine that is away is swept when it is back; one that only is slow, or refuses, a little later. */
  #again(): void {
    setTimeout(() => {
      if (this.#connection.isUp && this.#waiting !== null) void this.endNow();
    }, AGAIN_MS).unref();
  }

  async #removeUnknown(isKnown: (runId: string) => boolean): Promise<string[]> {
    const ended = new Set<string>();
    for (const { Id, Labels } of await listContainers(this.#connection, this.#hostId)) {
      const runId = Labels[LABELS.run] ?? '';
      if (isKnown(runId)) continue;
      await removeContainer(this.#connection, Id);
      ended.add(runId);
    }
    return [...ended];
  }
}
