import { type KeyboardEvent, type MouseEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { extend, NOTHING, type Selection, toggle } from './selection.ts';
import type { ShownBot } from './shown-bot.ts';

const PAGE = 12;
/** What has an action of its own within a row. */
const CONTROLS = 'a, button, input, label';

/** Returns the current index of the row that holds an element; null outside of rows. */
function rowOf(element: EventTarget): number | null {
  const row = element instanceof Element ? element.closest<HTMLElement>('[data-row]')?.dataset.row : undefined;
  return row === undefined ? null : Number(row);
}

/** True for events of the table itself: the menu of a row lies over it, and has keys and clicks of its own. */
function isWithin({ target, currentTarget }: { readonly target: EventTarget; readonly currentTarget: Element }) {
  return target instanceof Node && currentTarget.contains(target);
}

interface Table {
  readonly bots: readonly Bot[];
  readonly scroll: RefObject<HTMLElement | null>;
  readonly scrollTo: (index: number) => void;
  readonly selection: Selection;
  readonly onSelect: ((selection: Selection) => void) | null;
  /** Null: there is no room for a panel. */
  readonly panel: ShownBot | null;
}

/** What keys and clicks do in the table: one row is the stop of the keyboard, and with a panel the one that it shows. */
export function useRowKeys({ bots, scroll, scrollTo, selection, onSelect, panel }: Table) {
  const [, go] = useLocation();
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  useEffect(() => setActive((before) => Math.min(before, bots.length - 1)), [bots.length]);
  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroll.current?.querySelector<HTMLElement>(`[data-row="${active}"] [data-name]`);
    // A row that is far away is drawn only after the scroll.
    if (row === null || row === undefined) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address leads to its bot once
  useEffect(() => {
    const at = panel === null ? -1 : bots.findIndex((bot) => bot.bot_id === panel.id);
    if (at < 0) return;
    setActive(at);
    scrollTo(at);
  }, []);
  const idAt = (index: number): string => bots[index]?.bot_id ?? '';
  const order = (): readonly string[] => bots.map((bot) => bot.bot_id);
  const focusOn = (index: number): void => {
    wantsFocus.current = true;
    setActive(index);
  };
  const choose = (index: number, isRange: boolean): void => {
    onSelect?.(isRange ? extend(selection, idAt(index), order()) : toggle(selection, idAt(index)));
  };
  const latest = useRef(choose);
  latest.current = choose;
  const moveTo = (from: number, to: number, isRange: boolean): void => {
    const next = Math.max(0, Math.min(bots.length - 1, to));
    focusOn(next);
    scrollTo(next);
    if (!isRange) {
      panel?.show(idAt(next));
      return;
    }
    const anchor = selection.anchor === null ? toggle(NOTHING, idAt(from)) : selection;
    onSelect?.(extend(anchor, idAt(next), order()));
  };
  const leave = (): void => {
    if (panel !== null && panel.id !== null) panel.show(null);
    else if (selection.ids.size > 0) onSelect?.(NOTHING);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (!isWithin(event) || event.altKey || event.ctrlKey || event.metaKey) return;
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
    if (to !== undefined) {
      event.preventDefault();
      moveTo(at, to, event.shiftKey);
    } else if (event.key === ' ' && event.target instanceof HTMLAnchorElement) {
      event.preventDefault();
      choose(at, event.shiftKey);
    } else if (event.key === 'Enter') panel?.settle();
    else if (event.key === 'Escape') leave();
  };
  /** The row that a plain click beside its controls means; null for any other click. */
  const clicked = (event: MouseEvent<HTMLElement>): number | null => {
    const { target, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (panel === null || !isWithin(event) || altKey || ctrlKey || metaKey || shiftKey) return null;
    return target instanceof Element && target.closest(CONTROLS) === null ? rowOf(target) : null;
  };
  const onClick = (event: MouseEvent<HTMLElement>): void => {
    const at = clicked(event);
    if (at === null) return;
    focusOn(at);
    panel?.show(idAt(at));
  };
  const onDoubleClick = (event: MouseEvent<HTMLElement>): void => {
    const at = clicked(event);
    if (at === null) return;
    panel?.settle();
    go(`/bots/${idAt(at)}`);
  };
  // The same functions at every step: rows that say the same are not drawn again.
  const onActive = useCallback((index: number) => setActive(index), []);
  const onChoose = useCallback((index: number, isRange: boolean) => latest.current(index, isRange), []);
  return { active, onActive, onChoose, order, onKeyDown, onClick, onDoubleClick };
}
