import type { Points } from '../../../shared/series-points.ts';

/** Undefined: this line has no point here. Null: the line ends here. */
export type Column = (number | null | undefined)[];

/** A table with one column of times that ever grow, and three columns a line: its mean, lowest and highest. */
export interface Columns {
  readonly t: number[];
  readonly lines: readonly { readonly avg: Column; readonly min: Column; readonly max: Column }[];
}

/**
 * Lays lines whose points were taken at different times on one column of times. At each of `breaks` (a bot's start) every
 * line is cut, because nothing is known of the time in between.
 */
export function toColumns(lines: readonly Points[], breaks: readonly number[]): Columns {
  const t = [...new Set([...lines.flatMap((line) => line.t), ...breaks])].sort((a, b) => a - b);
  const rows = new Map(t.map((time, row) => [time, row]));
  return { t, lines: lines.map((line) => spread(line, rows, breaks)) };
}

function spread(line: Points, rows: ReadonlyMap<number, number>, breaks: readonly number[]) {
  const empty = (): Column => new Array<number | null | undefined>(rows.size).fill(undefined);
  const columns = { avg: empty(), min: empty(), max: empty() };
  for (const time of breaks) {
    const row = rows.get(time) ?? 0;
    for (const column of [columns.avg, columns.min, columns.max]) column[row] = null;
  }
  for (const [index, time] of line.t.entries()) {
    const row = rows.get(time) ?? 0;
    columns.avg[row] = line.avg[index];
    columns.min[row] = line.min[index];
    columns.max[row] = line.max[index];
  }
  return columns;
}
