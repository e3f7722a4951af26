import type { Socket } from 'node:net';

/** How long the other side may take to read why, and to close. */
const GRACE_MS = 1000;

/**
 * Says a last word and ends the connection, also one whose other side never closes. Bytes that still come are read away: a
 * connection that is closed over unread ones loses its last word.
 */
export function hangUp(socket: Socket, last: string | Buffer): void {
  socket.end(last);
  socket.resume();
  const late = setTimeout(() => socket.destroy(), GRACE_MS);
  socket.once('close', () => clearTimeout(late));
}
