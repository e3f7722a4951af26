import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests that may wait on a connection behind the one that is being answered. */
const MOST_WAITING = 100;

/**
 * Lets a request wait for those that were sent before it on its connection (pipelining): its answer could leave after
 * theirs only, and would be held in memory until then. A few kilobytes ask for hundreds of large answers otherwise.
 * A connection with too many that wait is ended.
 */
export function answerInOrder(begin: Listener): Listener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    if (response.socket !== null) {
      begin(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MOST_WAITING) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count);
    // Node gives the connection to an answer when the one before it is done.
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      begin(request, response);
    });
  };
}
