import { callHost, type HostAddress } from './host-client.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * Ids of the bots that their owner has muted, read from the host when the app is about to report a failure, once for many at a
 * time.
 */
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
