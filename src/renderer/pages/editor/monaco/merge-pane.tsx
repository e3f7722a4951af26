import './workers.ts';
import * as monaco from 'monaco-editor/editor.js';
import { useEffect, useRef } from 'react';
import { withoutBracketColours } from './models.ts';
import { languageOf, PANE_OPTIONS, prepareMonaco } from './pane-setup.ts';
import styles from './panes.module.css';
import { changeAt, takeLines } from './take-lines.ts';

interface MergePaneProps {
  readonly path: string;
  readonly theirs: string;
  /** The text to begin with; from then on the pane has it. */
  readonly mine: string;
  readonly onEdit: (text: string) => void;
}

/** Puts the lines of the original in the place of the change at the cursor, or the next one. */
function takeTheirs(diff: monaco.editor.IStandaloneDiffEditor): void {
  const { original, modified } = diff.getModel() ?? {};
  const editor = diff.getModifiedEditor();
  const at = editor.getPosition();
  const change = changeAt(diff.getLineChanges() ?? [], at?.lineNumber ?? 1);
  if (original === undefined || modified === undefined || change === undefined) return;
  const text = takeLines(original.getLinesContent(), modified.getLinesContent(), change).join(modified.getEOL());
  editor.pushUndoStop();
  editor.executeEdits('merge', [{ range: modified.getFullModelRange(), text }]);
  editor.pushUndoStop();
  if (at !== null) editor.setPosition(at);
}

/** The text on the disk beside the typed one, which can be changed. */
export function MergePane({ path, theirs, mine, onEdit }: MergePaneProps) {
  const box = useRef<HTMLDivElement>(null);
  const original = useRef<monaco.editor.ITextModel | null>(null);
  const latest = useRef({ theirs, mine, onEdit });
  latest.current = { theirs, mine, onEdit };
  useEffect(() => {
    if (box.current === null) return;
    prepareMonaco();
    const language = languageOf(path);
    const before = monaco.editor.createModel(latest.current.theirs, language);
    const modified = monaco.editor.createModel(latest.current.mine, language);
    const mark = latest.current.mine.startsWith('\ufeff') ? '\ufeff' : '';
    original.current = before;
    const diff = monaco.editor.createDiffEditor(box.current, {
      ...PANE_OPTIONS,
      originalEditable: false,
      originalAriaLabel: 'Text on the disk',
      modifiedAriaLabel: 'Your text',
      renderOverviewRuler: false,
      renderMarginRevertIcon: true,
      useInlineViewWhenSpaceIsLimited: true,
    });
    diff.setModel({ original: before, modified });
    // Only now: a new editor applies its options to all models.
    for (const one of [before, modified]) withoutBracketColours(one);
    const editor = diff.getModifiedEditor();
    editor.addAction({
      id: 'take-theirs',
      label: 'Take over the other lines here',
      keybindings: [monaco.KeyMod.Alt | monaco.KeyCode.Enter],
      contextMenuGroupId: '1_modification',
      run: () => takeTheirs(diff),
    });
    modified.onDidChangeContent(() => {
      latest.current.onEdit(mark + modified.getValue(monaco.editor.EndOfLinePreference.TextDefined, false));
    });
    editor.focus();
    return () => {
      original.current = null;
      diff.dispose();
      before.dispose();
      modified.dispose();
    };
  }, [path]);
  // Another program may write the file again meanwhile.
  useEffect(() => {
    if (original.current?.getValue() !== theirs) original.current?.setValue(theirs);
  }, [theirs]);
  return <div ref={box} className={styles.pane} />;
}
