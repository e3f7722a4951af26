import { isJsonObject } from '../../../shared/json.ts';

/** JSON-RPC 2.0 codes that this endpoint answers with. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;

/** An invalid request; a failure of the requested work is a tool result instead. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type RpcId = string | number;

/** MCP forbids null as an id. */
export function isRpcId(value: unknown): value is RpcId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

/** The id of a message as far as it can be read, for the answer to one that is refused. */
export function idOf(message: unknown): RpcId | null {
  const id = isJsonObject(message) ? message.id : null;
  return isRpcId(id) ? id : null;
}

export interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: RpcId | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The answer to a message that failed. */
export function rpcError(id: RpcId | null, code: number, message: string, data?: unknown): RpcAnswer {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** The answer to a message that went well. */
export function rpcResult(id: RpcId, result: unknown): RpcAnswer {
  return { jsonrpc: '2.0', id, result };
}

/** A text, and its bytes in UTF-8: to count them in every answer would cost as much as to put it together. */
export interface SizedText {
  readonly text: string;
  readonly bytes: number;
}

const sized = (text: string): SizedText => ({ text, bytes: Buffer.byteLength(text) });

const texts = new WeakMap<object, SizedText>();

/** A result as JSON text, cached for repeated answers. */
function resultText(result: unknown): SizedText {
  if (typeof result !== 'object' || result === null) return sized(JSON.stringify(result) ?? 'null');
  const known = texts.get(result);
  if (known !== undefined) return known;
  const made = sized(JSON.stringify(result));
  texts.set(result, made);
  return made;
}

/** An answer as JSON text. */
export function answerText({ id, result, error }: RpcAnswer): SizedText {
  const body = error === undefined ? resultText(result) : sized(JSON.stringify(error));
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${error === undefined ? 'result' : 'error'}":`;
  return { text: `${head}${body.text}}`, bytes: Buffer.byteLength(head) + body.bytes + 1 };
}

/** The answers to a batch as JSON text. */
export function batchText(answers: readonly RpcAnswer[]): SizedText {
  return sized(`[${answers.map((answer) => answerText(answer).text).join(',')}]`);
}
