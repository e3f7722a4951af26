import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NewSession } from '../../contract/account.ts';
import { PlatformError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { CallName, Output, StreamName, UploadName } from '../../contract/operations.ts';
import { IdSource } from '../../isomorphic/ids.ts';
import { checkAccess } from '../api/access.ts';
import type { Api, CallContext } from '../api/api.ts';
import type { Auth, Principal } from '../auth/auth.ts';
import { oldCookieOf } from '../auth/credential.ts';
import type { Logger } from '../base/logger.ts';
import { checkContentType, readAnyJson } from './body.ts';
import { botListBytes } from './bot-list.ts';
import { EventStream } from './event-stream.ts';
import { checkOrigin, type GuardOptions, isSameOrigin } from './guards.ts';
import { identify } from './identify.ts';
import { inTurn } from './in-turn.ts';
import { readInput } from './input.ts';
import { OpenCount } from './open-count.ts';
import type { RateLimit } from './rate-limit.ts';
import { sendError, sendJson, sendJsonText, sendRefusal, toPlatformError } from './respond.ts';
import { createRouter, type Route } from './routes.ts';
import { clearedCookie, sessionCookie } from './session-cookie.ts';

/** Answers a request that no operation is for (a page, the feed); false when it is none of its own. */
export type ExtraHandler = (request: IncomingMessage, response: ServerResponse, url: URL) => boolean;

/** A POST that arrived at a mount, with its sender known and its body read. */
export interface MountedPost {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Goes out as `x-request-id`. */
  readonly requestId: string;
  /** The body as JSON; undefined when it is none. */
  readonly body: unknown;
  readonly principal: Principal;
  readonly context: CallContext;
  /**
   * Tells that the answer stays open: `end` is called when the sender's credential no longer holds, and when the host
   * stops. Throws INVALID_API_KEY where that credential has ended already.
   */
  readonly keepOpen: (end: () => void) => void;
}

/** An address that takes POST only and speaks a protocol of its own, errors included. */
export interface Mount {
  readonly path: string;
  /** Bytes of a body. */
  readonly bodyLimit: number;
  /** Answers; throws a PlatformError for what is refused as a whole. */
  handle(post: MountedPost): Promise<void>;
  /** The body of an answer that refuses; `body` is the request's, as far as it could be read. */
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
  readonly now: () => number;
}

/** An answer that goes on until it is ended. */
export interface OpenStream {
  keepAlive(): void;
  end(): void;
}

/** Streams that are open now: told to keep alive, and ended when the host stops. */
export type OpenStreams = Map<OpenStream, { readonly stillAllowed: () => boolean }>;

const PACKAGE_TYPES = ['application/gzip', 'application/x-gzip', 'application/octet-stream'];
const CLIENT_CHARS = 200;
/** Streams that one caller may hold open; each may have some megabytes wait for a slow reader. */
const MOST_STREAMS = 128;
const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Aborted when the client has gone. One for all requests of a connection: who listens to it must stop when the request is
 * over.
 */
function goneSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const gone = new AbortController();
  socket.once('close', () => gone.abort(new Error('The client has gone')));
  signals.set(socket, gone.signal);
  return gone.signal;
}

/** The address part and query of a request line; the host part is ours, whatever the line says. */
function urlOf(request: IncomingMessage): URL {
  const target = request.url ?? '/';
  if (!target.startsWith('/')) throw new PlatformError('ROUTE_NOT_FOUND');
  return new URL(`http://host${target.startsWith('//') ? `/.${target}` : target}`);
}

/** The last event a reader has seen wins over where it asked to start: it is a reconnect then. */
function resumed(request: IncomingMessage, input: Record<string, unknown>): Record<string, unknown> {
  const last = request.headers['last-event-id'];
  if (typeof last !== 'string' || !/^\d{1,15}$/.test(last)) return input;
  const { tail: _, ...rest } = input;
  return { ...rest, after: Number(last) };
}

/** Only to tell requests apart: to know one of their ids lets nobody in. */
const someBytes = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => Math.random() * 256);

/** Builds the request listener of the HTTP surface. */
export function createHandler(options: HandlerOptions, streams: OpenStreams) {
  const { api, auth, limit, guard, now } = options;
  const router = createRouter();
  const requestIds = new IdSource(now, someBytes);
  const open = new OpenCount(MOST_STREAMS);
  const mounts = new Map(options.mounts.map((mount) => [mount.path, mount]));

  const contextOf = (
    request: IncomingMessage,
    principal: Principal | null,
    who: string,
    signal: AbortSignal,
  ): CallContext => ({
    principal,
    address: request.socket.remoteAddress ?? '',
    client: request.headers['user-agent']?.slice(0, CLIENT_CHARS) ?? null,
    origin: `${guard.secure ? 'https' : 'http'}://${request.headers.host ?? ''}`,
    signal,
    rate: limit,
    who,
  });

  /** Ends the session that an earlier version has left beside the own one; false where there is none of this host. */
  const endOldSession = ({ headers }: IncomingMessage): boolean => {
    const token = oldCookieOf(headers);
    if (token === null) return false;
    try {
      auth.logout(auth.authenticate(token));
      return true;
    } catch (error) {
      if (error instanceof PlatformError) return false;
      throw error;
    }
  };

  const sendResult = (
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    result: unknown,
    requestId: string,
  ): void => {
    const headers: Record<string, string> = { 'x-request-id': requestId };
    const place = { host: request.headers.host, secure: guard.secure };
    if (route.name === 'bots.query') {
      const answer = result as Output<'bots.query'>;
      headers['x-query-duration-ms'] = answer.duration_ms.toFixed(1);
      if (answer.warm === true) headers['x-query-warm'] = 'true';
      sendJson(response, 200, answer.result, headers);
      return;
    }
    if (route.name === 'auth.login' || route.name === 'auth.enter') {
      const { token, ...rest } = result as NewSession;
      headers['set-cookie'] = sessionCookie(token, Math.floor((Date.parse(rest.expires_at) - now()) / 1000), place);
      // A page of ours has the cookie; what a script of it could read, a script that got into it could take away.
      if (isSameOrigin(request)) {
        sendJson(response, route.operation.status, rest, headers);
        return;
      }
    }
    if (route.name === 'bots.list') {
      sendJsonText(response, 200, botListBytes(result as Output<'bots.list'>), headers);
      return;
    }
    if (route.name === 'auth.logout') {
      const hosts = endOldSession(request) ? [place.host, undefined] : [place.host];
      response.setHeader(
        'set-cookie',
        hosts.map((host) => clearedCookie({ ...place, host })),
      );
    }
    sendJson(response, route.operation.status, result, headers);
  };

  /**
   * Keeps an answer among the open ones until it is over. `check` throws for a sender who may not have it, as they are now;
   * so does this, where that is so already or the credential has ended (INVALID_API_KEY).
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
    // What it shows was waited for, and meanwhile nobody was there to be told of the end.
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
    const principal: Principal | null = access === 'open' ? null : identify(auth, request);
    if (principal === null && access !== 'open') throw new PlatformError('AUTHENTICATION_REQUIRED');
    const who = principal === null ? `address ${address}` : (principal.keyId ?? principal.userId);
    limit.take(who);
    const context = contextOf(request, principal, who, signal);
    if (kind === 'upload') {
      checkContentType(request, PACKAGE_TYPES);
      sendResult(request, response, route, await api.upload(route.name as UploadName, request, context), requestId);
      return;
    }
    const input = await readInput(request, route, params, url.searchParams);
    if (kind === 'stream') await stream(request, response, route, input, context, requestId);
    else sendResult(request, response, route, await api.call(route.name as CallName, input, context), requestId);
  };

  /** The sender of a POST to a mount; whoever is not known comes back as the error that refuses them. */
  const senderOf = (request: IncomingMessage): Principal | PlatformError => {
    try {
      return identify(auth, request, 'never') ?? new PlatformError('AUTHENTICATION_REQUIRED');
    } catch (error) {
      if (error instanceof PlatformError) return error;
      throw error;
    }
  };

  /** Of somebody who is not known only as much is read as names the message that the refusal answers. */
  const readOfStranger = async (request: IncomingMessage): Promise<unknown> => {
    try {
      return await readAnyJson(request, LIMITS.openRequestBytes);
    } catch (error) {
      if (error instanceof PlatformError) return undefined;
      throw error;
    }
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
      // A key may have been taken back while a body was on its way.
      const principal = senderOf(request);
      if (principal instanceof PlatformError) throw principal;
      const who = principal.keyId ?? principal.userId;
      limit.take(who);
      const context = contextOf(request, principal, who, signal);
      await mount.handle({
        request,
        response,
        requestId,
        body,
        principal,
        context,
        // What it carries is checked where it is read.
        keepOpen: (end) => keepOpen(request, response, { keepAlive: () => undefined, end }, () => undefined),
      });
    } catch (thrown) {
      const error = toPlatformError(thrown);
      if (response.headersSent || response.destroyed) throw thrown;
      if (error.code === 'INTERNAL') {
        options.logger.error('a request failed', { request_id: requestId, url: request.url, error: thrown });
      }
      const headers = error.code === 'METHOD_NOT_ALLOWED' ? { allow: 'POST' } : {};
      await sendRefusal(request, response, error, mount.refusal(error, body, requestId), requestId, headers);
    }
  };

  const fail = async (request: IncomingMessage, response: ServerResponse, thrown: unknown, requestId: string) => {
    const error = toPlatformError(thrown);
    if (error.code === 'INTERNAL') {
      options.logger.error('a request failed', { request_id: requestId, url: request.url, error: thrown });
    }
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    await sendError(request, response, error, requestId);
  };

  return inTurn((request, response) => {
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
      if (options.extras.some((extra) => extra(request, response, url))) return;
      await serve(request, response, url, requestId, signal);
    };
    work().catch((thrown: unknown) => fail(request, response, thrown, requestId));
  });
}
