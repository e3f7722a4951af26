import * as monaco from 'monaco-editor/editor.js';
import type * as lsp from 'vscode-languageserver-types';

/** The language server counts lines and columns from 0, and so do its kinds of things; Monaco counts from 1. */
export const positionOf = ({ lineNumber, column }: monaco.IPosition): lsp.Position => ({
  line: lineNumber - 1,
  character: column - 1,
});

export const rangeOf = ({ start, end }: lsp.Range): monaco.IRange => ({
  startLineNumber: start.line + 1,
  startColumn: start.character + 1,
  endLineNumber: end.line + 1,
  endColumn: end.character + 1,
});

export function textOf(content: string | lsp.MarkupContent | undefined): monaco.IMarkdownString | string | undefined {
  if (content === undefined || typeof content === 'string') return content;
  // Docstrings are the text of other people: neither links that run commands nor HTML.
  return content.kind === 'markdown' ? { value: content.value, isTrusted: false, supportHtml: false } : content.value;
}

export function hoverOf(hover: lsp.Hover): monaco.languages.Hover {
  const contents = Array.isArray(hover.contents) ? hover.contents : [hover.contents];
  const shown = contents.map((one) => {
    if (typeof one === 'string') return { value: one };
    return 'kind' in one ? { value: one.value } : { value: `\`\`\`${one.language}\n${one.value}\n\`\`\`` };
  });
  return { contents: shown, ...(hover.range === undefined ? {} : { range: rangeOf(hover.range) }) };
}

const KINDS: readonly (keyof typeof monaco.languages.CompletionItemKind)[] = [
  'Text',
  'Method',
  'Function',
  'Constructor',
  'Field',
  'Variable',
  'Class',
  'Interface',
  'Module',
  'Property',
  'Unit',
  'Value',
  'Enum',
  'Keyword',
  'Snippet',
  'Color',
  'File',
  'Reference',
  'Folder',
  'EnumMember',
  'Constant',
  'Struct',
  'Event',
  'Operator',
  'TypeParameter',
];

export const completionKindOf = (kind: lsp.CompletionItemKind | undefined): monaco.languages.CompletionItemKind =>
  monaco.languages.CompletionItemKind[KINDS[(kind ?? 1) - 1] ?? 'Text'];

export const symbolOf = (symbol: lsp.DocumentSymbol): monaco.languages.DocumentSymbol => ({
  name: symbol.name,
  detail: symbol.detail ?? '',
  kind: symbol.kind - 1,
  tags: [],
  range: rangeOf(symbol.range),
  selectionRange: rangeOf(symbol.selectionRange),
  children: (symbol.children ?? []).map(symbolOf),
});

export const markerOf = (found: lsp.Diagnostic): monaco.editor.IMarkerData => ({
  ...rangeOf(found.range),
  severity: found.severity === 1 ? monaco.MarkerSeverity.Error : monaco.MarkerSeverity.Warning,
  message: typeof found.message === 'string' ? found.message : found.message.value,
  source: 'Python',
});
