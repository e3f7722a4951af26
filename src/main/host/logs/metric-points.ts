import type { JsonObject } from '../../../contract/common.ts';

/** Numeric fields of one metric that are points; a metric with more is data, not a chart. */
export const MOST_POINTS = 64;
/** Limit of the length of a field name. */
const MAX_NAME = 200;

/** Points of a metric: one value per numeric top-level field, for the metric's `symbol` if it names one. */
export interface MetricPoints {
  readonly symbol: string | null;
  readonly values: readonly (readonly [field: string, value: number])[];
}

/** Fields of a metric that name its symbol, and their lists. */
const SYMBOL_KEYS: ReadonlySet<string> = new Set(
  ['symbol', 'ticker', 'pair', 'market', 'instrument'].flatMap((key) => [key, `${key}s`]),
);
const LONGEST_SYMBOL = 100;
/** Limits of the search for symbols in one metric: deeper nesting counts as data. */
const SYMBOLS_DEEP = 4;
const MOST_VALUES = 500;

/**
 * Returns the symbols of a metric: the texts of its fields `symbol`, `ticker`, `pair`, `market` and `instrument`, of
 * lists of those names, and of objects within it.
 */
export function symbolsIn(data: JsonObject): string[] {
  const found = new Set<string>();
  let left = MOST_VALUES;
  const look = (value: unknown, named: boolean, deep: number): void => {
    left -= 1;
    if (left < 0) return;
    if (typeof value === 'string') {
      if (named && value !== '' && value.length <= LONGEST_SYMBOL) found.add(value.toWellFormed());
    } else if (typeof value === 'object' && value !== null && deep > 0) {
      if (Array.isArray(value)) for (const item of value) look(item, named, deep - 1);
      else for (const key of Object.keys(value)) look((value as JsonObject)[key], SYMBOL_KEYS.has(key), deep - 1);
    }
  };
  look(data, false, SYMBOLS_DEEP);
  return [...found];
}

/** Finds the numeric top-level fields of a metric, except `timestamp` where that is its time. */
export function metricPoints(data: JsonObject, time: number | null = null): MetricPoints {
  const values: [string, number][] = [];
  for (const field of Object.keys(data)) {
    const value = data[field];
    if (typeof value !== 'number' || !Number.isFinite(value) || field.length > MAX_NAME) continue;
    if (time !== null && field === 'timestamp') continue;
    values.push([field.toWellFormed(), value]);
    if (values.length === MOST_POINTS) break;
  }
  const named = Object.hasOwn(data, 'symbol') ? data.symbol : undefined;
  const symbol = typeof named === 'string' && named !== '' && named.length <= MAX_NAME ? named.toWellFormed() : null;
  return { symbol, values };
}
