import { connect, type Socket } from 'node:net';
import { PlatformError } from '../../../contract/errors.ts';
import { systemErrorCode } from '../../../node/system-error.ts';
import { NobodyListens, type Place } from './engine.ts';

/** The Host of every request to a program: servers of our SDKs answer an IP address or `localhost` alone. */
export const QUERY_HOST = '127.0.0.1';

/** A connection from this machine to a program's query port. Rejects with NobodyListens when it is refused. */
export function connectTo({ host, port }: Place): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const fail = (error: Error): void =>
      reject(systemErrorCode(error) === 'ECONNREFUSED' ? new NobodyListens(error.message) : error);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/** The error of a unit that serves no queries. */
export function servesNone(): PlatformError {
  return new PlatformError('BOT_NOT_RUNNING', 'This run has no port for queries: only realtime bots serve them.');
}
