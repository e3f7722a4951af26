import type { MetricSeriesInfo } from '../../../contract/telemetry.ts';
import { seriesKey } from './series.ts';
import { SIGNAL } from './signals.ts';

/** Series in one chart, because they belong together and have one scale. */
export interface ChartGroup {
  /** Stays the same while the chart gains series. */
  readonly id: string;
  readonly title: string;
  readonly symbol: string | null;
  readonly series: readonly MetricSeriesInfo[];
  /** BUY and SELL of its symbol are marked on its first series. */
  readonly isPrice: boolean;
}

/** Most lines that a reader can tell apart. */
const MOST_LINES = 6;
/** Values further apart than this would flatten one another. */
const BAND = 2;
/** A series drawn over a price must be within this factor of it. */
const NEAR_PRICE = 1.5;
const PRICE_FIELDS = ['price', 'close', 'value', 'last', 'mid', 'mark'];
const PRICE_TYPES = ['price', 'ticker', 'quote', 'candle', 'bar', 'tick'];

const isNear = (a: number, b: number, factor: number): boolean =>
  a === b || (a !== 0 && b !== 0 && a > 0 === b > 0 && Math.abs(a / b) <= factor && Math.abs(b / a) <= factor);

/** The price series of a symbol; for a bot without one, the price in its signals. */
function priceOf(series: readonly MetricSeriesInfo[]): MetricSeriesInfo | undefined {
  for (const type of PRICE_TYPES) {
    for (const field of PRICE_FIELDS) {
      const found = series.find((one) => one.type === type && one.field === field);
      if (found !== undefined) return found;
    }
  }
  return (
    series.find((one) => one.type !== SIGNAL && one.field === 'price') ??
    series.find((one) => one.type === SIGNAL && one.field === 'price')
  );
}

function priceChart(symbol: string | null, all: readonly MetricSeriesInfo[]): ChartGroup | null {
  const price = priceOf(all);
  if (price === undefined) return null;
  const beside = all.filter(
    (one) => one !== price && one.type !== SIGNAL && isNear(one.last ?? 0, price.last ?? 0, NEAR_PRICE),
  );
  const title = symbol === null ? price.type : symbol;
  const series = [price, ...beside].slice(0, MOST_LINES);
  return { id: `price ${symbol ?? ''}`, title, symbol, series, isPrice: true };
}

/** Splits the series of a type so that each chart has one scale. */
function bands(series: readonly MetricSeriesInfo[]): MetricSeriesInfo[][] {
  const found: MetricSeriesInfo[][] = [];
  for (const one of series) {
    const fits = found.find(
      (band) => band.length < MOST_LINES && band.every((other) => isNear(other.last ?? 0, one.last ?? 0, BAND)),
    );
    if (fits === undefined) found.push([one]);
    else fits.push(one);
  }
  return found;
}

/** Charts for the series of a bot: for each symbol its price first, overlaid with series of the same scale. */
export function chartGroups(series: readonly MetricSeriesInfo[]): readonly ChartGroup[] {
  const bySymbol = Map.groupBy(series, (one) => one.symbol);
  const prices: ChartGroup[] = [];
  const others: ChartGroup[] = [];
  for (const [symbol, all] of bySymbol) {
    const price = priceChart(symbol, all);
    if (price !== null) prices.push(price);
    const rest = all.filter((one) => price?.series.includes(one) !== true && one.type !== SIGNAL);
    for (const [type, ofType] of Map.groupBy(rest, (one) => one.type)) {
      for (const band of bands(ofType)) others.push(group(type, symbol, band));
    }
  }
  return [...prices, ...others];
}

function group(type: string, symbol: string | null, series: readonly MetricSeriesInfo[]): ChartGroup {
  const [first] = series;
  const name = series.length === 1 && first !== undefined ? seriesName(first) : type;
  const title = symbol === null ? name : `${symbol} ${name}`;
  return { id: first === undefined ? type : seriesKey(first), title, symbol, series, isPrice: false };
}

/** Keeps series in their place: new ones are only added, as long as no series has gone. */
export function keepGroups(before: readonly ChartGroup[], series: readonly MetricSeriesInfo[]): readonly ChartGroup[] {
  const known = new Set(before.flatMap((one) => one.series.map(seriesKey)));
  const fresh = chartGroups(series);
  const same = fresh.flatMap((one) => one.series).every((one) => known.has(seriesKey(one)));
  // Also for empty lists: the caller compares the result by identity.
  return same && (before.length > 0 || fresh.length === 0) ? before : fresh;
}

/** A series in words, without its symbol: the field, and its type where the field does not say it already. */
export function seriesName({ type, field }: Pick<MetricSeriesInfo, 'type' | 'field'>): string {
  if (field === 'value') return type;
  return field.includes(type) ? field : `${type} ${field}`;
}

/** Returns the name of a line within its chart; omits the type when all lines share it, except in a price chart. */
export function lineLabel(one: MetricSeriesInfo, { series, isPrice }: ChartGroup): string {
  const sameType = series.every(({ type }) => type === one.type);
  return sameType && !isPrice ? one.field : seriesName(one);
}
