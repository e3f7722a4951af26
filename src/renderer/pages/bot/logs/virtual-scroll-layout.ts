/** Height of a line that is not broken, in px. */
export const LINE_PX = 21;
/** Height of a rule between lines. */
export const RULE_PX = 30;
/** Most height of unloaded lines: browsers allow no elements taller than 2^25 px. */
const MOST_PX = 12_000_000;
/** Room left for lines that the window does not hold, so that the person can always scroll towards them. */
const LEAST_PX = 1500;

/** Returns the offset of each row below the first one; one more number than rows, the last is the end of the last row. */
export function edgesOf(heights: readonly number[]): Float64Array {
  const edges = new Float64Array(heights.length + 1);
  let sum = 0;
  for (const [index, height] of heights.entries()) {
    sum += height;
    edges[index + 1] = sum;
  }
  return edges;
}

/** Index of the row at a height. */
export function rowAt(edges: Float64Array, y: number): number {
  let low = 0;
  let high = edges.length - 1;
  while (low < high - 1) {
    const middle = (low + high) >>> 1;
    if ((edges[middle] ?? 0) <= y) low = middle;
    else high = middle;
  }
  return low;
}

/** A window in the whole log, in seqs. */
export interface Place {
  readonly first: number;
  readonly last: number;
  /** First and last line that the window holds. */
  readonly from: number;
  readonly to: number;
  readonly atStart: boolean;
  readonly atEnd: boolean;
  /** Lines for each seq, as far as is known: between 0 and 1. */
  readonly density: number;
}

export const pxPerSeq = ({ first, last, density }: Place): number =>
  Math.min(density * LINE_PX, MOST_PX / Math.max(1, last - first));

/** The empty room above the window that stands for older lines. */
export function roomAbove(place: Place): number {
  return place.atStart ? 0 : Math.max(LEAST_PX, Math.max(0, place.from - place.first) * pxPerSeq(place));
}

/** The empty room below the window that stands for newer lines. */
export function roomBelow(place: Place): number {
  return place.atEnd ? 0 : Math.max(LEAST_PX, Math.max(0, place.last - place.to) * pxPerSeq(place));
}

/** Returns the seq at a height `y` of the list, whose window begins at `top` and is `height` tall; null inside of the window. */
export function seqAt(place: Place, y: number, top: number, height: number): number | null {
  if (y >= top && y <= top + height) return null;
  if (y < top) return Math.round(place.first + Math.max(0, place.from - place.first) * (Math.max(0, y) / top));
  const part = Math.min(1, (y - top - height) / Math.max(1, roomBelow(place)));
  return Math.round(place.to + Math.max(0, place.last - place.to) * part);
}
