import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight, File, Folder, FolderOpen, Link2 } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { ProjectEntry } from '../../../contract/project.ts';
import { visibleName } from '../../../shared/visible-name.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import styles from './tree.module.css';
import { foldersAbove, type TreeRow, treeRows } from './tree-rows.ts';

const ROW_PX = 26;

interface TreeProps {
  readonly entries: readonly ProjectEntry[];
  readonly active: string | null;
  readonly dirty: ReadonlySet<string>;
  readonly wrong: ReadonlySet<string>;
  readonly onOpen: (path: string) => void;
  readonly onNew: (kind: 'file' | 'folder', inFolder: string) => void;
  readonly onRename: (path: string) => void;
  readonly onRemove: (path: string) => void;
}

/** The files of the project. Arrow keys walk, Enter opens, F2 renames, Delete removes. */
export function Tree(props: TreeProps) {
  const { entries, active, dirty, wrong, onOpen } = props;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (active === null) return;
    setAt(active);
    setOpen((before) => new Set([...before, ...foldersAbove(active)]));
  }, [active]);
  const rows = useMemo(() => treeRows(entries, open), [entries, open]);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  });
  const index = rows.findIndex(({ path }) => path === at);
  const here = rows[index];
  const toggle = (path: string, to?: boolean): void =>
    setOpen((before) => {
      const next = new Set(before);
      if (to ?? !next.has(path)) next.add(path);
      else next.delete(path);
      return next;
    });
  const go = (to: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row === undefined) return;
    setAt(row.path);
    list.scrollToIndex(rows.indexOf(row));
  };
  const pick = (row: TreeRow): void => {
    setAt(row.path);
    if (row.kind === 'folder') toggle(row.path);
    else if (row.kind === 'file') onOpen(row.path);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => {
        if (here?.kind === 'folder' && !here.isOpen) toggle(here.path, true);
        else go(index + 1);
      },
      ArrowLeft: () => {
        if (here === undefined) return;
        if (here.isOpen) toggle(here.path, false);
        else go(rows.findIndex(({ path }) => path === foldersAbove(here.path).at(-1)));
      },
      Enter: () => here !== undefined && pick(here),
      F2: () => here !== undefined && props.onRename(here.path),
      Delete: () => here !== undefined && props.onRemove(here.path),
    };
    const act = acts[event.key];
    if (act === undefined || !(event.target instanceof Element) || event.target.closest('button') !== null) return;
    event.preventDefault();
    act();
  };
  return (
    <div
      ref={box}
      className={styles.tree}
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={here === undefined ? undefined : `${id}-${index}`}
      onKeyDown={onKey}
    >
      <div className={styles.all} style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <Row
              key={row.path}
              id={`${id}-${item.index}`}
              row={row}
              top={item.start}
              isHere={row.path === at}
              isActive={row.path === active}
              isDirty={dirty.has(row.path)}
              isWrong={wrong.has(row.path)}
              onPick={() => pick(row)}
              props={props}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly top: number;
  readonly isHere: boolean;
  readonly isActive: boolean;
  readonly isDirty: boolean;
  readonly isWrong: boolean;
  readonly onPick: () => void;
  readonly props: TreeProps;
}

function Row({ id, row, top, isHere, isActive, isDirty, isWrong, onPick, props }: RowProps) {
  const { path, kind, depth, isOpen } = row;
  const menu = useRef<HTMLSpanElement>(null);
  const name = visibleName(row.name);
  const folder = kind === 'folder' ? path : (foldersAbove(path).at(-1) ?? '');
  const Icon = kind === 'folder' ? (isOpen ? FolderOpen : Folder) : kind === 'link' ? Link2 : File;
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the tree, which names the row as its active one
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={kind === 'folder' ? isOpen : undefined}
      aria-selected={isActive}
      aria-label={`${name}${isDirty ? ', not saved' : ''}${isWrong ? ', has problems' : ''}${kind === 'link' ? ', a link' : ''}`}
      tabIndex={-1}
      className={styles.row}
      data-here={isHere}
      style={{ transform: `translateY(${top}px)`, paddingLeft: `${0.5 + depth * 0.85}rem` }}
      title={kind === 'link' ? 'The editor follows no links' : visibleName(path)}
      onClick={({ currentTarget, target }) => {
        if (!(target instanceof Node)) return;
        // What the menu opens lies elsewhere in the page; its clicks come here nevertheless.
        if (currentTarget.contains(target) && menu.current?.contains(target) === false) onPick();
      }}
    >
      {kind === 'folder' ? <Arrow aria-hidden="true" /> : <span className={styles.gap} />}
      <Icon aria-hidden="true" className={styles.icon} />
      <span className={`${styles.name} ${isWrong ? styles.wrong : ''}`}>{name}</span>
      {isDirty ? <span className={styles.dot} title="Not saved" /> : null}
      <span ref={menu} className={styles.menu}>
        <RowMenu
          label={`Do something with ${name}`}
          entries={[
            { label: 'New file', onPick: () => props.onNew('file', folder) },
            { label: 'New folder', onPick: () => props.onNew('folder', folder) },
            { label: 'Rename', onPick: () => props.onRename(path) },
            { label: 'Remove', danger: true, onPick: () => props.onRemove(path) },
          ]}
        />
      </span>
    </div>
  );
}
