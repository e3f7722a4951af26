import { FilePlus, Files, FolderPlus, GitCompare, Search as SearchIcon } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import type { ProjectSession } from '../../data/project/project-session.ts';
import { Changes } from './changes.tsx';
import styles from './editor.module.css';
import { Search } from './search.tsx';
import { Tree } from './tree.tsx';

export type SideName = 'files' | 'search' | 'changes';

const SIDES: readonly {
  readonly name: SideName;
  readonly label: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden': true }>;
}[] = [
  { name: 'files', label: 'Files', icon: Files },
  { name: 'search', label: 'Search', icon: SearchIcon },
  { name: 'changes', label: 'Changes since the published version', icon: GitCompare },
];

interface SideProps {
  readonly session: ProjectSession;
  readonly shown: SideName;
  readonly dirty: ReadonlySet<string>;
  readonly wrong: ReadonlySet<string>;
  /** The file that is compared with a published version. */
  readonly compared: string | null;
  /** True if the search also replaces. */
  readonly replacing: boolean;
  readonly onReplacing: (replacing: boolean) => void;
  readonly onSide: (name: SideName) => void;
  readonly onOpen: (path: string, place?: { line: number; column: number; length: number }) => void;
  readonly onCompare: (path: string, version: string) => void;
  readonly onNew: (kind: 'file' | 'folder', inFolder: string) => void;
  readonly onRename: (path: string) => void;
}

/** The side panel: files, a search in them, or the differences from the published version. */
export function Side(props: SideProps) {
  const { session, shown, onSide, onOpen, onNew } = props;
  const { entries, error, truncated, watching } = useStore(
    session.store,
    useShallow(({ entries, error, truncated, watching }) => ({ entries, error, truncated, watching })),
  );
  return (
    <aside className={styles.side} aria-label="Project">
      <div className={styles.sideHead} role="toolbar" aria-label="What is shown of the project">
        {SIDES.map(({ name, label, icon: Icon }) => (
          <IconButton key={name} label={label} pressed={shown === name} onClick={() => onSide(name)}>
            <Icon aria-hidden={true} />
          </IconButton>
        ))}
        {shown === 'files' ? (
          <span className={styles.right}>
            <IconButton label="New file" onClick={() => onNew('file', '')}>
              <FilePlus aria-hidden="true" />
            </IconButton>
            <IconButton label="New folder" onClick={() => onNew('folder', '')}>
              <FolderPlus aria-hidden="true" />
            </IconButton>
          </span>
        ) : null}
      </div>
      {error === null ? null : (
        <div className={styles.sideNote}>
          <ErrorNote error={error} />
        </div>
      )}
      {shown === 'search' ? (
        <Search session={session} replacing={props.replacing} onReplacing={props.onReplacing} onPick={onOpen} />
      ) : null}
      {shown === 'changes' ? <Changes session={session} shown={props.compared} onPick={props.onCompare} /> : null}
      {shown === 'files' && entries === null && error === null ? <Skeleton rows={8} /> : null}
      {shown === 'files' && entries !== null ? <ProjectTree {...props} entries={entries} /> : null}
      {truncated ? <p className={styles.more}>There are more files than are listed.</p> : null}
      {watching ? null : (
        <p className={styles.more}>
          Not every folder can be watched: what other programs change there is seen when you come back to this window.
        </p>
      )}
    </aside>
  );
}

function ProjectTree(props: SideProps & { readonly entries: Parameters<typeof Tree>[0]['entries'] }) {
  const { session, entries, dirty, wrong, onOpen, onNew, onRename } = props;
  const active = useStore(session.store, (state) => state.active);
  if (entries.length === 0) return <p className={styles.empty}>The folder is empty. Make a file to begin with.</p>;
  return (
    <Tree
      entries={entries}
      active={active}
      dirty={dirty}
      wrong={wrong}
      onOpen={(path) => onOpen(path)}
      onNew={onNew}
      onRename={onRename}
      onRemove={(path) => void session.remove(path)}
    />
  );
}

interface IconButtonProps {
  readonly label: string;
  readonly pressed?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function IconButton({ label, pressed, onClick, children }: IconButtonProps) {
  return (
    <button
      type="button"
      className={styles.icon}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
