import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  type McpRequestContext,
  ProtocolError,
  type RequestMethod,
  SdkError,
  SdkErrorCode,
  Server,
  type ServerContext,
  type ServerEventBus,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { PlatformError } from '../../../contract/errors.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { questionOf } from './call-tool.ts';
import { dispatch, type Stopped } from './dispatch.ts';
import { argumentsOf, METHODS, type MethodName, toolOf } from './methods.ts';
import { CAPABILITIES } from './protocol.ts';
import type { Exchange } from './request-context.ts';
import { RPC, RpcError } from './rpc.ts';
import type { ToolCaller } from './tool.ts';
import { errorResult } from './tool-error.ts';

/** Time within which a person must answer a question, in seconds; later it is asked again. */
const ANSWER_SECONDS = 300;
const LONG_MS = 300_000;

/** Time for which a client may cache each answer; `private` where the answer depends on the key. */
const CACHE_HINTS = {
  'tools/list': { ttlMs: LONG_MS, cacheScope: 'private' },
  'prompts/list': { ttlMs: LONG_MS, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: LONG_MS, cacheScope: 'public' },
  'resources/list': { ttlMs: 2000, cacheScope: 'private' },
  'resources/read': { ttlMs: 1000, cacheScope: 'private' },
  'server/discover': { ttlMs: LONG_MS, cacheScope: 'public' },
} as const;

interface Seal {
  readonly call: string;
}

/**
 * Seals questions as long as this host runs, so that a client cannot forge or change one (MCP, multi-round-trip
 * requests).
 */
const codec = createRequestStateCodec<Seal>({ key: randomBytes(32), ttlSeconds: ANSWER_SECONDS });

/** Returns the text that binds a question to one call of one caller: tool, arguments and user are part of the seal. */
function callOf(params: Record<string, unknown>, { principal, surface }: Exchange): string {
  const parts = [principal.userId, principal.keyId, surface.title, params.name, params.arguments ?? {}];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** True for a client that can show a form to its user. Empty braces mean forms: other ways to ask came later. */
function canAsk(server: Server, context: ServerContext, modern: boolean): boolean {
  const envelope: unknown = context.mcpReq.envelope;
  const told = modern
    ? isJsonObject(envelope)
      ? envelope[CLIENT_CAPABILITIES_META_KEY]
      : null
    : server.getClientCapabilities();
  const ways = isJsonObject(told) ? told.elicitation : undefined;
  return isJsonObject(ways) && (ways.form !== undefined || ways.url === undefined);
}

const CONFIRM = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Yes, delete it', default: false } },
  required: ['confirm'],
};

/** Asks the person before a call that cannot be undone, if the client can ask; null continues with the call. */
async function confirmation(
  params: Record<string, unknown>,
  exchange: Exchange,
  context: ServerContext,
  caller: ToolCaller,
): Promise<Stopped | null> {
  const tool = toolOf(exchange.surface, exchange.principal, params);
  const question = await questionOf(tool, argumentsOf(params), caller);
  if (question === null) return null;
  if (typeof question !== 'string') return { answer: question };
  const call = callOf(params, exchange);
  const { inputResponses: answers } = context.mcpReq;
  const sealed = context.mcpReq.requestState<Seal>();
  if (answers?.confirm === undefined || sealed?.call !== call) {
    const answer = inputRequired({
      inputRequests: { confirm: inputRequired.elicit({ message: question, requestedSchema: CONFIRM }) },
      requestState: await codec.mint({ call }, context),
    });
    return { answer, outcome: 'asked' };
  }
  if (acceptedContent<{ confirm?: unknown }>(answers, 'confirm')?.confirm === true) return null;
  const declined = new PlatformError('INVALID_REQUEST', 'The user did not confirm', {
    hint: 'Nothing was deleted. Do not call this again unless the user asks for it.',
  });
  return { answer: errorResult(declined), outcome: 'declined' };
}

function toProtocolError(error: unknown, { endpoint }: Exchange): unknown {
  if (error instanceof RpcError) return new ProtocolError(error.code, error.message, error.data);
  if (error instanceof PlatformError) return new ProtocolError(RPC.invalidParams, error.message, error.toBody());
  endpoint.onError('an assistant’s call', error);
  return new ProtocolError(RPC.internal, 'Internal error');
}

/** True if sending failed because the client has gone: that is no fault, and no caller is left for a report. */
function hasGone(error: unknown, { mcpReq }: ServerContext): boolean {
  if (mcpReq.signal.aborted) return true;
  return (
    error instanceof SdkError &&
    (error.code === SdkErrorCode.NotConnected || error.code === SdkErrorCode.ConnectionClosed)
  );
}

/** A server of the SDK for one request, over the method table. */
export function buildServer(exchange: Exchange, modern: boolean): Server {
  const { endpoint, surface } = exchange;
  const server = new Server(
    { name: 'bot-platform', title: surface.title, version: endpoint.version },
    {
      capabilities: CAPABILITIES,
      instructions: surface.instructions,
      cacheHints: CACHE_HINTS,
      requestState: { verify: codec.verify },
    },
  );
  const handle = async (method: MethodName, given: unknown, context: ServerContext): Promise<unknown> => {
    const params = isJsonObject(given) ? given : {};
    const token = context.mcpReq._meta?.progressToken;
    const told: Promise<void>[] = [];
    const progress = (done: number, total: number, message: string): void => {
      if (token === undefined) return;
      const notice = { progressToken: token, progress: done, total, message };
      const sent = context.mcpReq.notify({ method: 'notifications/progress', params: notice });
      // Errors are handled at once: the tool works on for a while, and an unhandled rejection would end the host.
      told.push(
        sent.catch((error: unknown) => {
          if (!hasGone(error, context)) endpoint.onError('progress of an assistant’s call', error);
        }),
      );
    };
    try {
      const asks = method === 'tools/call' && canAsk(server, context, modern);
      const before = (caller: ToolCaller) => confirmation(params, exchange, context, caller);
      const result = await dispatch(method, params, exchange, asks ? { progress, before } : { progress });
      await Promise.all(told);
      return result;
    } catch (error) {
      // A call that came too early: the model reads a result and waits, while an error would stop at its client.
      if (method === 'tools/call' && error instanceof PlatformError) return errorResult(error);
      throw toProtocolError(error, exchange);
    }
  };
  for (const method of Object.keys(METHODS) as MethodName[]) {
    // The table answers in the shapes of the protocol; the SDK checks them again before sending.
    server.setRequestHandler(
      method as RequestMethod,
      ((request: { params?: unknown }, context: ServerContext) => handle(method, request.params, context)) as never,
    );
  }
  return server;
}

/** Request for the SDK that carries the exchange. */
function carrying(request: IncomingMessage, exchange: Exchange): NodeIncomingMessageLike {
  const auth = { token: '', clientId: exchange.principal.userId, scopes: [], extra: { exchange } };
  return Object.assign(request, { auth }) as unknown as NodeIncomingMessageLike;
}

const modernServer = (context: McpRequestContext): Server => {
  const exchange = context.authInfo?.extra?.exchange;
  if (exchange === undefined) throw new Error('a request came without its exchange');
  return buildServer(exchange as Exchange, true);
};

const shared = toNodeHandler(createMcpHandler(modernServer, { legacy: 'reject' }));

/** Answers a request of the 2026 revision. */
export async function modernLane(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  exchange: Exchange,
): Promise<void> {
  await shared(carrying(request, exchange), response, body);
}

/**
 * Answers a subscription of the 2026 revision: a stream that reports the changes on `bus` until its client goes or
 * `ended`.
 */
export async function listenLane(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  exchange: Exchange,
  { bus, ended }: { readonly bus: ServerEventBus; readonly ended: AbortSignal },
): Promise<void> {
  const handler = createMcpHandler(modernServer, { legacy: 'reject', maxSubscriptions: 1, bus });
  const close = (): void => {
    handler.close().catch((error: unknown) => exchange.endpoint.onError('the end of a subscription', error));
  };
  response.once('close', close);
  ended.addEventListener('abort', close, { once: true });
  await toNodeHandler(handler)(carrying(request, exchange), response, body);
}

/** Answers a 2025 request that asks for progress, which its plain answer cannot carry. */
export async function progressLane(
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  exchange: Exchange,
): Promise<void> {
  const transport = new WebStandardStreamableHTTPServerTransport({});
  const server = buildServer(exchange, false);
  response.once('close', () => {
    server.close().catch((error: unknown) => exchange.endpoint.onError('the end of an assistant’s call', error));
  });
  await server.connect(transport);
  const handler = { fetch: (web: Request) => transport.handleRequest(web, { parsedBody: body }) };
  await toNodeHandler(handler)(carrying(request, exchange), response, body);
}
