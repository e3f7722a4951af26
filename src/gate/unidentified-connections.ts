import type { Socket } from 'node:net';

/** Most connections that have not said yet who speaks. A sound program says so within milliseconds. */
const MOST = 500;
/** How long a connection may take to say who speaks and where it wants to go, however busy it is. */
const PATIENCE_MS = 60_000;

/**
 * Connections of which the gate does not know yet whose they are. They must not take the gate from programs that say so: each
 * has a term, and where there are too many, the one that has waited longest goes.
 */
export class UnidentifiedConnections {
  readonly #late = new Map<Socket, NodeJS.Timeout>();

  add(socket: Socket): void {
    const [oldest] = this.#late.keys();
    if (oldest !== undefined && this.#late.size >= MOST) {
      this.known(oldest);
      oldest.destroy();
    }
    this.#late.set(
      socket,
      setTimeout(() => socket.destroy(), PATIENCE_MS),
    );
    socket.once('close', () => this.known(socket));
  }

  /** From here on the connection counts as one of its bot, or has ended. */
  known(socket: Socket): void {
    clearTimeout(this.#late.get(socket));
    this.#late.delete(socket);
  }
}
