import { invalid } from '../../contract/errors.ts';
import type { SeriesData, SeriesQuery } from '../../contract/telemetry.ts';
import type { BotLog } from '../store/bot-log.ts';
import type { BotSeries } from '../store/bot-series.ts';
import type { SeriesName, SeriesRow } from '../store/log-database-read.ts';
import type { Bucket } from '../store/rollup-tables.ts';
import { parseIsoTime } from './bot-time.ts';
import { thin } from './thin.ts';

const DEFAULT_POINTS = 600;
/** Raw points are read up to here; beyond, rollups give the same picture at a fraction (performance.md section 2). */
const MAX_RAW = 50_000;
const MAX_MINUTES = 50_000;
const MINUTE = 60_000;

/**
 * A numeric series thinned to about `points` buckets that keep minimum and maximum. Raw points while few enough, else
 * the one-minute or one-hour rollups. Without `symbol`: the series without one, or the only one there is.
 * @throws PlatformError INVALID_REQUEST for a bad time, or when the symbol must be named
 */
export function readSeries(reader: BotLog | null, query: SeriesQuery): SeriesData {
  const series = reader === null ? null : pickSeries(reader.seriesOf(query.type, query.field), query.symbol);
  const span = series === null || reader === null ? null : reader.charts.rollupSpan(series);
  const from = instant('from', query.from) ?? span?.from ?? 0;
  const to = instant('to', query.to) ?? span?.to ?? 0;
  if (reader === null || series === null || span === null || to <= from) return answer(query, series, 'raw', []);
  const points = query.points ?? DEFAULT_POINTS;
  const window = { from: Math.max(from, span.from), to: Math.min(to, span.to) };
  if (reader.charts.pointCount(series, from, to) <= MAX_RAW) {
    const raw = reader.charts.points(series, from, to, MAX_RAW + 1);
    // Old points are gone while their rollups stay: then the rollups are the whole truth.
    if (raw.length > 0 && covers(raw, reader.charts, series, window.from)) {
      const extent = { from: raw[0]?.t ?? window.from, to: (raw.at(-1)?.t ?? window.to) + 1 };
      return raw.length <= points
        ? answer(query, series, 'raw', raw)
        : answer(query, series, 'bucket', thin(raw, extent, points));
    }
  }
  const minutes = (window.to - window.from) / MINUTE;
  const grain = minutes <= MAX_MINUTES && window.from >= span.minutesFrom ? 'minute' : 'hour';
  const rows = reader.charts.rollups(grain, series, from, to);
  return rows.length <= points
    ? answer(query, series, grain, rows)
    : answer(query, series, 'bucket', thin(rows, window, points));
}

function covers(raw: readonly Bucket[], charts: BotSeries, series: SeriesName, from: number): boolean {
  const first = raw[0];
  return first !== undefined && charts.pointCount(series, from, Math.floor(first.t / MINUTE) * MINUTE) === 0;
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
  resolution: SeriesData['resolution'],
  rows: readonly Bucket[],
): SeriesData {
  const symbol = series === null ? (query.symbol ?? null) : series.symbol === '' ? null : series.symbol;
  return {
    bot_id: query.bot_id,
    type: query.type,
    field: query.field,
    symbol,
    resolution,
    t: rows.map((row) => row.t),
    min: rows.map((row) => row.min),
    max: rows.map((row) => row.max),
    avg: rows.map((row) => row.sum / row.n),
    last: rows.map((row) => row.last),
    count: rows.map((row) => row.n),
  };
}
