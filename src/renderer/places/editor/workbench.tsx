import { FilePlus, Files, FolderPlus, GitCompare, Search as SearchIcon } from 'lucide-react';
import { type ComponentType, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { isDirty } from '../../data/project/open-file.ts';
import type { ProjectSession } from '../../data/project/session.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Actions, useActions } from './actions.tsx';
import { Changes } from './changes.tsx';
import styles from './editor.module.css';
import { NameDialog, type Naming } from './name-dialog.tsx';
import { Output } from './output.tsx';
import { Problems } from './problems.tsx';
import { QuickOpen } from './quick-open.tsx';
import { Search } from './search.tsx';
import { Tabs } from './tabs.tsx';
import { Tree } from './tree.tsx';
import { Trouble } from './trouble.tsx';
import { useKeys } from './use-keys.ts';

const TextPane = lazyPart(async () => (await import('./monaco/panes.tsx')).TextPane);
const DiffPane = lazyPart(async () => (await import('./monaco/panes.tsx')).DiffPane);

type SideName = 'files' | 'search' | 'changes';
type PanelName = 'problems' | 'output';

const SIDES: readonly {
  readonly name: SideName;
  readonly word: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden': true }>;
}[] = [
  { name: 'files', word: 'Files', icon: Files },
  { name: 'search', word: 'Search', icon: SearchIcon },
  { name: 'changes', word: 'Changes since the published version', icon: GitCompare },
];

interface Compared {
  readonly path: string;
  readonly version: string;
  readonly before: string;
}

/** A project with everything that is done to it. */
export function Workbench({ session }: { readonly session: ProjectSession }) {
  const state = useStore(session.store);
  const { entries, files, tabs, active, problems, warnings, run, lines, reveal, error } = state;
  const [side, setSide] = useState<SideName>('files');
  const [panel, setPanel] = useState<PanelName>('problems');
  const [naming, setNaming] = useState<Naming | null>(null);
  const [closing, setClosing] = useState<string | null>(null);
  const [quick, setQuick] = useState(false);
  const [compared, setCompared] = useState<Compared | null>(null);
  const actions = useActions(session, () => setPanel('output'));
  const dirty = useMemo(() => new Set([...files.values()].filter(isDirty).map(({ path }) => path)), [files]);
  const wrong = useMemo(() => new Set(problems.map(({ file }) => file)), [problems]);
  const file = active === null ? undefined : files.get(active);

  // What other programs did while nobody looked is seen at once, also where it could not be watched.
  useEffect(() => {
    const look = (): void => void session.recheck([...session.store.getState().files.keys()]);
    const keep = (): void => void session.keepDrafts();
    window.addEventListener('focus', look);
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('focus', look);
      window.removeEventListener('pagehide', keep);
    };
  }, [session]);

  const show = (path: string, place?: { line: number; column: number; length: number }): void => {
    setCompared(null);
    void session.open(path, place);
  };
  const close = (path: string): void => {
    if (dirty.has(path)) setClosing(path);
    else void session.closeTab(path);
  };
  const keys = {
    save: () => active !== null && void session.save(active),
    quickOpen: () => setQuick(true),
    find: () => setSide('search'),
    run: () => actions.toggleRun(),
  };
  useKeys(keys);
  const rename = (path: string): void =>
    setNaming({ title: `Rename ${path}`, word: 'Rename', start: path, work: (to) => session.rename(path, to) });
  const create = (kind: 'file' | 'folder', inFolder: string): void =>
    setNaming({
      title: kind === 'file' ? 'New file' : 'New folder',
      word: 'Create',
      start: inFolder === '' ? '' : `${inFolder}/`,
      work: (path) => session.create(path, kind),
    });
  const compare = async (path: string, version: string): Promise<void> => {
    const before = await session.publishedText(version, path);
    const known = session.store.getState().entries?.some((one) => one.path === path) === true;
    if (known) await session.open(path);
    setCompared({ path, version, before: before ?? '' });
  };

  return (
    <div className={styles.bench}>
      <Actions session={session} actions={actions} dirtyCount={dirty.size} />
      <aside className={styles.side} aria-label="Project">
        <div className={styles.sideHead} role="toolbar" aria-label="What is shown of the project">
          {SIDES.map(({ name, word, icon: Icon }) => (
            <IconButton key={name} word={word} pressed={side === name} onClick={() => setSide(name)}>
              <Icon aria-hidden={true} />
            </IconButton>
          ))}
          {side === 'files' ? (
            <span className={styles.right}>
              <IconButton word="New file" onClick={() => create('file', '')}>
                <FilePlus aria-hidden="true" />
              </IconButton>
              <IconButton word="New folder" onClick={() => create('folder', '')}>
                <FolderPlus aria-hidden="true" />
              </IconButton>
            </span>
          ) : null}
        </div>
        {error === null ? null : <ErrorNote error={error} />}
        {side === 'search' ? <Search session={session} onPick={show} /> : null}
        {side === 'changes' ? (
          <Changes
            session={session}
            shown={compared?.path ?? null}
            onPick={(path, version) => void compare(path, version)}
          />
        ) : null}
        {side !== 'files' ? null : entries === null ? (
          error === null ? (
            <Skeleton rows={8} />
          ) : null
        ) : (
          <Tree
            entries={entries}
            active={active}
            dirty={dirty}
            problems={problems}
            onOpen={show}
            onNew={create}
            onRename={rename}
            onRemove={(path) => void session.remove(path)}
          />
        )}
        {state.truncated ? <p className={styles.more}>There are more files than are listed.</p> : null}
      </aside>
      <div className={styles.center}>
        {tabs.length === 0 ? null : (
          <Tabs tabs={tabs} files={files} active={active} wrong={wrong} onPick={show} onClose={close} />
        )}
        {file === undefined || compared !== null ? null : <Trouble session={session} file={file} />}
        {compared === null ? null : (
          <div className={styles.compared}>
            <p>
              <code>{compared.path}</code>: {compared.version} as published, and as it is here
            </p>
            <Button onClick={() => setCompared(null)}>Back to the text</Button>
          </div>
        )}
        <div className={styles.text}>
          <Suspense fallback={<Skeleton rows={6} label="Loading the editor" />}>
            {compared !== null ? (
              <DiffPane path={compared.path} before={compared.before} after={files.get(compared.path)?.text ?? ''} />
            ) : file === undefined ? (
              <Nothing onQuick={() => setQuick(true)} />
            ) : file.kind === 'text' ? (
              <TextPane
                key={session.project.project_id}
                session={session}
                path={file.path}
                place={reveal}
                keys={keys}
              />
            ) : (
              <Empty
                title={
                  file.kind === 'binary' ? `${file.path} is no text` : `${file.path} is too large to be edited here`
                }
              />
            )}
          </Suspense>
        </div>
        <section className={styles.panel} aria-label="Problems and output">
          <div className={styles.panelHead} role="tablist" aria-label="Below the text">
            <PanelTab isShown={panel === 'problems'} onPick={() => setPanel('problems')}>
              Problems{' '}
              <span className={styles.count} data-wrong={problems.length > 0}>
                {problems.length + warnings.length}
              </span>
            </PanelTab>
            <PanelTab isShown={panel === 'output'} onPick={() => setPanel('output')}>
              Output
            </PanelTab>
          </div>
          <div className={styles.panelBody} role="tabpanel">
            {panel === 'output' ? (
              <Output run={run} lines={lines} />
            ) : (
              <Problems
                problems={problems}
                warnings={warnings}
                onPick={({ file: path, line, column }) => show(path, { line, column, length: 0 })}
              />
            )}
          </div>
        </section>
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
        word="Close without saving"
        onNo={() => setClosing(null)}
        onYes={() => {
          if (closing !== null) void session.closeTab(closing);
          setClosing(null);
        }}
      >
        What you have typed in it is thrown away.
      </Confirm>
    </div>
  );
}

function Nothing({ onQuick }: { readonly onQuick: () => void }) {
  return (
    <div className={styles.nothing}>
      <p>Choose a file on the left, or press</p>
      <button type="button" className={styles.hint} onClick={onQuick}>
        <kbd>Ctrl</kbd> <kbd>P</kbd>
      </button>
      <p>to find one by its name.</p>
    </div>
  );
}

interface IconButtonProps {
  readonly word: string;
  readonly pressed?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function IconButton({ word, pressed, onClick, children }: IconButtonProps) {
  return (
    <button
      type="button"
      className={styles.icon}
      aria-label={word}
      title={word}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

interface PanelTabProps {
  readonly isShown: boolean;
  readonly onPick: () => void;
  readonly children: ReactNode;
}

function PanelTab({ isShown, onPick, children }: PanelTabProps) {
  return (
    <button type="button" role="tab" aria-selected={isShown} className={styles.panelTab} onClick={onPick}>
      {children}
    </button>
  );
}
