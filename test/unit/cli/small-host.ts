import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'vitest';

/** A request as the server got it, body and all. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface SmallHost {
  readonly url: string;
  /** Requests so far, oldest first. */
  readonly seen: readonly Seen[];
  /** Ends the server and all its connections. */
  close(): Promise<void>;
}

type Answer = (request: Seen, response: ServerResponse) => void | Promise<void>;

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export function refuse(response: ServerResponse, status: number, error: Readonly<Record<string, unknown>>): void {
  json(response, status, { error: { hint: null, details: null, request_id: 'req_1', ...error } });
}

async function read(request: IncomingMessage): Promise<Seen> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** A real HTTP server on a port of its own that answers as the test says; it ends with the test. */
export async function smallHost(
  onTestFinished: TestContext['onTestFinished'],
  answer: Answer,
  port = 0,
): Promise<SmallHost> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const whole = await read(request);
    seen.push(whole);
    await answer(whole, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closed ??= closeServer(server);
    return closed;
  };
  onTestFinished(close);
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${bound}`, seen, close };
}

/** The start of a stream of events. */
export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': hello\n\n');
}

export function sendEvent(response: ServerResponse, id: number, value: unknown): void {
  response.write(`id: ${id}\ndata: ${JSON.stringify(value)}\n\n`);
}
