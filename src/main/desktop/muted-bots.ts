import { callHost, type HostAddress } from './host-api.ts';

const NONE: ReadonlySet<string> = new Set();

/** Which bots their owner has muted, as the host knows it: read when a failure is to be told of, once for many at a time. */
export class MutedBots {
  readonly #onError: (where: string, error: unknown) => void;
  #reading: Promise<ReadonlySet<string>> | null = null;

  constructor(onError: (where: string, error: unknown) => void) {
    this.#onError = onError;
  }

  of(host: HostAddress): Promise<ReadonlySet<string>> {
    this.#reading ??= this.#read(host).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(host: HostAddress): Promise<ReadonlySet<string>> {
    try {
      return new Set((await callHost(host, 'preferences.get', {})).muted_bots);
    } catch (error) {
      // Better told once too often than not at all.
      this.#onError('muted bots', error);
      return NONE;
    }
  }
}
