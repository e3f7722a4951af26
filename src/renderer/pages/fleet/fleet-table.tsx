import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Bot } from '../../../contract/bot.ts';
import type { Ledger } from '../../../contract/ledger.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useMatches } from '../../data/use-media-query.ts';
import { useWatch } from '../../data/visible-bot-usage.ts';
import { ColumnHeads } from './column-heads.tsx';
import { fittingColumns, leastWidth } from './column-list.ts';
import { FleetRow } from './fleet-row.tsx';
import styles from './fleet-table.module.css';
import { NOTHING, type Selection } from './selection.ts';
import type { ShownBot } from './shown-bot.ts';
import { useRowKeys } from './use-row-keys.ts';

const ROW_PX = 50;
const HEAD_PX = 32;
/** Height of a row on a narrow page, where the state is below the name. */
const TALL_ROW_PX = 80;
const NARROW = '(max-width: 42rem)';

/** Room of an element in rem, known before it is drawn; measured anew when `key` changes. */
function useRoom(element: RefObject<HTMLElement | null>, key: boolean): number {
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for what takes room away
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const look = (): void => setRoom(current.clientWidth / rem);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, key]);
  return room;
}

interface TableProps {
  readonly bots: readonly Bot[];
  readonly selection: Selection;
  /** Books of today by bot. */
  readonly ledgers: ReadonlyMap<string, Ledger>;
  /** Null: the user may not change anything. */
  readonly onSelect: ((selection: Selection) => void) | null;
  /** Null: there is no room for a panel beside the table, and a row leads to the page of its bot. */
  readonly panel: ShownBot | null;
}

/** The fleet as a table of any length: only rows in view are rendered, and only their resources are read. */
export function FleetTable({ bots, selection, ledgers, onSelect, panel }: TableProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const narrow = useMatches(NARROW);
  const chosen = usePreferences((one) => one.fleet_columns);
  const isBeside = panel !== null && panel.id !== null;
  const room = useRoom(scroll, isBeside);
  // The panel says what the columns say that give way to it.
  const columns = useMemo(() => (isBeside ? fittingColumns(chosen, room) : chosen), [isBeside, chosen, room]);
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
  const { active, onActive, onChoose, order, ...events } = useRowKeys({
    ...{ bots, scroll, selection, onSelect, panel },
    scrollTo: (index) => virtual.scrollToIndex(index),
  });
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const all = selection.ids.size === bots.length;
  return (
    <div ref={scroll} className={styles.scroll}>
      <table
        className={styles.table}
        style={narrow ? undefined : { minWidth: `${leastWidth(columns)}rem` }}
        aria-rowcount={bots.length + 1}
        {...events}
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
            <ColumnHeads shown={columns} />
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
                isShown={bot.bot_id === panel?.id}
                isLink={panel === null}
                columns={columns}
                ledger={ledgers.get(bot.bot_id)}
                onActive={onActive}
                onChoose={onSelect === null ? null : onChoose}
              />
            );
          })}
          {after > 0 ? <tr style={{ height: after }} /> : null}
        </tbody>
      </table>
    </div>
  );
}
