import { toHostError } from './host-error.ts';
import type { HostSocket } from './socket.ts';

/**
 * Reads something of many bots, one after the other, so that what a person asks for meanwhile does not wait behind a
 * screenful. A round that still runs is not begun again, and none begins without a connection.
 */
export class Rounds {
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
        // A bot may be gone by now; of a lost connection the page says enough, and who is asked too much is left alone.
        const { code } = toHostError(thrown);
        if (code === 'CONNECTION_LOST' || code === 'RATE_LIMITED') break;
      }
    }
    this.#runs = false;
  }

  /** Ends it for good, after what is read now. */
  stop(): void {
    this.#isOver = true;
  }
}
