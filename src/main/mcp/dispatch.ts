import { PlatformError } from '../../contract/errors.ts';
import { isJsonObject } from '../../isomorphic/json.ts';
import { toolCaller } from './caller.ts';
import type { Exchange } from './exchange.ts';
import { METHODS, type MethodName, toolOf } from './methods.ts';
import { RpcError } from './rpc.ts';
import { ERROR_META, type ToolResult } from './tool-error.ts';

type Progress = (done: number, total: number, message: string) => void;

/** Methods that touch something of the user; listing what the endpoint offers is no access to anything. */
const AUDITED: ReadonlySet<MethodName> = new Set(['tools/call', 'resources/read', 'prompts/get']);
const TARGET_CHARS = 200;

interface Subject {
  readonly operation: string;
  readonly target: string | null;
  readonly writes: boolean;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, TARGET_CHARS) : null;
}

/** What a call is about, as the audit trail names it. */
function subjectOf(method: MethodName, params: Record<string, unknown>, exchange: Exchange): Subject {
  if (method !== 'tools/call') {
    return { operation: `mcp ${method}`, target: textOf(params.uri ?? params.name), writes: false };
  }
  const tool = toolOf(exchange.surface, exchange.principal, params);
  const given = isJsonObject(params.arguments) ? params.arguments : {};
  const config = isJsonObject(given.config) ? given.config : {};
  const target = tool.target === undefined ? config.name : given[tool.target];
  return { operation: `mcp ${tool.name}`, target: textOf(target), writes: !tool.hints.readOnlyHint };
}

function outcomeOf(result: unknown): string {
  if (!isJsonObject(result) || result.isError !== true) return 'ok';
  const { _meta } = result as unknown as ToolResult;
  const error = _meta?.[ERROR_META];
  return isJsonObject(error) && typeof error.code === 'string' ? error.code : 'ERROR';
}

function outcomeOfError(error: unknown): string {
  if (error instanceof PlatformError) return error.code;
  return error instanceof RpcError ? 'INVALID_REQUEST' : 'INTERNAL';
}

/**
 * Runs a method for its caller and writes one audit entry for it: key, client, tool, target, outcome, duration. Throws
 * RpcError and PlatformError.
 */
export async function dispatch(
  method: MethodName,
  params: Record<string, unknown>,
  exchange: Exchange,
  progress?: Progress,
): Promise<unknown> {
  const { endpoint, surface, principal, context } = exchange;
  const run = METHODS[method] as (params: Record<string, unknown>, context: object) => unknown;
  const caller = toolCaller(endpoint.api, principal, { ...context, audit: 'none' }, progress);
  const work = async (): Promise<unknown> => run(params, { surface, caller, guide: endpoint.guide });
  if (!AUDITED.has(method)) return work();
  const at = endpoint.now();
  const begun = performance.now();
  const subject = subjectOf(method, params, exchange);
  const note = (outcome: string): void => {
    const entry = {
      at,
      userId: principal.userId,
      method: principal.method,
      keyId: principal.keyId,
      client: context.client,
      operation: subject.operation,
      target: subject.target,
      outcome,
      durationMs: performance.now() - begun,
    };
    if (subject.writes) endpoint.auth.record(entry);
    else endpoint.auth.recordSoon(entry);
  };
  try {
    if (subject.writes) endpoint.takeWrite(principal);
    const result = await work();
    note(outcomeOf(result));
    return result;
  } catch (error) {
    note(outcomeOfError(error));
    throw error;
  }
}
