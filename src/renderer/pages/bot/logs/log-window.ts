import type { LogEntry, LogPage } from '../../../../contract/telemetry.ts';

/**
 * A loaded stretch of the log: `entries` are all lines that pass the filter with a seq above `from` and up to `upTo`.
 * The rest is read when the view comes near.
 */
export interface LogWindow {
  readonly entries: readonly LogEntry[];
  readonly from: number;
  readonly upTo: number;
  /** True if the filter keeps no older line. */
  readonly atStart: boolean;
}

/** Limits of a window, independent of the history: lines, and their characters. */
export const WINDOW_LINES = 1500;
const WINDOW_CHARS = 12 * 1024 * 1024;

export const emptyWindow = (at: number): LogWindow => ({ entries: [], from: at, upTo: at, atStart: false });

const charsOf = (entry: LogEntry): number => entry.message.length + 200;

/** Returns the number of lines from one end that fit. */
function fitting(entries: readonly LogEntry[], end: 'old' | 'new', lines: number): number {
  let chars = 0;
  let count = 0;
  const most = Math.min(entries.length, lines);
  while (count < most) {
    const entry = entries[end === 'old' ? count : entries.length - 1 - count];
    if (entry === undefined) break;
    chars += charsOf(entry);
    if (chars > WINDOW_CHARS && count > 0) break;
    count += 1;
  }
  return count;
}

/** The newest lines of a window that fit. */
export function keepNewest(window: LogWindow, lines = WINDOW_LINES): LogWindow {
  const count = fitting(window.entries, 'new', lines);
  if (count === window.entries.length) return window;
  const dropped = window.entries[window.entries.length - count - 1];
  const entries = window.entries.slice(window.entries.length - count);
  return { ...window, entries, from: dropped?.seq ?? window.from, atStart: false };
}

/** The oldest lines of a window that fit. */
export function keepOldest(window: LogWindow, lines = WINDOW_LINES): LogWindow {
  const count = fitting(window.entries, 'old', lines);
  if (count === window.entries.length) return window;
  const entries = window.entries.slice(0, count);
  return { ...window, entries, upTo: entries.at(-1)?.seq ?? window.upTo };
}

/** Returns a window with a page that was read before it. */
export function withOlder(window: LogWindow, page: LogPage): LogWindow {
  const entries = [...page.entries, ...window.entries];
  const from = page.older_before === null ? Math.min(window.from, (entries[0]?.seq ?? 1) - 1) : page.older_before - 1;
  return keepOldest({ ...window, entries, from, atStart: page.older_before === null });
}

/**
 * Returns the seq up to which a page that was read after `after` is complete; `newest` is the log's newest seq at the request.
 */
export function reachOf(page: LogPage, after: number, newest: number): number {
  const last = page.entries.at(-1)?.seq ?? after;
  if (!page.truncated) return Math.max(last, newest);
  // A search that found nothing in its time says how far it looked.
  return page.entries.length === 0 && page.older_before !== null ? Math.max(after, page.older_before - 1) : last;
}

/** Returns a window with a page that was read after it. */
export function withNewer(window: LogWindow, page: LogPage, newest: number): LogWindow {
  return keepNewest({
    ...window,
    entries: [...window.entries, ...page.entries],
    upTo: reachOf(page, window.upTo, newest),
  });
}

/** True when a newer stretch begins where a window ends. */
export const joins = (window: LogWindow, newer: LogWindow): boolean =>
  window.upTo >= newer.from && window.upTo <= newer.upTo;

/** A window and the newer stretch that it joins, as far as they fit from the newest line on. */
export function joined(window: LogWindow, newer: LogWindow): LogWindow {
  const next = firstAfter(newer.entries, Math.max(window.upTo, window.entries.at(-1)?.seq ?? 0));
  const fresh = next === 0 ? newer.entries : newer.entries.slice(next);
  if (fresh.length === 0) return { ...window, upTo: newer.upTo };
  return keepNewest({ ...window, entries: [...window.entries, ...fresh], upTo: newer.upTo });
}

/** Returns the index of the first line with a greater seq. */
export function firstAfter(entries: readonly LogEntry[], seq: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.seq ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}
