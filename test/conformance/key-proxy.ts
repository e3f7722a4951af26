import { createServer, request } from 'node:http';

/** A proxy that adds an API key to every request. */
export interface KeyProxy {
  /** Address of the MCP endpoint behind it. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a proxy on this machine that adds a key and changes nothing else: the conformance suite cannot send a header
 * of its own. Host, Origin and streams pass through as they are, so the suite tests those of the real host.
 */
export async function keyProxy(hostUrl: string, key: string): Promise<KeyProxy> {
  const { hostname, port } = new URL(hostUrl);
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, 'x-api-key': key };
    const { url: path, method } = incoming;
    const onward = request({ hostname, port, path, method, headers, setHost: false }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    onward.once('error', () => answer.destroy());
    answer.once('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
