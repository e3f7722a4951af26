import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { ChartGroup } from './chart-groups.ts';

/** Bots whose pins this browser remembers; those pinned longest ago are forgotten first. */
const MOST_BOTS = 200;

/** The charts that people keep above the others, by bot: ids of chart groups, the one pinned last first. */
export const usePinnedCharts = create<{ readonly ofBot: Readonly<Record<string, readonly string[]>> }>()(
  persist(() => ({ ofBot: {} }), { name: 'platform-pinned-charts' }),
);

const NONE: readonly string[] = [];

/** Ids of a bot's pinned charts, the one pinned last first. */
export const usePinned = (botId: string): readonly string[] => usePinnedCharts(({ ofBot }) => ofBot[botId] ?? NONE);

/** Puts a chart above all others, or back to its place. */
export function pinChart(botId: string, chart: string, isPinned: boolean): void {
  const { [botId]: pinned = NONE, ...others } = usePinnedCharts.getState().ofBot;
  const rest = pinned.filter((one) => one !== chart);
  const next = isPinned ? [chart, ...rest] : rest;
  const kept = Object.entries(others).slice(-MOST_BOTS + 1);
  usePinnedCharts.setState({ ofBot: Object.fromEntries(next.length === 0 ? kept : [...kept, [botId, next]]) });
}

/** Charts with the pinned ones first, in the order of their pins; the others keep theirs. */
export function pinnedFirst(groups: readonly ChartGroup[], pinned: readonly string[]): readonly ChartGroup[] {
  if (pinned.length === 0) return groups;
  const first = pinned.flatMap((id) => groups.find((group) => group.id === id) ?? []);
  return [...first, ...groups.filter((group) => !first.includes(group))];
}
