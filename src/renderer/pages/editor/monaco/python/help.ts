import * as monaco from 'monaco-editor/editor.js';
import type * as lsp from 'vscode-languageserver-types';
import type { ProjectSession } from '../../../../data/project/project-session.ts';
import type { LanguageHelp } from '../language-help.ts';
import { completionKindOf, hoverOf, markerOf, positionOf, rangeOf, symbolOf, textOf } from './convert.ts';
import { ProjectTexts } from './project-texts.ts';
import { PythonServer, pathOf, uriOf } from './server.ts';

const OWNER = 'python';
const LABEL = 'Python';

const modelOf = (path: string): monaco.editor.ITextModel | null =>
  monaco.editor.getModel(monaco.Uri.from({ scheme: 'file', path: `/${path}` }));

/** Help with the Python of one project: findings under the text, and answers to Monaco's questions. */
export class PythonHelp implements LanguageHelp {
  readonly #server: PythonServer;
  readonly #texts: ProjectTexts;
  readonly #found = new Map<string, readonly monaco.editor.IMarkerData[]>();
  readonly #registered: monaco.IDisposable[];
  #failed = false;

  constructor(session: ProjectSession, failed: (error: unknown) => void) {
    this.#server = new PythonServer({
      found: (path, diagnostics) => this.#mark(path, diagnostics),
      failed: (error) => {
        if (this.#failed) return;
        this.#failed = true;
        session.serverDoes(LABEL, 'failed');
        failed(error);
      },
      does: (activity) => {
        if (!this.#failed) session.serverDoes(LABEL, activity);
      },
    });
    this.#texts = new ProjectTexts(session, (texts) => void this.#server.take(texts).catch(failed));
    this.#registered = this.#register();
  }

  /** Shows what was found in a file before its text was. */
  shown(path: string): void {
    const model = modelOf(path);
    if (model !== null) monaco.editor.setModelMarkers(model, OWNER, [...(this.#found.get(path) ?? [])]);
  }

  close(): void {
    for (const one of this.#registered) one.dispose();
    this.#texts.close();
    this.#server.close();
  }

  #mark(path: string, diagnostics: readonly lsp.Diagnostic[]): void {
    // What has no rule is a mistake in syntax, and the host reports those. Hints only grey out what is unused.
    const told = diagnostics.filter(({ code, severity }) => code !== undefined && (severity === 1 || severity === 2));
    this.#found.set(path, told.map(markerOf));
    this.shown(path);
  }

  /** Asks about a place in a text. Null also where the text changed while the answer was made. */
  async #ask<Answer>(
    method: string,
    model: monaco.editor.ITextModel,
    at: monaco.Position | null,
    token: monaco.CancellationToken,
  ): Promise<Answer | null> {
    this.#texts.flush();
    const about = { textDocument: { uri: uriOf(model.uri.path.slice(1)) } };
    const answer = await this.#server.ask<Answer>(method, at === null ? about : { ...about, position: positionOf(at) });
    return token.isCancellationRequested ? null : answer;
  }

  #register(): monaco.IDisposable[] {
    const { languages } = monaco;
    return [
      languages.registerHoverProvider(OWNER, {
        provideHover: async (model, at, token) => {
          const hover = await this.#ask<lsp.Hover>('textDocument/hover', model, at, token);
          return hover === null ? null : hoverOf(hover);
        },
      }),
      languages.registerCompletionItemProvider(OWNER, {
        triggerCharacters: ['.', '[', '"', "'"],
        provideCompletionItems: (model, at, _context, token) => this.#complete(model, at, token),
        resolveCompletionItem: (item) => this.#resolve(item),
      }),
      languages.registerSignatureHelpProvider(OWNER, {
        signatureHelpTriggerCharacters: ['(', ','],
        provideSignatureHelp: async (model, at, token) => {
          const help = await this.#ask<lsp.SignatureHelp>('textDocument/signatureHelp', model, at, token);
          return help === null || help.signatures.length === 0
            ? null
            : { value: signaturesOf(help), dispose: () => undefined };
        },
      }),
      languages.registerDefinitionProvider(OWNER, {
        provideDefinition: async (model, at, token) => {
          const found = await this.#ask<lsp.Location | lsp.Location[]>('textDocument/definition', model, at, token);
          return [found ?? []].flat().flatMap(({ uri, range }) => {
            const path = pathOf(uri);
            return path === null
              ? []
              : [{ uri: monaco.Uri.from({ scheme: 'file', path: `/${path}` }), range: rangeOf(range) }];
          });
        },
      }),
      languages.registerDocumentSymbolProvider(OWNER, {
        displayName: 'Python',
        provideDocumentSymbols: async (model, token) => {
          const symbols = await this.#ask<lsp.DocumentSymbol[]>('textDocument/documentSymbol', model, null, token);
          return (symbols ?? []).map(symbolOf);
        },
      }),
    ];
  }

  async #complete(
    model: monaco.editor.ITextModel,
    at: monaco.Position,
    token: monaco.CancellationToken,
  ): Promise<monaco.languages.CompletionList> {
    const list = await this.#ask<lsp.CompletionList>('textDocument/completion', model, at, token);
    const word = model.getWordUntilPosition(at);
    const range = new monaco.Range(at.lineNumber, word.startColumn, at.lineNumber, word.endColumn);
    const suggestions = (list?.items ?? []).map((item) => ({
      label: item.label,
      kind: completionKindOf(item.kind),
      insertText: item.insertText ?? item.label,
      sortText: item.sortText ?? item.label,
      range: item.textEdit !== undefined && 'range' in item.textEdit ? rangeOf(item.textEdit.range) : range,
      item,
    }));
    return { suggestions, incomplete: list?.isIncomplete ?? false };
  }

  async #resolve(suggestion: monaco.languages.CompletionItem): Promise<monaco.languages.CompletionItem> {
    if (!('item' in suggestion)) return suggestion;
    const item = await this.#server.ask<lsp.CompletionItem>('completionItem/resolve', suggestion.item as object);
    const documentation = textOf(item?.documentation);
    return { ...suggestion, ...(documentation === undefined ? {} : { documentation }) };
  }
}

function signaturesOf(help: lsp.SignatureHelp): monaco.languages.SignatureHelp {
  return {
    activeSignature: help.activeSignature ?? 0,
    activeParameter: help.activeParameter ?? 0,
    signatures: help.signatures.map(({ label, documentation, parameters, activeParameter }) => ({
      label,
      documentation: textOf(documentation) ?? '',
      parameters: (parameters ?? []).map((one) => ({
        label: one.label,
        documentation: textOf(one.documentation) ?? '',
      })),
      ...(typeof activeParameter === 'number' ? { activeParameter } : {}),
    })),
  };
}
