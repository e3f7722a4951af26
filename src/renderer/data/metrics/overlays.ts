import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { SeriesName } from './series.ts';

/** A series of a bot, the chart's own or another, that is drawn over a chart. */
export interface Overlay {
  readonly botId: string;
  readonly series: SeriesName;
}

/** Charts whose overlays this browser remembers; those laid longest ago are forgotten first. */
const MOST_CHARTS = 200;

const chartKey = (botId: string, chart: string): string => JSON.stringify([botId, chart]);

/** What people have laid over charts. */
export const useOverlays = create<{ readonly onChart: Readonly<Record<string, Overlay>> }>()(
  persist(() => ({ onChart: {} }), { name: 'platform-overlays' }),
);

/** What lies over a bot's chart; null for nothing. `chart` is the id of its group. */
export const useOverlay = (botId: string, chart: string): Overlay | null =>
  useOverlays(({ onChart }) => onChart[chartKey(botId, chart)] ?? null);

/** Lays a series over a chart in place of the one before; null takes it away. */
export function layOver(botId: string, chart: string, overlay: Overlay | null): void {
  const key = chartKey(botId, chart);
  const { [key]: _, ...others } = useOverlays.getState().onChart;
  const kept = Object.entries(others).slice(-MOST_CHARTS + 1);
  useOverlays.setState({ onChart: Object.fromEntries(overlay === null ? kept : [...kept, [key, overlay]]) });
}
