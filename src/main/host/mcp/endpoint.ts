import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlatformError } from '../../../contract/errors.ts';
import { isJsonObject } from '../../../shared/json.ts';
import type { CallContext } from '../api/api-types.ts';
import type { Principal } from '../auth/auth.ts';
import { OpenOfKeys, WaitingCalls, type WhileOpen } from './open-calls.ts';
import { plainLane } from './plain-lane.ts';
import { cancelledBy, clientName, isModern, LEGACY_VERSIONS, MODERN_VERSION, wantsProgress } from './protocol.ts';
import type { Endpoint, Exchange } from './request-context.ts';
import { openUpdates } from './resource-updates.ts';
import { answerText, batchText, idOf, RPC, type RpcAnswer, RpcError, rpcError } from './rpc.ts';
import { listenLane, modernLane, progressLane } from './sdk-lane.ts';
import type { Surface } from './surface.ts';

/** Subscriptions that one key may hold open. */
const MOST_SUBSCRIPTIONS = 64;
/** Calls of one key that may wait at a time. */
const MOST_WAITS = 16;

/** A POST whose sender is known and whose body is read, as the HTTP server hands it over. */
export interface McpRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Goes out as `x-request-id`. */
  readonly requestId: string;
  /** The body as JSON; undefined for invalid JSON. */
  readonly body: unknown;
  readonly principal: Principal;
  readonly context: CallContext;
  /**
   * Keeps the answer open: calls `end` with the reason once the sender's access ends. Throws if it has ended already.
   */
  readonly keepOpen: (end: (why: PlatformError) => void) => void;
}

/** Answers a POST to an MCP endpoint. Throws RATE_LIMITED and FORBIDDEN; everything else is answered here. */
export interface McpHandler {
  handle(request: McpRequest, surface: Surface): Promise<void>;
}

function send(
  { response, requestId }: Pick<McpRequest, 'response' | 'requestId'>,
  status: number,
  body?: RpcAnswer | readonly RpcAnswer[],
): void {
  if (body === undefined) {
    response.writeHead(status, { 'x-request-id': requestId });
    response.end();
    return;
  }
  const { text, bytes } = 'jsonrpc' in body ? answerText(body) : batchText(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes,
    'cache-control': 'no-store',
    'x-request-id': requestId,
  });
  // Equal for plain ASCII, and saves a tenth of the whole call (bench/mcp.ts).
  response.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

/** An error that ends the whole request, in the form that a JSON-RPC client reads. */
export function requestError(error: PlatformError, body: unknown, requestId: string): RpcAnswer {
  const { status } = error;
  const code = status === 401 || status === 403 || status === 429 ? status : RPC.invalidRequest;
  return rpcError(idOf(body), code, error.message, error.toBody(requestId));
}

const isListen = (body: unknown): boolean => isJsonObject(body) && body.method === 'subscriptions/listen';

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The endpoint for AI assistants (docs/assistants.md): one POST, no sessions, every kind of client. */
export function createMcp(endpoint: Endpoint): McpHandler {
  const subscriptions = new OpenOfKeys(MOST_SUBSCRIPTIONS, 'subscriptions');
  const waits = new OpenOfKeys(MOST_WAITS, 'calls that wait');
  const waiting = new WaitingCalls();

  const whileOpenOf =
    ({ principal, context, response, body, keepOpen }: McpRequest): WhileOpen =>
    async (work) => {
      const ended = new AbortController();
      const end = (why?: PlatformError): void => ended.abort(why);
      const gone = (): void => end();
      const close = waits.open(principal.keyId ?? principal.userId);
      const deaf = waiting.onCancel(context.who, idOf(body), gone);
      response.once('close', gone);
      try {
        if (response.destroyed) end();
        keepOpen(end);
        return await work(ended.signal);
      } finally {
        response.off('close', gone);
        deaf();
        close();
      }
    };

  const listen = async (one: McpRequest, exchange: Exchange): Promise<void> => {
    const { principal, response, body } = one;
    if (response.destroyed) return;
    response.once('close', subscriptions.open(principal.keyId ?? principal.userId));
    try {
      const { bus, close } = await openUpdates(body, exchange);
      if (response.destroyed) {
        close();
        return;
      }
      response.once('close', close);
      const ended = new AbortController();
      one.keepOpen(() => {
        close();
        ended.abort();
      });
      await listenLane(one.request, response, body, exchange, { bus, ended: ended.signal });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      send(one, 200, rpcError(idOf(body), error.code, error.message, error.data));
    }
  };

  return {
    async handle(one, surface) {
      const { request, response, body, principal } = one;
      if (body === undefined) {
        send(one, 400, rpcError(null, RPC.parseError, 'Parse error: the body is not JSON'));
        return;
      }
      const name = clientName(body);
      const context = name === null ? one.context : { ...one.context, client: name.slice(0, 200) };
      const version = header(request, 'mcp-protocol-version');
      const cancelled = cancelledBy(body);
      if (cancelled !== null) waiting.cancel(context.who, cancelled);
      const exchange: Exchange = { endpoint, surface, principal, context, whileOpen: whileOpenOf(one) };
      if (isModern(body, version)) {
        response.setHeader('x-request-id', one.requestId);
        if (isListen(body)) await listen(one, exchange);
        else await modernLane(request, response, body, exchange);
        return;
      }
      if (version !== undefined && !LEGACY_VERSIONS.includes(version)) {
        const supported = [MODERN_VERSION, ...LEGACY_VERSIONS];
        const message = `Unsupported MCP-Protocol-Version: ${version}`;
        send(one, 400, rpcError(idOf(body), RPC.invalidRequest, message, { supported }));
        return;
      }
      const streams = (header(request, 'accept') ?? '').includes('text/event-stream');
      if (streams && wantsProgress(body)) {
        await progressLane(request, response, body, exchange);
        return;
      }
      const { status, body: answer } = await plainLane(body, exchange);
      send(one, status, answer);
    },
  };
}
