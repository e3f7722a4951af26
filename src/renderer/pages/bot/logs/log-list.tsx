import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { FeedState, LogFeed } from './log-feed.ts';
import styles from './log-list.module.css';
import { type Row, rowOf } from './rows.ts';
import { useElementSize } from './use-element-size.ts';
import { edgesOf, LINE_PX, type Place, RULE_PX, roomAbove, roomBelow, rowAt, seqAt } from './virtual-scroll-layout.ts';

/** Methods that other components call on the list. */
export interface ListHandle {
  /** Seq of the first line in view; null for none. */
  firstSeq(): number | null;
  /** Brings a line into view with the least movement. */
  reveal(seq: number): void;
  focus(): void;
}

interface LogListProps {
  readonly feed: LogFeed;
  readonly state: FeedState;
  readonly rows: readonly Row[];
  readonly place: Place;
  /** Lines may be taller than one: they are measured. */
  readonly wrap: boolean;
  readonly expanded: ReadonlySet<number>;
  readonly label: string;
  readonly row: (row: Row) => ReactNode;
  readonly onFirst: (row: Row | null) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly ref: Ref<ListHandle>;
}

/** Position of the view; changed between renders, because scrolling is no reason for one. */
interface View {
  /** Height at which the window begins. */
  top: number;
  /** Row at the upper edge, and its offset above the edge: the row stays there through every change around it. */
  anchor: { readonly key: string; readonly offset: number } | null;
  round: number;
  target: FeedState['target'];
  lastScroll: number;
  first: Row | null;
}

interface Range {
  readonly first: number;
  readonly last: number;
}

const OVERSCAN = 8;
/** Rows are rendered again when fewer than this many are left beyond an edge of the view. */
const MARGIN = 4;
/** A scroll bar that is dragged through unread lines reads only where it rests. */
const REST_MS = 90;
const MOST_MEASURED = 6000;

/**
 * The lines in view, of a log of any length. Only those rows exist; the space above and below represents the rest in
 * proportion. The view never moves by itself, whatever is read, dropped or measured around it.
 */
export function LogList(props: LogListProps) {
  const { feed, state, rows, place, wrap, expanded, label, row, onFirst, onKeyDown, ref } = props;
  const scroller = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const block = useRef<HTMLUListElement>(null);
  const heights = useRef(new Map<string, number>());
  const view = useRef<View>({ top: 0, anchor: null, round: -1, target: null, lastScroll: 0, first: null });
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [measured, setMeasured] = useState(0);
  const [range, setRange] = useState<Range>({ first: 0, last: 80 });
  const { width, height: viewHeight } = useElementSize(scroller);
  const widthWas = useRef(width);
  if (widthWas.current !== width) {
    widthWas.current = width;
    heights.current.clear();
  }
  const varies = wrap || expanded.size > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `measured` and `width` stand for the heights that were measured
  const edges = useMemo(() => {
    const heightOf = (one: Row): number => {
      if (one.kind !== 'line') return RULE_PX;
      const isFixed = !wrap && !expanded.has(one.seq);
      return isFixed ? LINE_PX : (heights.current.get(one.key) ?? LINE_PX);
    };
    return edgesOf(rows.map(heightOf));
  }, [rows, wrap, expanded, measured, width]);
  const bottom = edges.at(-1) ?? 0;

  /** Records the present view, renders missing rows, and requests more near an end. */
  const look = (): void => {
    const element = scroller.current;
    if (element === null || viewHeight === 0) return;
    const y = element.scrollTop - view.current.top;
    const firstRow = rowAt(edges, y);
    const lastRow = rowAt(edges, y + viewHeight);
    const at = rows[firstRow];
    const isBeside = y + viewHeight < 0 || y > bottom;
    clearTimeout(rest.current);
    if (rows.length > 0 && isBeside) {
      const middle = element.scrollTop + viewHeight / 2;
      rest.current = setTimeout(() => {
        const seq = seqAt(place, middle, view.current.top, bottom);
        if (seq !== null) feed.jumpTo(seq);
      }, REST_MS);
      return;
    }
    view.current.anchor = at === undefined ? null : { key: at.key, offset: (edges[firstRow] ?? 0) - y };
    if (view.current.first !== (at ?? null)) {
      view.current.first = at ?? null;
      onFirst(at ?? null);
    }
    const isCovered =
      (range.first <= Math.max(0, firstRow - MARGIN) || range.first === 0) &&
      range.last >= Math.min(rows.length - 1, lastRow + MARGIN);
    if (!isCovered || range.last - range.first > lastRow - firstRow + 4 * OVERSCAN) {
      setRange({ first: Math.max(0, firstRow - OVERSCAN), last: Math.min(rows.length - 1, lastRow + OVERSCAN) });
    }
    if (state.target !== view.current.target) return;
    if (y < 2 * viewHeight) feed.more('older');
    if (y + viewHeight > bottom - 2 * viewHeight) feed.more('newer');
  };

  const measure = (): boolean => {
    if (!varies || block.current === null) return false;
    let isChanged = false;
    if (heights.current.size > MOST_MEASURED) heights.current.clear();
    for (const child of block.current.children) {
      const key = child instanceof HTMLElement ? child.dataset.key : undefined;
      if (key === undefined) continue;
      const real = child.getBoundingClientRect().height;
      if (Math.abs((heights.current.get(key) ?? LINE_PX) - real) < 0.5) continue;
      heights.current.set(key, real);
      isChanged = true;
    }
    return isChanged;
  };

  /** Puts the window in its place, and the view where it was or to its target. */
  const settle = (): void => {
    const element = scroller.current;
    if (element === null || canvas.current === null || block.current === null) return;
    const now = view.current;
    const ideal = roomAbove(place);
    const isOther = now.round !== state.round;
    let scroll = element.scrollTop;
    const index = now.anchor === null || isOther ? -1 : rows.findIndex((one) => one.key === now.anchor?.key);
    if (index === -1 || state.following) now.top = ideal;
    else now.top = scroll + (now.anchor?.offset ?? 0) - (edges[index] ?? 0);
    if (place.atStart ? now.top !== 0 : now.top < Math.min(ideal, viewHeight)) {
      scroll += ideal - now.top;
      now.top = ideal;
    }
    canvas.current.style.height = `${now.top + bottom + roomBelow(place)}px`;
    block.current.style.transform = `translateY(${now.top + (edges[range.first] ?? 0)}px)`;
    if (state.following) scroll = element.scrollHeight;
    else if (state.target !== now.target && state.target !== null && state.target !== 'end') {
      const to = rowOf(rows, state.target.seq);
      if (to !== -1) scroll = now.top + (edges[to] ?? 0) - viewHeight / 2;
    }
    now.round = state.round;
    if (viewHeight > 0) now.target = state.target;
    if (Math.abs(scroll - element.scrollTop) >= 1) element.scrollTop = scroll;
    now.lastScroll = element.scrollTop;
  };

  useLayoutEffect(() => {
    settle();
    if (measure()) setMeasured((before) => before + 1);
    look();
  });
  useLayoutEffect(() => () => clearTimeout(rest.current), []);

  const scrolled = (): void => {
    const element = scroller.current;
    if (element === null) return;
    const y = element.scrollTop;
    const left = element.scrollHeight - element.clientHeight - y;
    if (state.following && y < view.current.lastScroll - 1 && left > LINE_PX / 2) feed.setFollowing(false);
    else if (!state.following && left <= 4 && y > view.current.lastScroll) feed.setFollowing(true);
    view.current.lastScroll = y;
    look();
  };

  useImperativeHandle(ref, () => ({
    firstSeq: () => view.current.first?.seq ?? null,
    focus: () => scroller.current?.focus(),
    reveal: (seq) => {
      const element = scroller.current;
      const index = rowOf(rows, seq);
      if (element === null || index === -1) return;
      const from = view.current.top + (edges[index] ?? 0);
      const to = view.current.top + (edges[index + 1] ?? 0);
      if (from < element.scrollTop) element.scrollTop = from;
      else if (to > element.scrollTop + viewHeight) element.scrollTop = Math.min(from, to - viewHeight);
    },
  }));

  return (
    <section
      ref={scroller}
      className={styles.scroller}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached and moved by the keyboard
      tabIndex={0}
      onScroll={scrolled}
      onWheel={(event) => event.deltaY < 0 && canScroll(scroller.current) && feed.setFollowing(false)}
      onKeyDown={onKeyDown}
    >
      <div ref={canvas} className={styles.canvas} aria-hidden={rows.length === 0} data-some={rows.length > 0}>
        <ul ref={block} className={styles.block} data-wrap={wrap}>
          {rows.slice(range.first, range.last + 1).map(row)}
        </ul>
      </div>
    </section>
  );
}

const canScroll = (element: HTMLElement | null): boolean =>
  element !== null && element.scrollHeight > element.clientHeight;
