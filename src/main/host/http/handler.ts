import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { CallName, DownloadName, StreamName, UploadName } from '../../../contract/operations.ts';
import type { Logger } from '../../../node/logger.ts';
import { IdSource } from '../../../shared/sortable-ids.ts';
import { checkAccess } from '../api/access.ts';
import type { Api, CallContext } from '../api/api-types.ts';
import type { HostMetrics } from '../api/host-metrics.ts';
import { EXPOSITION_TYPE } from '../api/prometheus-text.ts';
import type { Auth, Principal } from '../auth/auth.ts';
import { checkContentType, readAnyJson } from './body.ts';
import { checkOrigin, type GuardOptions } from './check-origin.ts';
import { EventStream } from './event-stream.ts';
import { confirmationOf, identify } from './identify.ts';
import { readInput } from './input.ts';
import { OpenCount } from './open-count.ts';
import { answerInOrder } from './pipelining.ts';
import type { RateLimit } from './rate-limit.ts';
import { clientOf, originOf } from './read-login-origin.ts';
import { sendError, sendRefusal, sendText, toPlatformError } from './respond.ts';
import { createRouter, type Route } from './routes.ts';
import { sendFile } from './send-file.ts';
import { createResultSender } from './send-result.ts';

/** Answers a request that is no operation (a page, the feed); false for a request that another handler must answer. */
export type ExtraHandler = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

/** A POST to a mount, with its sender known and its body read. */
export interface MountedPost {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Id that the answer carries as `x-request-id`. */
  readonly requestId: string;
  /** The body as JSON; undefined for invalid JSON. */
  readonly body: unknown;
  readonly principal: Principal;
  readonly context: CallContext;
  /**
   * Keeps the answer open. `end` is called, with the error that names the reason, when the sender's credential is no
   * longer valid and when the host stops. Throws INVALID_API_KEY if the credential is invalid already.
   */
  readonly keepOpen: (end: (why: PlatformError) => void) => void;
}

/** An address that accepts only POST and speaks a protocol of its own, errors included. */
export interface Mount {
  readonly path: string;
  /** Limit of a body in bytes. */
  readonly bodyLimit: number;
  /** Answers; throws a PlatformError to refuse the whole request. */
  handle(post: MountedPost): Promise<void>;
  /** Returns the body of a refusal; `body` is the request's, as far as it could be read. */
  refusal(error: PlatformError, body: unknown, requestId: string): unknown;
}

export interface HandlerOptions {
  readonly api: Api;
  readonly auth: Auth;
  readonly logger: Logger;
  readonly limit: RateLimit;
  readonly guard: GuardOptions;
  readonly extras: readonly ExtraHandler[];
  readonly mounts: readonly Mount[];
  readonly metrics: HostMetrics;
  readonly now: () => number;
}

/** An answer that stays open until the sender or the host ends it. */
export interface OpenStream {
  keepAlive(): void;
  end(): void;
}

/** Open streams: the host sends keep-alives to each and ends all when it stops. */
export type OpenStreams = Map<OpenStream, { readonly stillAllowed: () => boolean }>;

/** Streams that one caller may keep open; some megabytes may wait in each for a slow reader. */
const MOST_STREAMS = 128;
const METRICS_PATH = '/metrics';
const STOPPING = ['The host is being stopped', { hint: 'Start it again, then try again.' }] as const;
const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Signal that is aborted when the client has gone, one for all requests of a connection: a listener must be removed
 * when its request is over.
 */
function goneSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const gone = new AbortController();
  socket.once('close', () => gone.abort(new Error('The client has gone')));
  signals.set(socket, gone.signal);
  return gone.signal;
}

/** Returns path and query of a request line; the host part is ours, whatever the line says. */
function urlOf(request: IncomingMessage): URL {
  const target = request.url ?? '/';
  if (!target.startsWith('/')) throw new PlatformError('ROUTE_NOT_FOUND');
  return new URL(`http://host${target.startsWith('//') ? `/.${target}` : target}`);
}

/** The answer of a call or an upload, which takes the body as it arrives. */
function answer(
  api: Api,
  request: IncomingMessage,
  { name, operation }: Route,
  input: Record<string, unknown>,
  context: CallContext,
): Promise<unknown> {
  if (operation.kind === 'upload') return api.upload(name as UploadName, input, request, context);
  return api.call(name as CallName, input, context);
}

/** Adds the id of the last event that a reconnecting reader has seen, which overrides the start that it asks for. */
function resumed(request: IncomingMessage, input: Record<string, unknown>): Record<string, unknown> {
  const last = request.headers['last-event-id'];
  if (typeof last !== 'string' || !/^\d{1,15}$/.test(last)) return input;
  const { tail: _, ...rest } = input;
  return { ...rest, after: Number(last) };
}

/** Random bytes that only distinguish requests: knowing an id grants nothing. */
const someBytes = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => Math.random() * 256);

/** Returns the sender of a request at this moment. Throws AUTHENTICATION_REQUIRED or INVALID_API_KEY. */
function knownSender(auth: Auth, request: IncomingMessage, cookies?: 'never'): Principal {
  const principal = identify(auth, request, cookies);
  if (principal === null) throw new PlatformError('AUTHENTICATION_REQUIRED');
  return principal;
}

/** Reads only a small body from an unauthenticated sender: enough for the id of the message that the refusal answers. */
async function readOfStranger(request: IncomingMessage): Promise<unknown> {
  try {
    return await readAnyJson(request, LIMITS.openRequestBytes);
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

/** Answers a scrape of Prometheus: any key may read it, and sees the bots in its reach. */
async function scrape(
  { auth, limit, metrics }: HandlerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  if (request.method !== 'GET') {
    const error = new PlatformError('METHOD_NOT_ALLOWED', undefined, { hint: 'Use GET.' });
    await sendError(request, response, error, requestId, { allow: 'GET' });
    return;
  }
  const principal = knownSender(auth, request, 'never');
  checkAccess('bots.list', principal);
  limit.take(principal.keyId ?? principal.userId);
  sendText(response, await metrics(principal), { 'content-type': EXPOSITION_TYPE });
}

/** Builds the request listener of the HTTP surface. */
export function createHandler(options: HandlerOptions, streams: OpenStreams) {
  const { api, auth, limit, guard, now } = options;
  const router = createRouter();
  const requestIds = new IdSource(now, someBytes);
  const open = new OpenCount(MOST_STREAMS);
  const mounts = new Map(options.mounts.map((mount) => [mount.path, mount]));
  const sendResult = createResultSender(options);

  const contextOf = (
    request: IncomingMessage,
    principal: Principal | null,
    who: string,
    own: Pick<CallContext, 'signal' | 'renew' | 'confirmation'>,
  ): CallContext => ({
    ...own,
    principal,
    cameFrom: () => originOf(request),
    client: clientOf(request),
    origin: `${guard.secure ? 'https' : 'http'}://${request.headers.host ?? ''}`,
    rate: limit,
    who,
  });

  /**
   * Keeps an answer among the open ones until it is over. `check` throws if the sender, as known at that moment, may
   * not have the answer; `keepOpen` throws as well if that is so already or the credential is no longer valid
   * (INVALID_API_KEY).
   */
  const keepOpen = (
    request: IncomingMessage,
    response: ServerResponse,
    one: OpenStream,
    check: (principal: Principal | null) => void,
  ): void => {
    const stillAllowed = (): boolean => {
      try {
        check(identify(auth, request));
        return true;
      } catch (error) {
        if (error instanceof PlatformError) return false;
        throw error;
      }
    };
    // Checks the credential again: it may have been revoked during the wait, when no stream was open to be ended.
    check(identify(auth, request));
    streams.set(one, { stillAllowed });
    response.once('close', () => streams.delete(one));
  };

  const stream = async (
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    input: Record<string, unknown>,
    context: CallContext,
    requestId: string,
  ): Promise<void> => {
    open.add(context.who, response);
    const start = resumed(request, input);
    const events = new EventStream(response, requestId);
    const end = await api.stream(route.name as StreamName, start, context, events);
    if (context.signal.aborted) {
      end();
      return;
    }
    response.once('close', end);
    keepOpen(request, response, events, (principal) => checkAccess(route.name, principal));
    events.open();
  };

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    requestId: string,
    signal: AbortSignal,
  ): Promise<void> => {
    const match = router(request.method ?? 'GET', url.pathname);
    if (match === null) throw new PlatformError('ROUTE_NOT_FOUND');
    if ('allow' in match) {
      const { allow } = match;
      const error = new PlatformError('METHOD_NOT_ALLOWED', undefined, { hint: `Use ${allow.join(' or ')}.` });
      await sendError(request, response, error, requestId, { allow: allow.join(', ') });
      return;
    }
    const { route, params } = match;
    const { access, kind } = route.operation;
    const address = request.socket.remoteAddress ?? '';
    const renew = access === 'open' ? () => null : () => knownSender(auth, request);
    const principal = renew();
    const who = principal === null ? `address ${address}` : (principal.keyId ?? principal.userId);
    limit.take(who);
    const context = contextOf(request, principal, who, { signal, renew, confirmation: confirmationOf(request) });
    const input = await readInput(request, route, params, url.searchParams);
    if (kind === 'stream') await stream(request, response, route, input, context, requestId);
    else if (kind === 'download') {
      open.add(context.who, response);
      const cut = { end: () => void response.destroy(), keepAlive: () => undefined };
      keepOpen(request, response, cut, (sender) => checkAccess(route.name, sender));
      await sendFile(response, await api.download(route.name as DownloadName, input, context), requestId);
    } else sendResult(request, response, route, await answer(api, request, route, input, context), requestId);
  };

  /** Returns the sender of a POST to a mount; for an unknown sender the error that refuses it. */
  const senderOf = (request: IncomingMessage): Principal | PlatformError => {
    try {
      return knownSender(auth, request, 'never');
    } catch (error) {
      if (error instanceof PlatformError) return error;
      throw error;
    }
  };

  /** Returns the error for the sender; faults of the host go to the log. */
  const told = ({ url }: IncomingMessage, error: unknown, requestId: string): PlatformError => {
    const answer = toPlatformError(error);
    if (answer.code === 'INTERNAL') options.logger.error('a request failed', { request_id: requestId, url, error });
    return answer;
  };

  const post = async (
    mount: Mount,
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    signal: AbortSignal,
  ): Promise<void> => {
    let body: unknown;
    try {
      if (request.method !== 'POST') throw new PlatformError('METHOD_NOT_ALLOWED', undefined, { hint: 'Use POST.' });
      checkContentType(request, ['application/json']);
      const sender = senderOf(request);
      if (sender instanceof PlatformError) {
        body = await readOfStranger(request);
        throw sender;
      }
      body = await readAnyJson(request, mount.bodyLimit);
      // A key may have been revoked while the body was on its way.
      const principal = senderOf(request);
      if (principal instanceof PlatformError) throw principal;
      const who = principal.keyId ?? principal.userId;
      limit.take(who);
      const renew = (): Principal => knownSender(auth, request, 'never');
      const context = contextOf(request, principal, who, { signal, renew, confirmation: null });
      await mount.handle({
        request,
        response,
        requestId,
        body,
        principal,
        context,
        // The code that reads the stream's content checks the access to it.
        keepOpen(end) {
          const whyEnded = (): PlatformError => {
            const sender = senderOf(request);
            return sender instanceof PlatformError ? sender : new PlatformError('HOST_UNREACHABLE', ...STOPPING);
          };
          const one = { keepAlive: () => undefined, end: () => end(whyEnded()) };
          keepOpen(request, response, one, () => undefined);
        },
      });
    } catch (thrown) {
      if (response.headersSent || response.destroyed) throw thrown;
      const error = told(request, thrown, requestId);
      const headers = error.code === 'METHOD_NOT_ALLOWED' ? { allow: 'POST' } : {};
      await sendRefusal(request, response, error, mount.refusal(error, body, requestId), requestId, headers);
    }
  };

  const fail = async (request: IncomingMessage, response: ServerResponse, thrown: unknown, requestId: string) => {
    const error = told(request, thrown, requestId);
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    await sendError(request, response, error, requestId);
  };

  return answerInOrder((request, response) => {
    const requestId = requestIds.next('req');
    const signal = goneSignal(request.socket);
    const work = async (): Promise<void> => {
      const target = request.url ?? '';
      const mount = mounts.get(target) ?? mounts.get(target.split('?', 1)[0] ?? '');
      checkOrigin(request, guard, mount === undefined ? 'own' : 'this machine');
      if (mount !== undefined) {
        await post(mount, request, response, requestId, signal);
        return;
      }
      const url = urlOf(request);
      if (url.pathname === METRICS_PATH) return await scrape(options, request, response, requestId);
      if (options.extras.some((extra) => extra(request, response, url))) return;
      await serve(request, response, url, requestId, signal);
    };
    work().catch((thrown: unknown) => fail(request, response, thrown, requestId));
  });
}
