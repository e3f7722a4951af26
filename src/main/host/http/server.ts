import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { PlatformError } from '../../../contract/errors.ts';
import type { Logger } from '../../../node/logger.ts';
import { newId } from '../../../shared/sortable-ids.ts';
import type { Api } from '../api/api-types.ts';
import type { HostMetrics } from '../api/host-metrics.ts';
import type { Auth } from '../auth/auth.ts';
import { createDashboard } from './dashboard.ts';
import { createHandler, type ExtraHandler, type Mount, type OpenStreams } from './handler.ts';
import { isLoopback, listen, urlHost } from './listen.ts';
import { openApi } from './openapi.ts';
import { type Rate, RateLimit } from './rate-limit.ts';
import { endWithError, sendJson } from './respond.ts';
import { createSocketServer } from './socket.ts';
import { createViewCage } from './view-cage.ts';

/** Flags of the host for its server: address, port and TLS. */
export interface HttpFlags {
  readonly port: number;
  readonly portFixed: boolean;
  readonly listen: string;
  readonly insecure: boolean;
  readonly tlsKey: string | null;
  readonly tlsCert: string | null;
}

export interface HttpOptions {
  /** Folder with the built dashboard. */
  readonly dashboardDir: string;
  /** Script of the cage in which the dashboard shows views. */
  readonly viewCageScript: string;
  readonly api: Api;
  readonly auth: Auth;
  readonly flags: HttpFlags;
  /** Prices for bots without a network: returns the answer to a path below `/feed/`, undefined for an unknown path. */
  readonly feed: (
    pathname: string,
    query: URLSearchParams,
    nowMs: number,
  ) => { readonly status: number; readonly body: unknown } | undefined;
  /** Addresses with protocols of their own. */
  readonly mounts: readonly Mount[];
  /** The answer to `/metrics`. */
  readonly metrics: HostMetrics;
  /** Requests that one key may send, per second and in a burst. */
  readonly rate?: Rate;
  /** Time within which a whole request must arrive, in ms. */
  readonly requestMs?: number;
  readonly version: string;
  readonly logger: Logger;
  readonly now: () => number;
}

/** The one server of a host: API, queries, feed and pages on one port. */
export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Notes for people about this start. */
  readonly notes: readonly string[];
  /** Ends streams and connections, after at most a second for answers that are being written. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 15_000;
const CLOSE_GRACE_MS = 1000;
/**
 * Time limits within which a request must arrive, as a whole and its headers, so that slow senders cannot occupy
 * connections.
 */
const REQUEST_MS = 300_000;
const HEADERS_MS = 30_000;
const CHECK_MS = 5000;
/** Limit of requests of one key: far above what people and dashboards need, far below what slows the host. */
const RATE = { perSecond: 200, burst: 400 };

function readPem(path: string, flag: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new PlatformError('INVALID_REQUEST', `The file of ${flag} cannot be read: ${path}`, {
      hint: 'Give the path of a PEM file that this user may read.',
      cause: error,
    });
  }
}

/**
 * Creates the server. Keys travel in every request, so they leave this machine only encrypted, unless the user starts
 * the host with --insecure.
 */
function createPlainOrTls(flags: HttpFlags, requestMs: number): { readonly server: Server; readonly secure: boolean } {
  const { tlsKey, tlsCert } = flags;
  const options = {
    shouldUpgradeCallback,
    requestTimeout: requestMs,
    headersTimeout: Math.min(requestMs, HEADERS_MS),
    connectionsCheckingInterval: Math.min(requestMs, CHECK_MS),
  };
  if (tlsKey !== null && tlsCert !== null) {
    const key = readPem(tlsKey, '--tls-key');
    const cert = readPem(tlsCert, '--tls-cert');
    return { server: createTlsServer({ key, cert, ...options }), secure: true };
  }
  if (tlsKey !== null || tlsCert !== null || (!isLoopback(flags.listen) && !flags.insecure)) {
    throw new PlatformError('INVALID_REQUEST', `Listening on ${flags.listen} would send keys unencrypted`, {
      hint: 'Give --tls-key and --tls-cert, or --insecure if the network is trusted.',
    });
  }
  return { server: createServer(options), secure: false };
}

/** Answers bytes that are not an HTTP request; handles `clientError` of the server. */
function refuseBadRequest(error: Error, socket: Duplex, requestId: string): void {
  if (!socket.writable) return;
  const code = 'code' in error ? error.code : null;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const answer = new PlatformError('INVALID_REQUEST', 'The request did not arrive in time', {
      hint: 'Send it without pauses. A large package over a slow network is sent from a machine nearer to the host.',
    });
    endWithError(socket, answer, requestId, 408);
    return;
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const answer = new PlatformError('TOO_LARGE', 'The headers of the request are too large', {
      hint: 'Send less than 16 KB of headers.',
    });
    endWithError(socket, answer, requestId, 431);
    return;
  }
  const answer = new PlatformError('INVALID_REQUEST', 'This is not an HTTP/1.1 request', {
    hint: 'Send HTTP, and https only to a host with a certificate.',
  });
  endWithError(socket, answer, requestId);
}

/** Other upgrades (such as HTTP/2 in clear text) are declined, and the request is answered as HTTP/1.1. */
const shouldUpgradeCallback = (request: IncomingMessage): boolean =>
  request.headers.upgrade?.trim().toLowerCase() === 'websocket';

/** Starts the server; resolves when it listens. */
export async function createHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { api, auth, flags, feed, logger, now } = options;
  const { server, secure } = createPlainOrTls(flags, options.requestMs ?? REQUEST_MS);
  const guard = { address: flags.listen, secure };
  const limit = new RateLimit(options.rate ?? RATE, now);
  const streams: OpenStreams = new Map();

  const feedAnswers: ExtraHandler = (request, response, { pathname, searchParams }) => {
    const answer = request.method === 'GET' ? feed(pathname, searchParams, now()) : undefined;
    if (answer !== undefined) sendJson(response, answer.status, answer.body);
    return answer !== undefined;
  };
  let description: Record<string, unknown> | null = null;
  const describes: ExtraHandler = (request, response, { pathname }) => {
    if (pathname !== '/api/v1/openapi.json' || request.method !== 'GET') return false;
    description ??= openApi(options.version);
    sendJson(response, 200, description);
    return true;
  };
  const extras = [
    feedAnswers,
    describes,
    createViewCage(options.viewCageScript),
    createDashboard(options.dashboardDir, logger),
  ];
  server.on(
    'request',
    createHandler(
      { api, auth, logger, limit, guard, extras, mounts: options.mounts, metrics: options.metrics, now },
      streams,
    ),
  );
  server.on('clientError', (error, socket) => refuseBadRequest(error, socket, newId('req', now(), randomBytes(10))));
  const sockets = createSocketServer({ api, auth, logger, limit, guard, now });
  server.on('upgrade', sockets.upgrade);

  const port = await listen(server, { port: flags.port, portFixed: flags.portFixed, address: flags.listen });
  const checkStreams = (): void => {
    for (const [stream, { stillAllowed }] of streams) if (!stillAllowed()) stream.end();
  };
  const keepAlive = setInterval(() => {
    checkStreams();
    for (const stream of streams.keys()) stream.keepAlive();
    sockets.keepAlive();
  }, KEEP_ALIVE_MS);
  const forget = auth.onTakenBack(() => {
    checkStreams();
    sockets.checkCredentials();
  });
  const notes: string[] = [];
  if (flags.port !== 0 && port !== flags.port) notes.push(`Port ${flags.port} was taken, so this host uses ${port}.`);
  if (!isLoopback(flags.listen)) notes.push(`Other machines can reach this host at ${flags.listen}.`);
  if (!isLoopback(flags.listen) && !secure) notes.push('Connections are not encrypted (--insecure).');

  return {
    url: `${secure ? 'https' : 'http'}://${urlHost(flags.listen)}:${port}`,
    port,
    notes,
    async close() {
      clearInterval(keepAlive);
      forget();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const stream of streams.keys()) stream.end();
      sockets.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
