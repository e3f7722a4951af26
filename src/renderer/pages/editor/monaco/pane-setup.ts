import * as monaco from 'monaco-editor/editor.js';
import { teachLanguages } from './languages.ts';
import { followTheme, THEME } from './theme.ts';

/** Options of every pane. */
export const PANE_OPTIONS: monaco.editor.IEditorOptions & monaco.editor.IGlobalEditorOptions = {
  theme: THEME,
  automaticLayout: true,
  fontFamily: '"JetBrains Mono Variable", monospace',
  fontSize: 13,
  lineHeight: 20,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  smoothScrolling: false,
  fixedOverflowWidgets: true,
  // The policy of the page would refuse a style element of Monaco's own.
  useShadowDOM: false,
  padding: { top: 8, bottom: 8 },
  stickyScroll: { enabled: false },
  renderLineHighlight: 'line',
  accessibilitySupport: 'auto',
  quickSuggestions: { other: true, strings: true, comments: false },
};

/** Prepares Monaco for the first pane. */
export function prepareMonaco(): void {
  teachLanguages();
  followTheme();
}

/** Monaco's name of the language of a file; undefined for one that it does not know. */
export function languageOf(path: string): string | undefined {
  return monaco.languages.getLanguages().find(({ extensions }) => extensions?.some((one) => path.endsWith(one)))?.id;
}
