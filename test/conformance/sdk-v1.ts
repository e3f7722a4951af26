import { importInstalled } from './installed.ts';

/** What the tests use of a result of the SDK's first line. */
export interface V1Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** What the tests use of the client of the SDK's first line; its types come with the package, which may not be there. */
export interface V1Client {
  connect(transport: V1Transport): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(
    params: { readonly name: string; readonly arguments: object },
    schema?: undefined,
    options?: { readonly onprogress: (step: { readonly message?: string }) => void },
  ): Promise<V1Result>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  readResource(params: { readonly uri: string }): Promise<{ readonly contents: readonly { readonly text: string }[] }>;
  getPrompt(params: {
    readonly name: string;
    readonly arguments: Record<string, string>;
  }): Promise<{ readonly messages: readonly unknown[] }>;
  complete(params: {
    readonly ref: { readonly type: 'ref/prompt'; readonly name: string };
    readonly argument: { readonly name: string; readonly value: string };
  }): Promise<{ readonly completion: { readonly values: readonly string[] } }>;
}

export interface V1Transport {
  readonly sessionId?: string;
}

/** Loads the SDK's first line: a client, and how it reaches a server over HTTP or by starting a command. */
export async function loadV1(): Promise<{
  readonly client: () => V1Client;
  readonly http: (url: string, headers: Record<string, string>) => V1Transport;
  readonly stdio: (command: string, args: readonly string[], env: Record<string, string>) => V1Transport;
}> {
  const folder = '@modelcontextprotocol/sdk/dist/esm/client';
  const { Client } = await importInstalled<{ Client: new (info: object) => V1Client }>(`${folder}/index.js`);
  const { StreamableHTTPClientTransport: Http } = await importInstalled<{
    StreamableHTTPClientTransport: new (url: URL, options: object) => V1Transport;
  }>(`${folder}/streamableHttp.js`);
  const { StdioClientTransport: Stdio } = await importInstalled<{
    StdioClientTransport: new (options: object) => V1Transport;
  }>(`${folder}/stdio.js`);
  return {
    client: () => new Client({ name: 'v1', version: '1' }),
    http: (url, headers) => new Http(new URL(url), { requestInit: { headers } }),
    stdio: (command, args, env) => new Stdio({ command, args, env }),
  };
}
