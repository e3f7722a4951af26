import type { LedgerChanges } from '../../../contract/ledger-upkeep.ts';
import type { HostSocket } from '../socket.ts';

/** Called with what has changed. */
type Listener = (changes: LedgerChanges) => void;

/** One stream of a page for all its parts that show books; it is open while any of them does. */
class ChangedBooks {
  readonly #socket: Pick<HostSocket, 'stream'>;
  readonly #listeners = new Set<Listener>();
  #stream: { cancel(): void } | null = null;

  constructor(socket: Pick<HostSocket, 'stream'>) {
    this.#socket = socket;
  }

  follow(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#stream ??= this.#socket.stream(
      'ledger.stream',
      {},
      {
        event: (changes) => {
          for (const one of [...this.#listeners]) one(changes);
        },
      },
    );
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stream?.cancel();
      this.#stream = null;
    };
  }
}

const known = new WeakMap<object, ChangedBooks>();

/** Calls the listener with books that change, until the returned function is called. */
export function followBooks(socket: Pick<HostSocket, 'stream'>, listener: Listener): () => void {
  let books = known.get(socket);
  if (books === undefined) {
    books = new ChangedBooks(socket);
    known.set(socket, books);
  }
  return books.follow(listener);
}

/** What a part of the page shows: of one bot or of all, and whether prices, equity and signals are a part of it. */
export interface ShownBooks {
  readonly botId?: string;
  readonly marks?: boolean;
}

/** True if a part of the page shows something that has changed. */
export function concerns({ items, incomplete }: LedgerChanges, { botId, marks = false }: ShownBooks): boolean {
  return incomplete || items.some((one) => (botId === undefined || one.bot_id === botId) && (marks || one.booked));
}
