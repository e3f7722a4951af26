import { connect } from 'node:net';
import { freePort } from './child-program.ts';
import { rawRequest } from './raw-http.ts';
import { until } from './until.ts';

/** The answers of the query kits, as every language gives them. */
export const failed = (error: string) => ({ status: 'error', error });
export const ok = (data: unknown) => ({ status: 'ok', data });

/** A query server that `start` has started on its port, with a way to ask it; it answers when this resolves. */
export async function serveQueries<R extends object>(start: (env: Record<string, string>) => R) {
  const port = await freePort();
  const run = start({ QUERY_PORT: String(port) });
  const ask = async (path: string, body?: string | Uint8Array, method = body === undefined ? 'GET' : 'POST') => {
    const { status, json } = await rawRequest(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body }),
    });
    return [status, json()];
  };
  await until('the server to answer', () => ask('/health').catch(() => null));
  return { ...run, port, ask };
}

/** A server's answer to these bytes until it ends the connection. */
export async function say(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => {
    heard += text;
  });
  socket.on('error', () => socket.destroy());
  socket.end(bytes);
  // Not once(): a connection that is reset has been answered, too.
  await new Promise((resolve) => socket.on('close', resolve));
  return heard;
}
