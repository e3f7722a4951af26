import { isJsonObject } from '../shared/json.ts';

/** Id of a JSON-RPC request. */
export type MessageId = string | number;

/** A JSON-RPC error that this side gives instead of the host. */
export interface BridgeError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Invalid request: the code for refusals without a JSON-RPC code. */
const REFUSED = -32600;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** The field that names the subject of a 2026 request; the header `mcp-name` repeats it. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
/** Other text is sent in base64 (MCP 2026-07-28, streamable HTTP, "Value encoding"). */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;

function headerText(text: string): string {
  if (PLAIN.test(text) && !ENCODED.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

const isId = (value: unknown): value is MessageId => typeof value === 'string' || typeof value === 'number';

/** Ids that wait for an answer: one for a request, several for a batch, none for a notification. */
export function idsOf(message: unknown): MessageId[] {
  const parts = Array.isArray(message) ? message : [message];
  return parts.filter((part) => isJsonObject(part) && 'method' in part).flatMap(({ id }) => (isId(id) ? [id] : []));
}

/** True for a client's answer to a request: the host sends no requests, so it is dropped. */
export function isAnswer(message: unknown): message is Record<string, unknown> {
  return isJsonObject(message) && !('method' in message) && ('result' in message || 'error' in message);
}

/** True for a subscription: it stays open until one side ends it. */
export function isSubscription(message: unknown): boolean {
  return isJsonObject(message) && message.method === 'subscriptions/listen';
}

/** Returns the id of the request that a message cancels; null for any other message. */
export function cancelledId(message: unknown): MessageId | null {
  if (!isJsonObject(message) || message.method !== 'notifications/cancelled') return null;
  const id = isJsonObject(message.params) ? message.params.requestId : null;
  return isId(id) ? id : null;
}

/** The name of a 2025 client in its handshake, for the audit trail; null in any other message. */
export function introducedName(message: unknown): string | null {
  if (!isJsonObject(message) || message.method !== 'initialize' || !isJsonObject(message.params)) return null;
  const { clientInfo } = message.params;
  if (!isJsonObject(clientInfo) || typeof clientInfo.name !== 'string') return null;
  const { name, version } = clientInfo;
  return `${name}${typeof version === 'string' ? `/${version}` : ''}`.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100);
}

/** Headers that repeat the body of a 2026 request; none for an earlier one. */
export function modernHeaders(message: unknown): Record<string, string> {
  if (!isJsonObject(message) || typeof message.method !== 'string' || !isJsonObject(message.params)) return {};
  const { method, params } = message;
  const version = isJsonObject(params._meta) ? params._meta[VERSION_KEY] : undefined;
  if (typeof version !== 'string') return {};
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = field === undefined ? undefined : params[field];
  return {
    'mcp-protocol-version': headerText(version),
    'mcp-method': headerText(method),
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  };
}

const errorFor = (id: MessageId | null, error: BridgeError): object => ({ jsonrpc: '2.0', id, error });

/** One line that fails all these requests; null without any. */
export function failureLine(ids: readonly MessageId[], batch: boolean, error: BridgeError): string | null {
  const [first] = ids;
  if (first === undefined) return null;
  return JSON.stringify(batch ? ids.map((id) => errorFor(id, error)) : errorFor(first, error));
}

/** One line about a message whose id could not be read. */
export const strayLine = (error: BridgeError): string => JSON.stringify(errorFor(null, error));

/** A message of the host, as a line for the client. */
export interface HostLine {
  readonly line: string;
  /** The requests that it answers; none for a notification of the host. */
  readonly ids: readonly MessageId[];
}

/** Messages sent to the host, and those without an answer. */
export interface Asked {
  readonly waiting: ReadonlySet<MessageId>;
  readonly batch: boolean;
}

/**
 * Returns an error of the host that names no request, or null. A host that refuses before it reads the body has no id to name.
 */
function refusalOf(value: unknown): BridgeError | null {
  if (!isJsonObject(value) || 'method' in value || isId(value.id) || !isJsonObject(value.error)) return null;
  const { code, message, data } = value.error;
  if (typeof message !== 'string') return null;
  // Errors of the API have codes in words; JSON-RPC has numbers.
  return typeof code === 'number'
    ? { code, message, ...(data === undefined ? {} : { data }) }
    : { code: REFUSED, message, data: value.error };
}

/**
 * Returns a host's message for its client. A refusal without an id goes to all waiting requests, or they would wait for ever.
 * Null for a message that the client could not read: one that is not JSON or not JSON-RPC, or that answers none of its
 * requests.
 */
export function hostLine(text: string, { waiting, batch }: Asked): HostLine | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  // As it came where possible: parsing loses digits of long numbers.
  const line = /[\r\n]/.test(text) ? JSON.stringify(value) : text;
  if (isJsonObject(value) && typeof value.method === 'string') return { line, ids: [] };
  const refusal = refusalOf(value);
  if (refusal !== null) {
    const ids = [...waiting];
    return { line: failureLine(ids, batch, refusal) ?? strayLine(refusal), ids };
  }
  const answers = (batch && Array.isArray(value) ? value : [value]).filter(isAnswer);
  const found = answers.filter(({ id }) => isId(id) && waiting.has(id));
  if (found.length === 0) return null;
  const whole = !Array.isArray(value) || found.length === value.length;
  return { line: whole ? line : JSON.stringify(found), ids: found.map(({ id }) => id as MessageId) };
}
