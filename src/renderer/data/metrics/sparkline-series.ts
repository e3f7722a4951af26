import type { MetricSeriesInfo } from '../../../contract/telemetry.ts';
import { chartGroups, seriesName } from './chart-groups.ts';

/** Series that are about as new as the newest count as newest: of those the first chart's is shown. */
const SAME_MS = 60_000;
/** What an account is worth, under the names that the ledger reads. */
const WORTH = new Set(['equity', 'portfolio_value']);

/**
 * The series to show of a bot in small: the most telling one among the newest. A bot about one symbol shows its price, one
 * about several, or about none, what its account is worth.
 */
function newestSeries(series: readonly MetricSeriesInfo[]): MetricSeriesInfo | null {
  const times = series.map(({ last_at }) => (last_at === null ? 0 : Date.parse(last_at)));
  const newest = Math.max(...times);
  const fresh = series.filter((_, index) => (times[index] ?? 0) >= newest - SAME_MS);
  const groups = chartGroups(fresh);
  const prices = groups.filter(({ isPrice, series: [first] }) => isPrice && first?.type !== 'position');
  const worth = fresh.find(({ type, field }) => WORTH.has(type) && field === 'value');
  return (prices.length === 1 ? prices[0]?.series[0] : worth) ?? groups[0]?.series[0] ?? null;
}

/** The series of a bot that a small line shows: the one of the wished name, else the most telling one. */
export function sparklineSeries(series: readonly MetricSeriesInfo[], wish: string | null): MetricSeriesInfo | null {
  return series.find((one) => seriesName(one) === wish) ?? newestSeries(series);
}
