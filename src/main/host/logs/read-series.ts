import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalid } from '../../../contract/errors.ts';
import type { SeriesData, SeriesQuery } from '../../../contract/telemetry.ts';
import { parseIsoTime } from '../../../shared/parse-bot-time.ts';
import type { BotLog } from './bot-log.ts';
import type { BotSeries, SeriesPlace, SeriesPoints } from './bot-series.ts';
import { downsample } from './downsample.ts';
import type { SeriesName, SeriesRow } from './log-database-read.ts';
import { PointBuckets } from './point-buckets.ts';
import { type Bucket, type Grain, HOUR, MINUTE, WIDTH } from './rollup-tables.ts';

const DEFAULT_POINTS = 600;
/** Of so many points each is kept in memory; more are counted into buckets while they are read. */
const AT_ONCE = 50_000;
/** Most points read for a bucket where rollups are wider than two of them. Elsewhere rollups give the same picture sooner. */
const MOST_FOR_BUCKET = 2000;
const MAX_MINUTES = 50_000;

interface Window {
  readonly from: number;
  readonly to: number;
}

/**
 * A numeric series downsampled to about `points` buckets that keep minimum and maximum. From raw points if there are
 * few or the rollups are wider than two buckets, else the one-minute or one-hour rollups. Without `symbol`: the series
 * without one, or the only one there is.
 * @throws PlatformError INVALID_REQUEST for a bad time, or when the symbol must be named
 */
export async function readSeries(reader: BotLog | null, query: SeriesQuery): Promise<SeriesData> {
  const series = reader === null ? null : pickSeries(reader.seriesOf(query.type, query.field), query.symbol);
  const span = series === null || reader === null ? null : reader.charts.rollupSpan(series);
  const from = instant('from', query.from) ?? span?.from ?? 0;
  const to = instant('to', query.to) ?? span?.to ?? 0;
  if (reader === null || series === null || span === null || to <= from) return answer(query, series, 'raw', 'raw', []);
  const points = query.points ?? DEFAULT_POINTS;
  const window = { from: Math.max(from, span.from), to: Math.min(to, span.to) };
  const finest = finestGrain(reader.charts, series, window);
  const isCoarse = (window.to - window.from) / WIDTH[finest] < points / 2;
  const raw = await rawBuckets(reader.charts, series, window, {
    grain: finest,
    buckets: points,
    most: isCoarse ? Math.max(AT_ONCE, points * MOST_FOR_BUCKET) : AT_ONCE,
  });
  if (raw !== null) return answer(query, series, 'raw', raw.some(({ n }) => n > 1) ? 'bucket' : 'raw', raw);
  const grain = (window.to - window.from) / MINUTE <= MAX_MINUTES ? finest : 'hour';
  const rows = reader.charts.rollups(grain, series, from, to);
  return rows.length <= points
    ? answer(query, series, grain, grain, rows)
    : answer(query, series, grain, 'bucket', downsample(rows, window, points));
}

/**
 * Finds the finest grain without missing points: minutes expire before their hours, and a bot may report old times
 * late.
 */
function finestGrain(charts: BotSeries, series: SeriesName, window: Window): Grain {
  const from = Math.floor(window.from / HOUR) * HOUR;
  const to = Math.ceil(window.to / HOUR) * HOUR;
  // Points may arrive between two reads: the value that must be complete is read last.
  const hourly = charts.pointCount('hour', series, from, to);
  return charts.pointCount('minute', series, from, to) < hourly ? 'hour' : 'minute';
}

interface RawRules {
  readonly grain: Grain;
  readonly buckets: number;
  /** Most points that may be read. */
  readonly most: number;
}

/**
 * The points of a window, downsampled when there are more than buckets; null if there are too many, or only rollups know
 * some of them.
 */
async function rawBuckets(
  charts: BotSeries,
  series: SeriesName,
  window: Window,
  { grain, buckets, most }: RawRules,
): Promise<Bucket[] | null> {
  const { from, to } = window;
  const about = charts.pointCount(grain, series, from, to);
  if (about > most) return null;
  // At the ends a rollup may include points outside.
  const first = Math.ceil(from / WIDTH[grain]) * WIDTH[grain];
  const end = Math.floor(to / WIDTH[grain]) * WIDTH[grain];
  const known = first < end ? charts.pointCount(grain, series, first, end) : 0;
  let inside = 0;
  const count = (t: number): void => {
    if (t >= first && t < end) inside += 1;
  };
  if (about <= AT_ONCE) {
    const rows = charts.points(series, from, to);
    for (const { t } of rows) count(t);
    if (rows.length === 0 || inside < known) return null;
    const extent = { from: rows[0]?.t ?? from, to: (rows.at(-1)?.t ?? to) + 1 };
    return rows.length <= buckets ? rows : downsample(rows, extent, buckets);
  }
  const found = new PointBuckets(window, buckets);
  let place: SeriesPlace | null = null;
  do {
    const { points, next }: SeriesPoints = charts.somePoints(series, from, to, place);
    for (const [at, t] of (points?.times ?? []).entries()) {
      count(t);
      found.add(t, points?.seqs[at] ?? 0, points?.values[at] ?? 0);
    }
    place = next;
    await nextTurn();
  } while (place !== null);
  const rows = found.rows();
  return rows.length === 0 || inside < known ? null : rows;
}

function pickSeries(found: readonly SeriesRow[], symbol: string | undefined): SeriesRow | null {
  if (symbol !== undefined) return found.find((series) => series.symbol === symbol) ?? null;
  const plain = found.find((series) => series.symbol === '');
  if (plain !== undefined || found.length <= 1) return plain ?? found[0] ?? null;
  const names = found.map((series) => series.symbol);
  const shown = names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
  throw invalid('INVALID_REQUEST', [
    { path: 'symbol', message: `this field has a series for each of ${names.length} symbols: name one of ${shown}` },
  ]);
}

function instant(path: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = parseIsoTime(text);
  if (ms === null) throw invalid('INVALID_REQUEST', [{ path, message: `"${text}" is not an RFC 3339 time` }]);
  return ms;
}

function answer(
  query: SeriesQuery,
  series: SeriesRow | null,
  grain: SeriesData['grain'],
  resolution: SeriesData['resolution'],
  rows: readonly Bucket[],
): SeriesData {
  const symbol = series === null ? (query.symbol ?? null) : series.symbol === '' ? null : series.symbol;
  return {
    bot_id: query.bot_id,
    type: query.type,
    field: query.field,
    symbol,
    grain,
    resolution,
    t: rows.map((row) => row.t),
    min: rows.map((row) => row.min),
    max: rows.map((row) => row.max),
    avg: rows.map((row) => row.sum / row.n),
    last: rows.map((row) => row.last),
    count: rows.map((row) => row.n),
  };
}
