import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, read by the tests that know them
  json(): any;
}

/**
 * A request with any headers at all: fetch refuses to send a Host or Origin of our choice. Each has a connection of its
 * own, because a host may close one that was kept at the very moment at which a busy machine sends on it.
 */
export function rawRequest(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string | string[]>>;
    readonly body?: string | Uint8Array;
  } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {} } = options;
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) });
      });
    });
    sent.once('error', reject);
    sent.end(options.body);
  });
}

/** Sends bytes over a socket of its own to a host and gives all that comes back until the host closes. */
export async function rawExchange(hostUrl: string, text: string): Promise<string> {
  const { hostname, port } = new URL(hostUrl);
  const socket = connect(Number(port), hostname, () => socket.write(text));
  let heard = '';
  socket.on('data', (chunk) => {
    heard += String(chunk);
  });
  await once(socket, 'close');
  return heard;
}
