import { toHostError } from './host-error.ts';
import type { HostSocket } from './socket.ts';

/**
 * Reads data of many bots one after another, so that the user's requests do not wait behind a screenful. A running
 * round is not started again, and none starts without a connection.
 */
export class BotReadRounds {
  readonly #socket: Pick<HostSocket, 'link'>;
  readonly #read: (id: string) => Promise<void>;
  #runs = false;
  #isOver = false;

  constructor(socket: Pick<HostSocket, 'link'>, read: (id: string) => Promise<void>) {
    this.#socket = socket;
    this.#read = read;
  }

  async run(ids: readonly string[]): Promise<void> {
    if (this.#runs || this.#isOver) return;
    this.#runs = true;
    for (const id of ids) {
      if (this.#isOver || this.#socket.link !== 'open') break;
      try {
        await this.#read(id);
      } catch (thrown) {
        // A bot may be gone by now. The page already reports lost connections; stop when rate-limited.
        const { code } = toHostError(thrown);
        if (code === 'CONNECTION_LOST' || code === 'RATE_LIMITED') break;
      }
    }
    this.#runs = false;
  }

  /** Ends it for good, after the current read. */
  stop(): void {
    this.#isOver = true;
  }
}
