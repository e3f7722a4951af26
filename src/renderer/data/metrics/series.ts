import type { MetricEvent, MetricOverview, MetricSeriesInfo } from '../../../contract/telemetry.ts';

/** Fields of one metric that become series; the host has the same limit. */
const MOST_FIELDS = 64;

/** Fields that tell the series of a bot apart. */
export type SeriesName = Pick<MetricSeriesInfo, 'type' | 'field' | 'symbol'>;

/** Key of a series, as one text. */
export const seriesKey = ({ type, field, symbol }: SeriesName): string => JSON.stringify([type, field, symbol]);

/** Returns the time of a metric in ms since the epoch: the bot's own time where it gave one, as on the host. */
export const timeOf = ({ time, ts }: Pick<MetricEvent, 'time' | 'ts'>): number => Date.parse(time ?? ts);

/** The symbol that a metric is about. */
export function symbolOf(data: MetricEvent['data']): string | null {
  const named = data.symbol;
  return typeof named === 'string' && named !== '' ? named : null;
}

/** The numbers of a metric, found as the host finds them: one a numeric field of the first level. */
export function numbersOf(event: MetricEvent): { readonly name: SeriesName; readonly value: number }[] {
  const symbol = symbolOf(event.data);
  return Object.entries(event.data)
    .flatMap(([field, value]) =>
      typeof value === 'number' && Number.isFinite(value) ? [{ name: { type: event.type, field, symbol }, value }] : [],
    )
    .slice(0, MOST_FIELDS);
}

/** Returns the overview of a bot's metrics after further events; those that it includes already do not count again. */
export function withEvents(overview: MetricOverview, events: readonly MetricEvent[]): MetricOverview {
  const types = new Map(overview.types.map((one) => [one.type, one]));
  const series = new Map(overview.series.map((one) => [seriesKey(one), one]));
  const known = Math.max(...overview.types.map(({ latest }) => latest.seq));
  for (const event of events) {
    if (event.seq <= known) continue;
    types.set(event.type, { type: event.type, count: (types.get(event.type)?.count ?? 0) + 1, latest: event });
    for (const { name, value } of numbersOf(event)) {
      const key = seriesKey(name);
      const count = (series.get(key)?.count ?? 0) + 1;
      series.set(key, { ...name, count, last: value, last_at: event.time ?? event.ts });
    }
  }
  return { ...overview, types: [...types.values()], series: [...series.values()] };
}
