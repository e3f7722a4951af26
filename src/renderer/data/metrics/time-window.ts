/** Range of time on view: the newest `span` ms (null: all there is), which moves on; or a fixed stretch. */
export type TimeWindow =
  | { readonly kind: 'last'; readonly span: number | null }
  | { readonly kind: 'fixed'; readonly from: number; readonly to: number };

/** Charts of a bot that has just begun span at least this, so that the first samples do not fill the width. */
const LEAST_SPAN = 30_000;

/** Returns the bounds of a window in ms since the epoch; null: open on that side. */
export function boundsOf(
  window: TimeWindow,
  now: number,
): { readonly from: number | null; readonly to: number | null } {
  if (window.kind === 'fixed') return { from: window.from, to: window.to };
  return { from: window.span === null ? null : now - window.span, to: null };
}

/**
 * Returns the range of the time axis. It leaves out time before the first sample: a bot that has run for a minute fills the chart
 * of an hour.
 */
export function domainOf(
  window: TimeWindow,
  seen: { readonly first: number; readonly last: number } | null,
  now: number,
): { readonly from: number; readonly to: number } {
  if (window.kind === 'fixed') return { from: window.from, to: window.to };
  const last = seen?.last ?? now;
  const to = window.span === null ? last : Math.max(now, last);
  const from = Math.max(
    window.span === null ? Number.NEGATIVE_INFINITY : to - window.span,
    seen?.first ?? to - LEAST_SPAN,
  );
  return { from, to: Math.max(to, from + LEAST_SPAN) };
}
