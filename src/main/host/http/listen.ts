import type { Server } from 'node:http';
import { isIP } from 'node:net';
import { PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../../node/system-error.ts';

export interface ListenOptions {
  readonly port: number;
  readonly portFixed: boolean;
  readonly address: string;
}

/** Number of ports after the usual one that are tried before any free port is taken. */
const NEXT_PORTS = 20;
const MAX_PORT = 65_535;

function tryListen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      server.off('listening', listening);
      reject(error);
    };
    const listening = (): void => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    };
    server.once('error', failed);
    server.once('listening', listening);
    server.listen({ port, host, exclusive: true });
  });
}

function taken(port: number, cause: unknown): PlatformError {
  return new PlatformError('INVALID_REQUEST', `Port ${port} is taken by another program`, {
    hint: 'Choose another one with --port, or leave it out to take the next free port.',
    cause,
  });
}

/**
 * Listens on the requested port. A fixed port that is taken is an error; instead of the default one, the next free port
 * is taken.
 */
export async function listen(server: Server, { port, portFixed, address }: ListenOptions): Promise<number> {
  const last = Math.min(port + NEXT_PORTS, MAX_PORT);
  for (let candidate = port; candidate <= last; candidate++) {
    try {
      return await tryListen(server, candidate, address);
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
        throw new PlatformError('INVALID_REQUEST', `The host cannot listen on ${address}:${candidate} (${code})`, {
          hint: 'Give an address of this machine with --listen, and a port that this user may take.',
          cause: error,
        });
      }
      if (code !== 'EADDRINUSE') throw error;
      if (portFixed) throw taken(candidate, error);
    }
  }
  return tryListen(server, 0, address);
}

/** Returns an address in URL form; clients reach wildcard addresses through loopback. */
export function urlHost(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return isIP(address) === 6 ? `[${address}]` : address;
}

/** True for addresses that only this machine can reach. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
