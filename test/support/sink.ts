import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { TestContext } from 'vitest';

/** A server that nobody should reach: it keeps what arrives, of TCP and of UDP, at one port. */
export interface Sink {
  readonly port: number;
  /** Text that came in, and a line for each connection that brought none. */
  readonly received: readonly string[];
}

/** Opens a sink on the loopback address, which is closed when the test ends. */
export async function openSink(onTestFinished: TestContext['onTestFinished']): Promise<Sink> {
  const received: string[] = [];
  const server = createServer((socket) => {
    received.push('a connection');
    socket.on('data', (bytes) => {
      received.push(bytes.toString('latin1'));
      // Enough for a program that asks for a page to go on, and to ask for what stands in it.
      socket.end('HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket('udp4');
  datagrams.on('message', (bytes) => received.push(`UDP ${bytes.toString('latin1')}`));
  await new Promise<void>((resolve) => datagrams.bind(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    datagrams.close();
  });
  return { port, received };
}
