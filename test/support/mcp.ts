import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { type TestHost, testHost } from './platform.ts';
import { type RawAnswer, rawRequest } from './raw-http.ts';
import { call } from './tiny-bot.ts';

/** The 14 tools of POST /mcp in their order. */
export const SEED_TOOLS = [
  'auth_status',
  'bot_list',
  'bot_get',
  'bot_deploy',
  'bot_update',
  'bot_delete',
  'logs_get',
  'logs_summary',
  'bot_state_list',
  'bot_state_get',
  'bot_query',
  'custom_bot_list',
  'custom_bot_get',
  'custom_bot_schema',
] as const;

export const JSON_HEADERS = { 'content-type': 'application/json' };
/** What a 2025 client accepts. */
export const STREAMS = { accept: 'application/json, text/event-stream' };

type Headers = Readonly<Record<string, string>>;

/** A host on which a test may ask faster than a person does. */
export async function mcpHost(onTestFinished: TestContext['onTestFinished']): Promise<TestHost> {
  return testHost(onTestFinished, (dir) => fastAsking(dir));
}

/** Lets a host that starts on this folder take many requests of one key. */
export function fastAsking(dataDir: string): void {
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ rate_limit: 5000 }));
}

/** Makes an API key of the local owner, or of the given session's user. */
export async function makeKey(host: TestHost, input: object = {}, session?: string): Promise<string> {
  const body = JSON.stringify({ name: `test ${Math.random()}`, ...input });
  const answer = await host.fetch('/api/v1/keys', {
    method: 'POST',
    body,
    ...(session === undefined ? {} : { headers: { authorization: `Bearer ${session}` } }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const { key } = (await answer.json()) as { key: string };
  return key;
}

/** Adds a user and logs in; gives the session. */
export async function secondUser(host: TestHost, name = 'second'): Promise<string> {
  const password = 'a long enough password';
  await call(host, 'POST', '/api/v1/users', { name, password });
  const { token } = await call<{ token: string }>(host, 'POST', '/api/v1/auth/login', { name, password });
  return token;
}

let ids = 0;

/** A JSON-RPC request. */
export function message(method: string, params?: object): Record<string, unknown> {
  ids += 1;
  return { jsonrpc: '2.0', id: ids, method, ...(params === undefined ? {} : { params }) };
}

/** Posts bytes to an MCP endpoint with exactly these headers. */
export function post(url: string, body: string | Uint8Array, headers: Headers): Promise<RawAnswer> {
  return rawRequest(url, { method: 'POST', headers, body });
}

/** Posts a message as a bare curl does: the key and the content type, nothing else. */
export function bare(host: TestHost, key: string, body: unknown, headers: Headers = {}): Promise<RawAnswer> {
  return post(`${host.url}/mcp`, JSON.stringify(body), { 'x-api-key': key, ...JSON_HEADERS, ...headers });
}

export const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'transport-test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of the 2026 revision with the headers that it must carry. */
export function modern(method: string, params: Record<string, unknown> = {}, meta: object = {}) {
  const name = params.name ?? params.uri;
  const headers: Record<string, string> = {
    ...JSON_HEADERS,
    ...STREAMS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
  return { body: message(method, { ...params, _meta: { ...META, ...meta } }), headers };
}

/** The messages of an event stream. */
export function events(text: string): Record<string, unknown>[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map((match) => JSON.parse(match[1] ?? ''));
}

/** The texts of a tool's result. */
interface Told {
  readonly content?: readonly { readonly type: string; readonly text?: unknown }[];
}

/** What a tool answered: the JSON of its only text. */
// biome-ignore lint/suspicious/noExplicitAny: the answers of all tools, read by the tests that know them
export const dataOf = ({ content: [first] = [] }: Told): any => JSON.parse(String(first?.text));

/** Answer of a tool in the bare lane. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** Every text of the answer. */
  readonly texts: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the answers of all tools, read by the tests that know them
  readonly data: any;
}

/** Calls a tool; fails where the request itself is refused. */
export async function tool(host: TestHost, key: string, name: string, args: object = {}): Promise<ToolAnswer> {
  const answer = await bare(host, key, message('tools/call', { name, arguments: args }));
  const { result } = answer.json();
  if (result === undefined) throw new Error(`${name}: ${answer.status} ${answer.text}`);
  const texts = result.content.flatMap((one: { text?: string }) => (one.text === undefined ? [] : [one.text]));
  const isError = result.isError === true;
  return { isError, texts, data: isError ? undefined : dataOf(result) };
}
