import type { JsonObject } from '../../../contract/common.ts';

/** Most numeric fields of one metric; a metric with more is data, not a chart. */
const MAX_FIELDS = 64;
/** Names longer than this are no field names. */
const MAX_NAME = 200;

/** The numbers of a metric: one value per numeric top-level field, for the metric's `symbol` if it names one. */
export interface MetricPoints {
  readonly symbol: string | null;
  readonly values: readonly (readonly [field: string, value: number])[];
}

/** Finds the numeric top-level fields of a metric's data. */
export function metricPoints(data: JsonObject): MetricPoints {
  const values: [string, number][] = [];
  for (const field of Object.keys(data)) {
    const value = data[field];
    if (typeof value !== 'number' || !Number.isFinite(value) || field.length > MAX_NAME) continue;
    values.push([field.toWellFormed(), value]);
    if (values.length === MAX_FIELDS) break;
  }
  const named = Object.hasOwn(data, 'symbol') ? data.symbol : undefined;
  const symbol = typeof named === 'string' && named !== '' && named.length <= MAX_NAME ? named.toWellFormed() : null;
  return { symbol, values };
}
