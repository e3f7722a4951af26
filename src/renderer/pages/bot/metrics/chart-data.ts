import type { Bot } from '../../../../contract/bot.ts';
import { NO_POINTS, nearest, type Points } from '../../../../shared/series-points.ts';
import type { ChartLine, Marker } from '../../../components/charts/chart-elements.ts';
import { type ChartGroup, lineLabel } from '../../../data/metrics/chart-groups.ts';
import type { Traded } from '../../../data/metrics/holdings.ts';
import type { MetricsState, RunStart } from '../../../data/metrics/metrics-store.ts';
import { seriesKey } from '../../../data/metrics/series.ts';
import type { Signal } from '../../../data/metrics/signals.ts';
import type { RuleStart } from '../../alarm-rule-dialog.tsx';

/** More rules than this would look like hatching. */
const MOST_RULES = 40;
/** A series with fewer samples has not had the time to change. */
const ENOUGH = 10;

/** The lines of a chart with the points that are known. */
export function linesOf(group: ChartGroup, { points, grains }: Pick<MetricsState, 'points' | 'grains'>): ChartLine[] {
  return group.series.map((one, styleIndex) => ({
    id: seriesKey(one),
    label: lineLabel(one, group),
    styleIndex,
    points: points.get(seriesKey(one)) ?? NO_POINTS,
    grain: grains.get(seriesKey(one)) ?? 'raw',
  }));
}

/** The signals of a chart's symbol, at their price; a signal without one goes onto the price line. */
export function markersOf(group: ChartGroup, signals: readonly Signal[], points: MetricsState['points']): Marker[] {
  const [price] = group.series;
  if (!group.isPrice || price === undefined) return [];
  const line = points.get(seriesKey(price)) ?? NO_POINTS;
  return signals.flatMap((signal) => {
    if (signal.symbol !== group.symbol) return [];
    const at = signal.price ?? nearest(line, signal.t)?.avg;
    return at === undefined ? [] : [{ ...signal, price: at }];
  });
}

/** What was traded and held in a chart's symbol, for the chart of its price; undefined for nothing. */
export function tradedIn({ isPrice, symbol }: ChartGroup, traded: ReadonlyMap<string, Traded>): Traded | undefined {
  return isPrice && symbol !== null ? traded.get(symbol) : undefined;
}

/**
 * Judges the movement of a chart's lines: `still` when nothing has moved though there was time for it, `brief` when there was
 * not.
 */
export function motionOf(lines: readonly { readonly points: Points }[]): 'moving' | 'still' | 'brief' {
  const level = lines.every(({ points }) => {
    const [first] = points.min;
    return points.min.every((low, index) => low === first && points.max[index] === first);
  });
  if (!level) return 'moving';
  const fewest = Math.min(...lines.map(({ points }) => points.count.reduce((sum, count) => sum + count, 0)));
  return fewest >= ENOUGH ? 'still' : 'brief';
}

/** First and last instant of all lines; null without any point. */
export function seenIn(all: Iterable<Points>): { readonly first: number; readonly last: number } | null {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { t } of all) {
    first = Math.min(first, t[0] ?? first);
    last = Math.max(last, t.at(-1) ?? last);
  }
  return last === Number.NEGATIVE_INFINITY ? null : { first, last };
}

/** Starts of runs within a time, for rules; empty if there are too many to distinguish. */
export function rulesIn(runs: readonly RunStart[], from: number, to: number): number[] {
  const inside = runs.filter(({ t }) => t >= from && t <= to).map(({ t }) => t);
  return inside.length > MOST_RULES ? [] : inside;
}

/** What a rule about a chart begins with: its first series crosses a line. */
export function ruleOf({ bot_id }: Pick<Bot, 'bot_id'>, { series }: Pick<ChartGroup, 'series'>): RuleStart {
  const [first] = series;
  return { on: 'metric', bot: bot_id, ...(first === undefined ? {} : { metric: first.type, field: first.field }) };
}
