import { isJsonObject } from '../../../shared/json.ts';

/** The revision without sessions and handshake; a client of any earlier one is answered as a 2025 client. */
export const MODERN_VERSION = '2026-07-28';
export const LEGACY_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const PROTOCOL_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';

/**
 * Capabilities that this endpoint declares. The tools of a key never change, so no notification of changes is promised.
 */
export const CAPABILITIES = {
  tools: {},
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
} as const;

/** Capabilities for a 2025 client: without a session the host cannot send to it unasked. */
export const LEGACY_CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} } as const;

function metaOf(message: unknown): Record<string, unknown> {
  if (!isJsonObject(message) || !isJsonObject(message.params)) return {};
  const { _meta } = message.params;
  return isJsonObject(_meta) ? _meta : {};
}

/** True for a request of the 2026 revision, which carries its version itself or in the header. */
export function isModern(message: unknown, versionHeader: string | undefined): boolean {
  return PROTOCOL_KEY in metaOf(message) || (versionHeader !== undefined && versionHeader >= MODERN_VERSION);
}

/** True if the client asks for progress by a token. */
export function wantsProgress(message: unknown): boolean {
  return metaOf(message).progressToken !== undefined;
}

/** Returns name and version of the client; null if the client gives no name. */
export function clientName(message: unknown): string | null {
  const info = metaOf(message)[CLIENT_KEY];
  const told = isJsonObject(info) ? info : initializeInfo(message);
  if (!isJsonObject(told) || typeof told.name !== 'string') return null;
  return `${told.name}${typeof told.version === 'string' ? `/${told.version}` : ''}`;
}

function initializeInfo(message: unknown): unknown {
  return isJsonObject(message) && isJsonObject(message.params) ? message.params.clientInfo : null;
}

/** Returns the id of the request that a client cancels; null for any other message. */
export function cancelledBy(message: unknown): string | number | null {
  if (!isJsonObject(message) || message.method !== 'notifications/cancelled' || !isJsonObject(message.params))
    return null;
  const { requestId } = message.params;
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : null;
}
