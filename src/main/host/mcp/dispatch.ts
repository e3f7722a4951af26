import { type AuditWords, WAITING } from '../../../contract/audit-words.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { isJsonObject } from '../../../shared/json.ts';
import { mayDo } from '../api/access.ts';
import { namesAfter } from '../api/audit-names-and-words.ts';
import { dataOf, isWaiting } from './call-tool.ts';
import { toolCaller } from './caller.ts';
import { METHODS, type MethodName } from './methods.ts';
import type { Exchange } from './request-context.ts';
import { RpcError } from './rpc.ts';
import type { ToolCaller } from './tool.ts';
import { ASSISTANT_WORDS, BY_MCP } from './tool-audit-words.ts';
import { ERROR_META, type ToolResult } from './tool-error.ts';

/** The answer to a call that ended before its tool ran. */
export interface Stopped {
  readonly answer: unknown;
  /** Outcome for the audit trail; left out: that of the answer itself. */
  readonly outcome?: string;
}

interface DispatchOptions {
  readonly progress?: ToolCaller['progress'];
  /** Called before the method; null continues with the method. */
  readonly before?: (caller: ToolCaller) => Promise<Stopped | null>;
}

/** Methods that touch data of the user. Listing what the endpoint offers accesses no such data. */
const AUDITED: ReadonlySet<MethodName> = new Set(['tools/call', 'resources/read', 'prompts/get']);
const TARGET_CHARS = 200;

interface Subject {
  readonly operation: string;
  readonly target: string | null;
  readonly words: AuditWords | null;
  /** Values for the audit words. */
  readonly input: Record<string, unknown>;
  /** Field of the result that names the target, where the call names none. */
  readonly made: string | null;
  readonly writes: boolean;
  /** True if the key may not use the tool. */
  readonly refused: boolean;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, TARGET_CHARS) : null;
}

/** Returns the object of a call for the audit trail, even of a refused one, because attempts are worth recording. */
function subjectOf(method: MethodName, params: Record<string, unknown>, { surface, principal }: Exchange): Subject {
  const tool = method === 'tools/call' ? surface.tools.find(({ name }) => name === params.name) : undefined;
  if (tool === undefined) {
    const target = textOf(params.uri ?? params.name);
    const words = ASSISTANT_WORDS.get(`${BY_MCP}${method}`) ?? null;
    return { operation: `${BY_MCP}${method}`, target, words, input: params, made: null, writes: false, refused: false };
  }
  const refused = !mayDo(tool.needs, principal);
  const given = isJsonObject(params.arguments) ? params.arguments : {};
  const config = isJsonObject(given.config) ? given.config : {};
  const target = tool.target === undefined ? config.name : given[tool.target];
  const writes = !refused && !tool.hints.readOnlyHint;
  // Arguments of the call take precedence over the contents of its config.
  const input = { ...config, ...given };
  const told = { operation: `${BY_MCP}${tool.name}`, words: tool.audit, input, target: textOf(target) };
  return { ...told, made: tool.made ?? null, writes, refused };
}

/** Returns the object of a call from its answer; null where the answer lacks the field, as after a failure. */
function madeBy(answer: unknown, field: string | null): string | null {
  if (field === null || !isJsonObject(answer)) return null;
  return textOf(dataOf(answer)?.[field]);
}

/** Returns the version that a call published, if any. */
function madeIn(answer: unknown): unknown {
  return isJsonObject(answer) ? { custom_bot: dataOf(answer) } : null;
}

function outcomeOf(result: unknown): string {
  if (!isJsonObject(result)) return 'ok';
  if (isWaiting(result)) return WAITING;
  if (result.isError !== true) return 'ok';
  const { _meta } = result as unknown as ToolResult;
  const error = _meta?.[ERROR_META];
  return isJsonObject(error) && typeof error.code === 'string' ? error.code : 'ERROR';
}

function outcomeOfError(error: unknown): string {
  if (error instanceof PlatformError) return error.code;
  return error instanceof RpcError ? 'INVALID_REQUEST' : 'INTERNAL';
}

/**
 * Runs a method for its caller and writes one audit entry with key, client, tool, target, outcome and duration. Throws
 * RpcError and PlatformError.
 */
export async function dispatch(
  method: MethodName,
  params: Record<string, unknown>,
  exchange: Exchange,
  { progress, before }: DispatchOptions = {},
): Promise<unknown> {
  const { endpoint, surface, principal, context, whileOpen } = exchange;
  const run = METHODS[method] as (params: Record<string, unknown>, context: object) => unknown;
  const caller = toolCaller({
    api: endpoint.api,
    principal,
    context: { ...context, audit: 'none' },
    whileOpen,
    progress,
  });
  const work = (): unknown => run(params, { surface, caller, guide: endpoint.guide });
  if (!AUDITED.has(method)) return work();
  const at = endpoint.now();
  const begun = performance.now();
  const subject = subjectOf(method, params, exchange);
  const { words } = subject;
  const names = words === null ? {} : endpoint.auditNames(words, subject.input, principal);
  let mayChange = false;
  const note = (outcome: string, answer?: unknown): void => {
    const entry = {
      at,
      userId: principal.userId,
      method: principal.method,
      keyId: principal.keyId,
      client: context.client,
      operation: subject.operation,
      target: subject.target ?? madeBy(answer, subject.made),
      outcome,
      durationMs: performance.now() - begun,
      names: words === null ? {} : namesAfter(words, names, madeIn(answer)),
    };
    if (mayChange) endpoint.auth.record(entry);
    else endpoint.auth.recordSoon(entry);
  };
  try {
    const stopped = before === undefined ? null : await before(caller);
    if (stopped !== null) {
      note(stopped.outcome ?? outcomeOf(stopped.answer));
      return stopped.answer;
    }
    if (subject.writes) {
      endpoint.takeWrite(principal);
      mayChange = true;
    }
    const result = await work();
    note(outcomeOf(result), result);
    return result;
  } catch (error) {
    note(subject.refused ? 'FORBIDDEN' : outcomeOfError(error));
    throw error;
  }
}
