import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import type { Ledger } from '../../../contract/ledger.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useMatches } from '../../data/use-media-query.ts';
import { useWatch } from '../../data/visible-bot-usage.ts';
import { ColumnHeads } from './column-heads.tsx';
import { leastWidth } from './column-list.ts';
import { FleetRow } from './fleet-row.tsx';
import styles from './fleet-table.module.css';
import { extend, NOTHING, type Selection, toggle } from './selection.ts';

const ROW_PX = 50;
const HEAD_PX = 32;
/** Height of a row on a narrow page, where the state is below the name. */
const TALL_ROW_PX = 60;
const NARROW = '(max-width: 42rem)';
const PAGE = 12;

/** Returns the current index of the row that holds an element; null outside of rows. */
function rowOf(element: EventTarget): number | null {
  const row = element instanceof Element ? element.closest<HTMLElement>('[data-row]')?.dataset.row : undefined;
  return row === undefined ? null : Number(row);
}

interface TableProps {
  readonly bots: readonly Bot[];
  readonly selection: Selection;
  /** Books of today by bot. */
  readonly ledgers: ReadonlyMap<string, Ledger>;
  /** Null: the user may not change anything. */
  readonly onSelect: ((selection: Selection) => void) | null;
}

/** The fleet as a table of any length: only rows in view are rendered, and only their resources are read. */
export function FleetTable({ bots, selection, ledgers, onSelect }: TableProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  const narrow = useMatches(NARROW);
  const columns = usePreferences((one) => one.fleet_columns);
  const rowPx = narrow ? TALL_ROW_PX : ROW_PX;
  const virtual = useVirtualizer({
    count: bots.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 8,
    scrollPaddingStart: HEAD_PX,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height now
  useEffect(() => virtual.measure(), [rowPx]);
  const items = virtual.getVirtualItems();
  const drawn = items.flatMap(({ index }) => bots[index] ?? []);
  useWatch(
    drawn.map((bot) => bot.bot_id),
    drawn.filter((bot) => bot.run_id !== null).map((bot) => bot.bot_id),
  );
  useEffect(() => setActive((before) => Math.min(before, bots.length - 1)), [bots.length]);
  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroll.current?.querySelector<HTMLElement>(`[data-row="${active}"] a`);
    // A row that is far away is drawn only after the scroll.
    if (row === null || row === undefined) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });
  const move = (to: number): number => {
    const next = Math.max(0, Math.min(bots.length - 1, to));
    wantsFocus.current = true;
    setActive(next);
    virtual.scrollToIndex(next);
    return next;
  };
  const idAt = (index: number): string => bots[index]?.bot_id ?? '';
  const order = (): readonly string[] => bots.map((bot) => bot.bot_id);
  const choose = (index: number, isRange: boolean): void => {
    onSelect?.(isRange ? extend(selection, idAt(index), order()) : toggle(selection, idAt(index)));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    // The menu of a row lies over the table, and has keys of its own.
    if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return;
    // Rows above may have come or gone since the focus moved to this one.
    const at = rowOf(event.target) ?? active;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + PAGE,
      PageUp: at - PAGE,
      Home: 0,
      End: bots.length - 1,
    };
    const to = steps[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (to !== undefined) {
      event.preventDefault();
      const anchor = event.shiftKey && selection.anchor === null ? toggle(NOTHING, idAt(at)) : selection;
      const next = move(to);
      if (event.shiftKey) onSelect?.(extend(anchor, idAt(next), order()));
    } else if (event.key === ' ' && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      choose(at, event.shiftKey);
    } else if (event.key === 'Escape' && selection.ids.size > 0) {
      onSelect?.(NOTHING);
    }
  };
  const onActive = useCallback((index: number) => setActive(index), []);
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const all = selection.ids.size === bots.length;
  return (
    <div ref={scroll} className={styles.scroll}>
      <table
        className={styles.table}
        style={narrow ? undefined : { minWidth: `${leastWidth(columns)}rem` }}
        aria-rowcount={bots.length + 1}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr aria-rowindex={1}>
            {onSelect === null ? null : (
              <th className={styles.pick}>
                <input
                  type="checkbox"
                  aria-label="Select all bots shown"
                  checked={all}
                  ref={(box) => {
                    if (box !== null) box.indeterminate = !all && selection.ids.size > 0;
                  }}
                  onChange={() => onSelect(all ? NOTHING : { ids: new Set(order()), anchor: null })}
                />
              </th>
            )}
            <ColumnHeads />
            <th className={styles.more}>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <tr style={{ height: before }} /> : null}
          {items.map(({ index }) => {
            const bot = bots[index];
            return bot === undefined ? null : (
              <FleetRow
                key={bot.bot_id}
                bot={bot}
                index={index}
                isActive={index === active}
                isChosen={selection.ids.has(bot.bot_id)}
                ledger={ledgers.get(bot.bot_id)}
                onActive={onActive}
                onChoose={onSelect === null ? null : choose}
              />
            );
          })}
          {after > 0 ? <tr style={{ height: after }} /> : null}
        </tbody>
      </table>
    </div>
  );
}
