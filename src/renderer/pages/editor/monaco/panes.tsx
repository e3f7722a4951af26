import './workers.ts';
import * as monaco from 'monaco-editor/editor.js';
import { useEffect, useRef } from 'react';
import type { ProjectSession } from '../../../data/project/project-session.ts';
import type { Place } from '../../../data/project/state.ts';
import { Models, withoutBracketColours } from './models.ts';
import { languageOf, PANE_OPTIONS, prepareMonaco } from './pane-setup.ts';
import styles from './panes.module.css';

/** Commands of the editor's keys, carried out by the page around it. */
export interface PaneKeys {
  readonly save: () => void;
  readonly quickOpen: () => void;
  readonly find: () => void;
  readonly replace: () => void;
  readonly run: () => void;
}

/** Tells the status bar about the text, now and with each move of the cursor. */
function followStatus(editor: monaco.editor.IStandaloneCodeEditor, { status }: ProjectSession): void {
  const tell = (): void => {
    const model = editor.getModel();
    const selection = editor.getSelection();
    if (model === null || selection === null) {
      status.setState({ text: null });
      return;
    }
    const { insertSpaces, indentSize } = model.getOptions();
    const id = model.getLanguageId();
    const names = monaco.languages.getLanguages().find((one) => one.id === id)?.aliases;
    status.setState({
      text: {
        line: selection.positionLineNumber,
        column: selection.positionColumn,
        selected: model.getValueLengthInRange(selection),
        language: names?.[0] ?? (id === 'plaintext' ? 'Plain text' : id),
        indent: { unit: insertSpaces ? 'spaces' : 'tabs', width: indentSize },
        lineEnd: model.getEOL() === '\r\n' ? 'CRLF' : 'LF',
      },
    });
  };
  editor.onDidChangeCursorSelection(tell);
  editor.onDidChangeModel(tell);
  editor.onDidChangeModelOptions(tell);
  editor.onDidChangeModelLanguage(tell);
  editor.onDidChangeModelContent(tell);
}

function reveal(editor: monaco.editor.ICodeEditor, { line, column, length }: Place): void {
  editor.setSelection(new monaco.Range(line, column, line, column + length));
  editor.revealPositionInCenter({ lineNumber: line, column });
  editor.focus();
}

interface TextPaneProps {
  readonly session: ProjectSession;
  readonly path: string;
  readonly readOnly: boolean;
  readonly place: Place | null;
  readonly keys: PaneKeys;
}

/** The text of one file at a time, keeping scroll position and selection of each. Another session needs another key. */
export function TextPane({ session, path, readOnly, place, keys }: TextPaneProps) {
  const box = useRef<HTMLDivElement>(null);
  const parts = useRef<{ editor: monaco.editor.IStandaloneCodeEditor; models: Models } | null>(null);
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (box.current === null) return;
    prepareMonaco();
    const models = new Models(session);
    const editor = monaco.editor.create(box.current, { ...PANE_OPTIONS, model: null, ariaLabel: 'Text of the file' });
    const { CtrlCmd, Shift } = monaco.KeyMod;
    const { KeyS, KeyP, KeyF, KeyH, Enter } = monaco.KeyCode;
    editor.addCommand(CtrlCmd | KeyS, () => latest.current.save());
    editor.addCommand(CtrlCmd | KeyP, () => latest.current.quickOpen());
    editor.addCommand(CtrlCmd | Shift | KeyF, () => latest.current.find());
    editor.addCommand(CtrlCmd | Shift | KeyH, () => latest.current.replace());
    editor.addCommand(CtrlCmd | Shift | Enter, () => latest.current.run());
    followStatus(editor, session);
    parts.current = { editor, models };
    return () => {
      parts.current = null;
      session.status.setState({ text: null });
      editor.dispose();
      models.dispose();
    };
  }, [session]);
  useEffect(() => {
    const here = parts.current;
    if (here === null) return;
    const { editor, models } = here;
    editor.setModel(models.of(path));
    editor.restoreViewState(models.view(path));
    editor.focus();
    return () => models.keepView(path, editor.saveViewState());
  }, [path]);
  useEffect(() => parts.current?.editor.updateOptions({ readOnly }), [readOnly]);
  useEffect(() => {
    const here = parts.current;
    if (here === null || place === null || place.path !== path) return;
    reveal(here.editor, place);
    session.files.revealed();
  }, [place, path, session]);
  return <div ref={box} className={styles.pane} />;
}

interface DiffPaneProps {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A published text beside the text of the project. */
export function DiffPane({ path, before, after }: DiffPaneProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return;
    prepareMonaco();
    const language = languageOf(path);
    const original = monaco.editor.createModel(before, language);
    const modified = monaco.editor.createModel(after, language);
    const editor = monaco.editor.createDiffEditor(box.current, {
      ...PANE_OPTIONS,
      readOnly: true,
      renderOverviewRuler: false,
      useInlineViewWhenSpaceIsLimited: true,
    });
    editor.setModel({ original, modified });
    // Only now: a new editor applies its options to all models.
    for (const one of [original, modified]) withoutBracketColours(one);
    return () => {
      editor.dispose();
      original.dispose();
      modified.dispose();
    };
  }, [path, before, after]);
  return <div ref={box} className={styles.pane} />;
}
