import { Duplex } from 'node:stream';

/** A stream of the same bytes that is no socket. */
export function plainStream(socket: Duplex): Duplex {
  // Node takes its own streams here as well; its types name those of the web alone.
  const both = { readable: socket, writable: socket } as unknown as Parameters<typeof Duplex.from>[0];
  return Duplex.from(both);
}
