import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, type TestContext } from 'vitest';
import { dataOf } from './mcp.ts';
import type { TestHost } from './platform.ts';
import { variants } from './proof.ts';

/** Most bytes of one answer. */
const PAGE = 20_000;

/** A client of the SDK in both eras of the protocol. */
export type Era = '2026' | '2025';
export const ERAS = variants<Era>(['2026'], ['2025']);

// biome-ignore lint/suspicious/noExplicitAny: the answers of all tools
export type Data = any;

interface Answer {
  readonly isError: boolean;
  readonly data: Data;
  /** Everything that a model is shown. */
  readonly text: string;
}

interface UseOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (told: { progress: number; message?: string | undefined }) => void;
}

/** An assistant: a real client of the further tools (or, at `/mcp`, of the others) with a key. */
export interface McpAssistant {
  /** Calls a tool; the answer may be an error. */
  readonly ask: (name: string, args?: object, options?: UseOptions) => Promise<Answer>;
  /** Calls a tool that must succeed; its data. */
  readonly use: (name: string, args?: object, options?: UseOptions) => Promise<Data>;
  readonly close: () => Promise<void>;
}

/** Connects a client of the SDK with a key. */
export async function assistantOf(
  host: TestHost,
  key: string,
  {
    onTestFinished,
    era = '2026',
    path = '/mcp/extended',
    name = 'script',
  }: {
    readonly onTestFinished: TestContext['onTestFinished'];
    readonly era?: Era;
    readonly path?: string;
    readonly name?: string;
  },
): Promise<McpAssistant> {
  const mode = era === '2026' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client({ name, version: '1' }, { versionNegotiation: { mode } });
  const url = new URL(`${host.url}${path}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-api-key': key } } }));
  onTestFinished(() => client.close());
  const ask: McpAssistant['ask'] = async (tool, args = {}, options = {}) => {
    const result = await client.callTool({ name: tool, arguments: { ...args } }, { ...options, timeout: 120_000 });
    const text = (result.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PAGE);
    const isError = result.isError === true;
    return { isError, data: isError ? undefined : dataOf(result), text };
  };
  return {
    ask,
    async use(tool, args, options) {
      const answer = await ask(tool, args, options);
      if (answer.isError) throw new Error(answer.text);
      return answer.data;
    },
    close: () => client.close(),
  };
}
