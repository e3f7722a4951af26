/**
 * A numeric series as the host downsamples it: one entry stands for `count` samples from `t` on. Arrays run in parallel and `t`
 * (ms since the epoch) only grows.
 */
export interface Points {
  readonly t: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly avg: readonly number[];
  readonly last: readonly number[];
  readonly count: readonly number[];
}

/** One sample as a bot emitted it. */
export interface Sample {
  readonly t: number;
  readonly value: number;
}

export const NO_POINTS: Points = { t: [], min: [], max: [], avg: [], last: [], count: [] };

/** Index of the first point at or after an instant. */
export function firstAt(t: readonly number[], at: number): number {
  let low = 0;
  let high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((t[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function part(points: Points, from: number, to: number): Points {
  return {
    t: points.t.slice(from, to),
    min: points.min.slice(from, to),
    max: points.max.slice(from, to),
    avg: points.avg.slice(from, to),
    last: points.last.slice(from, to),
    count: points.count.slice(from, to),
  };
}

/** Appends samples, leaving out those not newer than the last point, which the host has sent before. */
export function append(points: Points, samples: readonly Sample[]): Points {
  const next = {
    t: [...points.t],
    min: [...points.min],
    max: [...points.max],
    avg: [...points.avg],
    last: [...points.last],
    count: [...points.count],
  };
  for (const { t, value } of samples) {
    if (t <= (next.t.at(-1) ?? Number.NEGATIVE_INFINITY)) continue;
    next.t.push(t);
    next.min.push(value);
    next.max.push(value);
    next.avg.push(value);
    next.last.push(value);
    next.count.push(1);
  }
  return next;
}

/** Drops the points before an instant, except the last of them: the line enters the chart from there. */
export function dropBefore(points: Points, at: number): Points {
  const first = firstAt(points.t, at) - 1;
  return first <= 0 ? points : part(points, first, points.t.length);
}

/**
 * Adds to the points of a stretch its neighbours in a coarser series, so that lines cross the edges of the chart instead of
 * ending inside it.
 */
export function framed(stretch: Points, coarse: Points): Points {
  const [first, last] = [stretch.t[0], stretch.t.at(-1)];
  if (first === undefined || last === undefined) return stretch;
  const before = firstAt(coarse.t, first) - 1;
  const after = firstAt(coarse.t, last + 1);
  return joined([part(coarse, Math.max(0, before), Math.max(0, before + 1)), stretch, part(coarse, after, after + 1)]);
}

function joined(parts: readonly Points[]): Points {
  const all = (field: keyof Points): number[] => parts.flatMap((one) => one[field]);
  return { t: all('t'), min: all('min'), max: all('max'), avg: all('avg'), last: all('last'), count: all('count') };
}

/** Halves the points while there are more than `most`; minimum, maximum and mean stay exact. */
export function downsample(points: Points, most: number): Points {
  let downsampled = points;
  while (downsampled.t.length > most) downsampled = halve(downsampled);
  return downsampled;
}

function halve(points: Points): Points {
  const next: { [K in keyof Points]: number[] } = { t: [], min: [], max: [], avg: [], last: [], count: [] };
  for (let i = 0; i < points.t.length; i += 2) {
    const [a, b] = [at(points, i), at(points, i + 1)];
    if (a === null) break;
    const count = a.count + (b?.count ?? 0);
    next.t.push(a.t);
    next.min.push(Math.min(a.min, b?.min ?? a.min));
    next.max.push(Math.max(a.max, b?.max ?? a.max));
    next.avg.push((a.avg * a.count + (b === null ? 0 : b.avg * b.count)) / count);
    next.last.push(b?.last ?? a.last);
    next.count.push(count);
  }
  return next;
}

/** One point of a series. */
export interface Point {
  readonly t: number;
  readonly min: number;
  readonly max: number;
  readonly avg: number;
  readonly last: number;
  readonly count: number;
}

/** The point at an index; null beyond the ends. */
export function at(points: Points, index: number): Point | null {
  const t = points.t[index];
  if (t === undefined) return null;
  const avg = points.avg[index] ?? 0;
  const { min, max, last, count } = points;
  return {
    t,
    avg,
    min: min[index] ?? avg,
    max: max[index] ?? avg,
    last: last[index] ?? avg,
    count: count[index] ?? 1,
  };
}

/** The point nearest to an instant; null without points. */
export function nearest(points: Points, instant: number): Point | null {
  const after = firstAt(points.t, instant);
  const [left, right] = [at(points, after - 1), at(points, after)];
  if (left === null || right === null) return left ?? right;
  return instant - left.t <= right.t - instant ? left : right;
}

/** Lowest, highest, first and last value within a time; null without points. */
export function extent(points: Points, from: number, to: number) {
  const begin = firstAt(points.t, from);
  const end = firstAt(points.t, to + 1);
  const [first, last] = [at(points, begin), at(points, end - 1)];
  if (end <= begin || first === null || last === null) return null;
  let { min, max } = first;
  let samples = 0;
  for (let i = begin; i < end; i++) {
    const point = at(points, i);
    if (point === null) continue;
    min = Math.min(min, point.min);
    max = Math.max(max, point.max);
    samples += point.count;
  }
  return { min, max, first: first.avg, last: last.last, samples };
}

/** True where points stand for more than one sample. */
export const isDownsampled = (points: Points): boolean => points.count.some((count) => count > 1);
