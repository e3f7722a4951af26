import serverUrl from 'browser-basedpyright/dist/pyright.worker.js?url';
import {
  BrowserMessageReader,
  BrowserMessageWriter,
  createMessageConnection,
  type MessageConnection,
} from 'vscode-jsonrpc/browser';
import type { Diagnostic } from 'vscode-languageserver-types';
import type { ServerActivity } from '../../../../data/project/status-bar-state.ts';

/** Where the server sees the project and the SDK; other folders of its file system are its own. */
const PROJECT = '/project/';
const SDK = '/sdk/';

/** Sources of the SDK, as bots import it. */
const SDK_FILES = import.meta.glob<string>('@sdk/python/platform_sdk/*.py', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/**
 * What is reported. The editor does not know which packages the bot will have, so a missing import is none of its business,
 * and what is only untidy stays unsaid. Mistakes in syntax are reported by the host, in the words of publishing.
 */
const RULES = {
  typeCheckingMode: 'basic',
  pythonVersion: '3.11',
  // Where the server itself puts the types of the standard library.
  typeshedPath: '/typeshed',
  extraPaths: [SDK],
  reportMissingImports: 'none',
  reportMissingModuleSource: 'none',
  // Much of what a bot reads from its config or a JSON text may be None by its type, and never is.
  reportOptionalMemberAccess: 'none',
  reportOptionalSubscript: 'none',
  reportOptionalIterable: 'none',
  reportOptionalOperand: 'none',
  reportUndefinedVariable: 'error',
  reportPossiblyUnbound: 'warning',
  reportAttributeAccessIssue: 'warning',
  reportCallIssue: 'warning',
  reportArgumentType: 'warning',
  reportIndexIssue: 'warning',
  reportUnusedCoroutine: 'warning',
};

export const uriOf = (path: string): string => `file://${PROJECT}${path.split('/').map(encodeURIComponent).join('/')}`;

/** The path in the project; null for a file of the server's own, such as one of the standard library. */
export function pathOf(uri: string): string | null {
  const path = decodeURIComponent(uri.replace(/^file:\/\//, ''));
  return path.startsWith(PROJECT) ? path.slice(PROJECT.length) : null;
}

interface Listeners {
  /** Findings in a file, all of them each time. */
  readonly found: (path: string, diagnostics: readonly Diagnostic[]) => void;
  readonly failed: (error: unknown) => void;
  readonly does: (activity: ServerActivity) => void;
}

/**
 * A language server for Python (basedpyright) in workers of this page. It reaches neither the network nor the machine: it
 * knows the texts that it is given, the SDK, and the types of the standard library that it brings.
 */
export class PythonServer {
  readonly #workers: Worker[] = [];
  readonly #connection: MessageConnection;
  readonly #started: Promise<void>;
  readonly #versions = new Map<string, number>();
  #texts: ReadonlyMap<string, string> = new Map();

  constructor(listeners: Listeners) {
    const server = this.#worker(listeners.failed);
    server.postMessage({ type: 'browser/boot', mode: 'foreground' });
    this.#connection = createMessageConnection(new BrowserMessageReader(server), new BrowserMessageWriter(server));
    server.addEventListener('message', ({ data }) => {
      // It asks the page for a second worker, in which it analyses.
      if (data?.type !== 'browser/newWorker') return;
      const { initialData, port } = data;
      this.#worker(listeners.failed).postMessage({ type: 'browser/boot', mode: 'background', initialData, port }, [
        port,
      ]);
    });
    this.#connection.onRequest('workspace/configuration', ({ items }: { items: readonly unknown[] }) =>
      // Of every section the same. Names of modules that the bot does not import would drown its own.
      items.map(() => ({ autoImportCompletions: false })),
    );
    this.#connection.onRequest('client/registerCapability', () => null);
    this.#connection.onNotification(
      'textDocument/publishDiagnostics',
      ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
        const path = pathOf(uri);
        if (path !== null) listeners.found(path, diagnostics);
      },
    );
    this.#connection.onNotification('pyright/beginProgress', () => listeners.does('checking'));
    this.#connection.onNotification('pyright/endProgress', () => listeners.does('ready'));
    this.#connection.listen();
    listeners.does('starting');
    this.#started = this.#start();
    this.#started.then(() => listeners.does('ready'), listeners.failed);
  }

  #worker(failed: (error: unknown) => void): Worker {
    const worker = new Worker(serverUrl, { name: 'Python' });
    worker.addEventListener('error', (event) => failed(new Error(event.message || 'The worker could not be loaded.')));
    this.#workers.push(worker);
    return worker;
  }

  async #start(): Promise<void> {
    const sdk = Object.entries(SDK_FILES).map(([path, text]) => [`${SDK}platform_sdk/${path.split('/').at(-1)}`, text]);
    const documentation = ['markdown', 'plaintext'];
    await this.#connection.sendRequest('initialize', {
      processId: null,
      rootUri: `file://${PROJECT.slice(0, -1)}`,
      workspaceFolders: [{ name: 'project', uri: `file://${PROJECT.slice(0, -1)}` }],
      initializationOptions: {
        files: { ...Object.fromEntries(sdk), [`${PROJECT}pyrightconfig.json`]: JSON.stringify(RULES) },
      },
      capabilities: {
        workspace: { configuration: true, workspaceFolders: true },
        textDocument: {
          completion: { completionItem: { documentationFormat: documentation, snippetSupport: false } },
          hover: { contentFormat: documentation },
          signatureHelp: { signatureInformation: { documentationFormat: documentation, activeParameterSupport: true } },
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        },
      },
    });
    await this.#connection.sendNotification('initialized', {});
  }

  /** Gives the server the texts of the project, by path. What has not changed costs nothing. */
  async take(texts: ReadonlyMap<string, string>): Promise<void> {
    const before = this.#texts;
    this.#texts = texts;
    await this.#started;
    for (const path of before.keys()) if (!texts.has(path)) await this.#forget(path);
    for (const [path, text] of texts) if (before.get(path) !== text) await this.#tell(path, text, before.has(path));
  }

  async #tell(path: string, text: string, isKnown: boolean): Promise<void> {
    const uri = uriOf(path);
    const version = (this.#versions.get(path) ?? 0) + 1;
    this.#versions.set(path, version);
    if (isKnown) {
      const changed = { textDocument: { uri, version }, contentChanges: [{ text }] };
      await this.#connection.sendNotification('textDocument/didChange', changed);
      return;
    }
    await this.#connection.sendNotification('pyright/createFile', { uri, kind: 'create' });
    const opened = { textDocument: { uri, version, languageId: 'python', text } };
    await this.#connection.sendNotification('textDocument/didOpen', opened);
  }

  async #forget(path: string): Promise<void> {
    const uri = uriOf(path);
    await this.#connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
    await this.#connection.sendNotification('pyright/deleteFile', { uri, kind: 'delete' });
  }

  async ask<Answer>(method: string, params: object): Promise<Answer | null> {
    await this.#started;
    return this.#connection.sendRequest<Answer | null>(method, params);
  }

  close(): void {
    this.#connection.dispose();
    for (const worker of this.#workers) worker.terminate();
  }
}
