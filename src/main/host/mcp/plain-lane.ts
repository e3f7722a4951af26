import { setImmediate as nextTurn } from 'node:timers/promises';
import { PlatformError } from '../../../contract/errors.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { dispatch } from './dispatch.ts';
import { isMethod } from './methods.ts';
import { refuseOpenCall } from './open-calls.ts';
import { LEGACY_CAPABILITIES, LEGACY_VERSIONS } from './protocol.ts';
import type { Exchange } from './request-context.ts';
import { idOf, isRpcId, RPC, type RpcAnswer, RpcError, rpcError, rpcResult } from './rpc.ts';

const MOST_IN_BATCH = 50;

function initialize(params: Record<string, unknown>, { endpoint, surface }: Exchange): unknown {
  const { protocolVersion: wanted } = params;
  const known = typeof wanted === 'string' && LEGACY_VERSIONS.includes(wanted);
  return {
    protocolVersion: known ? wanted : LEGACY_VERSIONS[0],
    capabilities: LEGACY_CAPABILITIES,
    serverInfo: { name: 'bot-platform', title: surface.title, version: endpoint.version },
    instructions: surface.instructions,
  };
}

function answer(method: string, params: Record<string, unknown>, exchange: Exchange): unknown {
  if (method === 'initialize') return initialize(params, exchange);
  if (method === 'ping') return {};
  if (!isMethod(method)) throw new RpcError(RPC.methodNotFound, 'Method not found', { method });
  return dispatch(method, params, exchange);
}

interface Place {
  /** Alone in its request. */
  readonly alone: boolean;
  /** Its request was counted on arrival. */
  readonly counted: boolean;
}

const ALONE: Place = { alone: true, counted: true };

/**
 * The answer to one message; null for a notification, which is never answered. Throws RATE_LIMITED for a message that
 * is alone in its request.
 */
async function one(message: unknown, exchange: Exchange, { alone, counted }: Place): Promise<RpcAnswer | null> {
  if (!isJsonObject(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string') {
    return rpcError(idOf(message), RPC.invalidRequest, 'Invalid Request');
  }
  const { id, method, params = {} } = message;
  if ('id' in message && !isRpcId(id)) return rpcError(null, RPC.invalidRequest, 'Invalid Request');
  if (!isRpcId(id)) return null;
  if (!isJsonObject(params)) return rpcError(id, RPC.invalidParams, 'params must be an object');
  try {
    if (!counted) exchange.context.rate.take(exchange.context.who);
    const result = await answer(method, params, exchange);
    return rpcResult(id, result);
  } catch (error) {
    if (error instanceof RpcError) return rpcError(id, error.code, error.message, error.data);
    if (error instanceof PlatformError) {
      const early = error.code === 'RATE_LIMITED';
      // Refuses the whole request with the time to wait. In a batch the earlier calls have happened and keep their
      // answers.
      if (early && alone) throw error;
      return rpcError(id, early ? error.status : RPC.invalidParams, error.message, error.toBody());
    }
    exchange.endpoint.onError('an assistant’s call', error);
    return rpcError(id, RPC.internal, 'Internal error');
  }
}

/** The answer to a plain POST. `body` undefined: empty, because it held only notifications. */
export interface PlainAnswer {
  readonly status: 200 | 202 | 400;
  readonly body?: RpcAnswer | readonly RpcAnswer[];
}

/**
 * Answers a JSON-RPC POST without any handshake: a bare curl, and 2025 clients (their session is optional). The
 * revision of 2025-03 allowed batches, which are answered for its clients.
 */
export async function plainLane(body: unknown, exchange: Exchange): Promise<PlainAnswer> {
  if (!Array.isArray(body)) {
    const only = await one(body, exchange, ALONE);
    if (only === null) return { status: 202 };
    return { status: only.error?.code === RPC.invalidRequest ? 400 : 200, body: only };
  }
  if (body.length === 0 || body.length > MOST_IN_BATCH) {
    const message = body.length === 0 ? 'Invalid Request' : `A batch holds at most ${MOST_IN_BATCH} messages`;
    return { status: 400, body: rpcError(null, RPC.invalidRequest, message) };
  }
  const answers: RpcAnswer[] = [];
  const alike = { ...exchange, whileOpen: refuseOpenCall };
  // One after another, so that a batch cannot exceed what one client may ask at a time.
  for (const [at, message] of body.entries()) {
    // Other work of the host waits for one message at most.
    if (at > 0) await nextTurn();
    const each = await one(message, alike, { alone: false, counted: at === 0 });
    if (each !== null) answers.push(each);
  }
  return answers.length === 0 ? { status: 202 } : { status: 200, body: answers };
}
