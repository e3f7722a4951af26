/** What the status bar says about the text that is shown. */
export interface TextStatus {
  /** Of the cursor; both count from 1. */
  readonly line: number;
  readonly column: number;
  /** Characters that are selected. */
  readonly selected: number;
  /** Name of the language for people. */
  readonly language: string;
  readonly indent: { readonly unit: 'spaces' | 'tabs'; readonly width: number };
  readonly lineEnd: 'LF' | 'CRLF';
}

/** What a language server does now. */
export type ServerActivity = 'starting' | 'checking' | 'ready' | 'failed';

/** State of the editor itself, which changes with each move of the cursor and so is not part of the session's state. */
export interface EditorStatus {
  /** Null: no text is shown. */
  readonly text: TextStatus | null;
  /** By the name of the language for people. */
  readonly servers: ReadonlyMap<string, ServerActivity>;
}

export const NO_STATUS: EditorStatus = { text: null, servers: new Map() };
