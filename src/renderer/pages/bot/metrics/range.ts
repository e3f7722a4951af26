import type { TimeWindow } from '../../../data/metrics/time-window.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Preset {
  /** The form in the page's address. */
  readonly id: string;
  readonly label: string;
  readonly words: string;
  /** Null: all there is. */
  readonly span: number | null;
}

/** Times one can look at without marking any. */
export const PRESETS: readonly Preset[] = [
  { id: '15m', label: '15 min', words: 'the last 15 minutes', span: 15 * MINUTE },
  { id: '1h', label: '1 h', words: 'the last hour', span: HOUR },
  { id: '6h', label: '6 h', words: 'the last 6 hours', span: 6 * HOUR },
  { id: '1d', label: '1 d', words: 'the last day', span: DAY },
  { id: '7d', label: '7 d', words: 'the last 7 days', span: 7 * DAY },
  { id: 'all', label: 'All', words: 'all time', span: null },
];
const DEFAULT = '1h';
/** Shortest stretch worth viewing: samples are at least a millisecond apart. */
const LEAST = 100;

/** The preset and the window in an address; the default for invalid ones. */
export function readRange(params: URLSearchParams): { readonly preset: Preset | null; readonly window: TimeWindow } {
  const [from, to] = [Date.parse(params.get('from') ?? ''), Date.parse(params.get('to') ?? '')];
  if (to > from) return { preset: null, window: { kind: 'fixed', from, to } };
  const named = params.get('range') ?? DEFAULT;
  const preset = PRESETS.find(({ id }) => id === named) ?? PRESETS.find(({ id }) => id === DEFAULT) ?? null;
  return { preset, window: { kind: 'last', span: preset?.span ?? null } };
}

/** The address with another preset, without a stretch. */
export function withPreset(params: URLSearchParams, id: string): URLSearchParams {
  const next = new URLSearchParams(params);
  next.delete('from');
  next.delete('to');
  if (id === DEFAULT) next.delete('range');
  else next.set('range', id);
  return next;
}

/** The address with a stretch of time; the preset stays for when one goes back. */
export function withStretch(params: URLSearchParams, { from, to }: { from: number; to: number }): URLSearchParams {
  const next = new URLSearchParams(params);
  const room = Math.max(0, LEAST - (to - from)) / 2;
  next.set('from', new Date(Math.round(Math.max(0, from - room))).toISOString());
  next.set('to', new Date(Math.round(to + room)).toISOString());
  return next;
}

/** The address without a stretch. */
export function withoutStretch(params: URLSearchParams): URLSearchParams {
  return withPreset(params, params.get('range') ?? DEFAULT);
}
