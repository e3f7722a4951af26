import { type CSSProperties, useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import { EDITOR_SIZES } from '../../../contract/preference-choices.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Splitter } from '../../components/splitter.tsx';
import { choose, usePreferences } from '../../data/preferences.ts';
import { isDirty } from '../../data/project/open-file-state.ts';
import type { ProjectSession } from '../../data/project/project-session.ts';
import { toastFailed } from '../../data/toasts.ts';
import { useNewest } from '../../data/use-call.ts';
import { useUnsaved } from '../../data/use-unsaved.ts';
import { Actions, useActions } from './actions.tsx';
import { BottomPanel, type BottomPanelName } from './bottom-panel.tsx';
import styles from './editor.module.css';
import { NameDialog, type Naming } from './name-dialog.tsx';
import { QuickOpen } from './quick-open.tsx';
import { type Compared, ShownText } from './shown-text.tsx';
import { Side, type SideName } from './side-panel.tsx';
import { StatusBar } from './status-bar.tsx';
import { Tabs } from './tabs.tsx';
import { useKeys } from './use-keys.ts';

/**
 * Checks the project again when the window gets the focus, because other programs' changes may have gone unseen; stores
 * drafts when the page closes.
 */
function useComingAndGoing(session: ProjectSession): void {
  useEffect(() => {
    const look = (): void => session.look();
    const keep = (): void => void session.files.keepDrafts();
    window.addEventListener('focus', look);
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('focus', look);
      window.removeEventListener('pagehide', keep);
    };
  }, [session]);
}

/** A size that is stored for the user; while it is being changed only this page knows it. */
function useSize(name: keyof typeof EDITOR_SIZES) {
  const kept = usePreferences((one) => one[name]);
  const [now, setNow] = useState<number | null>(null);
  const done = (px: number): void => {
    setNow(null);
    if (px !== kept) choose({ [name]: px });
  };
  return { ...EDITOR_SIZES[name], value: now ?? kept, onChange: setNow, onDone: done };
}

/** Problems from the host, and those that the browser finds in open files. */
function useProblems(session: ProjectSession): readonly FileProblem[] {
  const problems = useStore(session.store, (state) => state.problems);
  const marks = useStore(session.store, (state) => state.marks);
  return useMemo(() => [...problems, ...marks], [problems, marks]);
}

/** A project with everything that is done to it. */
export function Workbench({ session }: { readonly session: ProjectSession }) {
  const { entries, files, tabs, active, isKept } = useStore(
    session.store,
    useShallow(({ entries, files, tabs, active, isKept }) => ({ entries, files, tabs, active, isKept })),
  );
  const problems = useProblems(session);
  const [side, setSide] = useState<SideName>('files');
  const [replacing, setReplacing] = useState(false);
  const [below, setBelow] = useState<BottomPanelName>('problems');
  const [naming, setNaming] = useState<Naming | null>(null);
  const [closing, setClosing] = useState<string | null>(null);
  const [quick, setQuick] = useState(false);
  const [compared, setCompared] = useState<Compared | null>(null);
  const actions = useActions(session, () => setBelow('output'));
  const dirty = useMemo(() => new Set([...files.values()].filter(isDirty).map(({ path }) => path)), [files]);
  const wrong = useMemo(() => new Set(problems.map(({ file }) => file)), [problems]);
  const [sideSize, belowSize] = [useSize('editor_side_px'), useSize('editor_below_px')];
  const ask = useNewest();
  useComingAndGoing(session);
  useUnsaved(!isKept && dirty.size > 0);

  const show = (path: string, place?: { line: number; column: number; length: number }): void => {
    ask();
    setCompared(null);
    void session.files.open(path, place);
  };
  const close = (path: string): void => {
    if (dirty.has(path)) setClosing(path);
    else void session.files.close(path);
  };
  const keys = {
    save: () => active !== null && void session.files.save(active),
    quickOpen: () => setQuick(true),
    find: () => setSide('search'),
    replace: () => {
      setSide('search');
      setReplacing(true);
    },
    run: () => actions.toggleRun(),
  };
  useKeys(keys);
  const rename = (path: string): void =>
    setNaming({ title: `Rename ${path}`, label: 'Rename', start: path, work: (to) => session.rename(path, to) });
  const create = (kind: 'file' | 'folder', inFolder: string): void =>
    setNaming({
      title: kind === 'file' ? 'New file' : 'New folder',
      label: 'Create',
      start: inFolder === '' ? '' : `${inFolder}/`,
      work: (path) => session.create(path, kind),
    });
  const compare = async (path: string, version: string): Promise<void> => {
    const isNewest = ask();
    try {
      const before = await session.publishedFile(version, path);
      if (!isNewest()) return;
      const known = session.store.getState().entries?.some((one) => one.path === path) === true;
      if (known) await session.files.open(path);
      if (isNewest()) setCompared({ path, version, before });
    } catch (thrown) {
      toastFailed(`${path} cannot be compared with ${version}`, thrown);
    }
  };

  return (
    <div className={styles.bench} style={{ '--side': `${sideSize.value}px` } as CSSProperties}>
      <Actions session={session} actions={actions} dirtyCount={dirty.size} />
      <Side
        session={session}
        shown={side}
        dirty={dirty}
        wrong={wrong}
        compared={compared?.path ?? null}
        replacing={replacing}
        onReplacing={setReplacing}
        onSide={setSide}
        onOpen={show}
        onCompare={(path, version) => void compare(path, version)}
        onNew={create}
        onRename={rename}
      />
      <div className={styles.divide}>
        <Splitter label="Width of the files" line="vertical" grows={1} {...sideSize} />
      </div>
      <div className={styles.center}>
        {tabs.length === 0 ? null : (
          <Tabs tabs={tabs} files={files} active={active} wrong={wrong} onPick={show} onClose={close} />
        )}
        <ShownText session={session} keys={keys} compared={compared} onBack={() => setCompared(null)} />
        <Splitter label="Height of problems and output" line="horizontal" grows={-1} {...belowSize} />
        <BottomPanel
          session={session}
          problems={problems}
          shown={below}
          height={{ height: belowSize.value }}
          onShow={setBelow}
          onPick={({ file: path, line, column }) => show(path, { line, column, length: 0 })}
        />
        <StatusBar session={session} problems={problems} onProblems={() => setBelow('problems')} />
      </div>
      {naming === null ? null : <NameDialog naming={naming} onClose={() => setNaming(null)} />}
      {quick ? (
        <QuickOpen
          paths={(entries ?? []).flatMap(({ path, kind }) => (kind === 'file' ? [path] : []))}
          onPick={(path) => {
            setQuick(false);
            show(path);
          }}
          onClose={() => setQuick(false)}
        />
      ) : null}
      <Confirm
        open={closing !== null}
        title={`${closing ?? ''} is not saved`}
        label="Close without saving"
        onCancel={() => setClosing(null)}
        onConfirm={() => {
          if (closing !== null) void session.files.close(closing);
          setClosing(null);
        }}
      >
        What you have typed in it is thrown away.
      </Confirm>
    </div>
  );
}
