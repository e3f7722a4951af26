import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { type JsonRow, jsonRows, parentIndex } from './json-rows.ts';
import styles from './json-tree.module.css';

const ROW_PX = 24;
/** Levels of a value that are open at first. */
const OPEN_DEPTH = 1;

/** A JSON value as a tree, of any size: only open rows in view are rendered. */
export function JsonTree({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [touched, setTouched] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [active, setActive] = useState(0);
  const rows = useMemo(() => jsonRows(value, (id, depth) => touched.get(id) ?? depth < OPEN_DEPTH), [value, touched]);
  const scroll = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 12,
  });
  useEffect(() => setActive((before) => Math.min(before, rows.length - 1)), [rows.length]);
  const set = (row: JsonRow | undefined, open: boolean): void => {
    if (row !== undefined && row.open !== null) setTouched((before) => new Map(before).set(row.id, open));
  };
  const move = (index: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setActive(next);
    virtual.scrollToIndex(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[active];
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(active + 1),
      ArrowUp: () => move(active - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => (row?.open === false ? set(row, true) : move(active + (row?.open === true ? 1 : 0))),
      ArrowLeft: () => (row?.open === true ? set(row, false) : move(parentIndex(rows, active))),
      Enter: () => set(row, row?.open !== true),
      ' ': () => set(row, row?.open !== true),
    };
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return (
    <div
      ref={scroll}
      className={styles.tree}
      role="tree"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={onKeyDown}
    >
      <div className={styles.space} role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names the active row
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              id={`${id}-${index}`}
              role="treeitem"
              aria-level={row.depth + 1}
              aria-expanded={row.open ?? undefined}
              aria-selected={index === active}
              className={`${styles.row} ${index === active ? styles.active : ''}`}
              style={{ transform: `translateY(${start}px)`, paddingLeft: `${row.depth * 1.1 + 0.4}rem` }}
              onClick={() => {
                setActive(index);
                if (window.getSelection()?.isCollapsed !== false) set(row, row.open !== true);
              }}
            >
              <Row row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Row({ row }: { readonly row: JsonRow }) {
  const wraps = row.kind === 'string' && row.open === true;
  return (
    <>
      {row.open === null ? (
        <span className={styles.sign} />
      ) : (
        <ChevronRight className={`${styles.sign} ${row.open ? styles.turned : ''}`} aria-hidden="true" />
      )}
      <span className={wraps ? styles.whole : styles.line}>
        {row.name === null ? null : <span className={styles.name}>{row.name}: </span>}
        <span className={styles[row.kind]}>{row.text}</span>
      </span>
    </>
  );
}
