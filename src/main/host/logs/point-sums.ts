import { boundedSum, HOUR, MINUTE } from './rollup-tables.ts';

/** Values of one series in one minute or hour. */
export interface Rollup {
  readonly series: number;
  readonly bucket: number;
  min: number;
  max: number;
  sum: number;
  n: number;
  last: number;
}

/** What the points of a series change in it. */
export interface SeriesUpdate {
  n: number;
  last: number;
  lastAt: number;
  /** The minute of its newest point. */
  minute: Rollup;
}

/** The points of one transaction, summed by series and by minute. */
export class PointSums {
  readonly series = new Map<number, SeriesUpdate>();
  readonly #minutes = new Map<string, Rollup>();

  /** Adds a point; `t` in ms. */
  add(series: number, t: number, value: number): void {
    const bucket = Math.floor(t / MINUTE) * MINUTE;
    const known = this.series.get(series);
    const minute = known?.minute.bucket === bucket ? known.minute : this.#minute(series, bucket, value);
    addValue(minute, value);
    if (known === undefined) this.series.set(series, { n: 1, last: value, lastAt: t, minute });
    else {
      known.n++;
      known.last = value;
      known.lastAt = t;
      known.minute = minute;
    }
  }

  minutes(): Iterable<Rollup> {
    return this.#minutes.values();
  }

  hours(): Iterable<Rollup> {
    const hours = new Map<string, Rollup>();
    for (const minute of this.#minutes.values()) {
      const bucket = Math.floor(minute.bucket / HOUR) * HOUR;
      const key = `${minute.series} ${bucket}`;
      const hour = hours.get(key);
      if (hour === undefined) hours.set(key, { ...minute, bucket });
      else addRollup(hour, minute);
    }
    return hours.values();
  }

  #minute(series: number, bucket: number, value: number): Rollup {
    const key = `${series} ${bucket}`;
    const minute = this.#minutes.get(key) ?? { series, bucket, min: value, max: value, sum: 0, n: 0, last: value };
    this.#minutes.set(key, minute);
    return minute;
  }
}

function addValue(into: Rollup, value: number): void {
  if (value < into.min) into.min = value;
  if (value > into.max) into.max = value;
  into.sum = boundedSum(into.sum, value);
  into.n++;
  into.last = value;
}

function addRollup(into: Rollup, more: Rollup): void {
  if (more.min < into.min) into.min = more.min;
  if (more.max > into.max) into.max = more.max;
  into.sum = boundedSum(into.sum, more.sum);
  into.n += more.n;
  into.last = more.last;
}
