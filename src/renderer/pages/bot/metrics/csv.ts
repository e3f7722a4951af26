import { csvCell } from '../../../../shared/csv.ts';
import type { Points } from '../../../../shared/series-points.ts';

interface CsvLine {
  readonly label: string;
  readonly points: Points;
}

/**
 * A chart as CSV: a row for each time, in UTC, a column for each line. A line whose points stand for several samples has
 * columns for the lowest, the highest and their number as well.
 */
export function toCsv(lines: readonly CsvLine[]): string {
  const columns = lines.flatMap(({ label, points }) => {
    const downsampled = points.count.some((count) => count > 1);
    const column = (name: string, values: readonly number[]) => ({
      name,
      at: new Map(points.t.map((time, index) => [time, values[index]])),
    });
    return downsampled
      ? [
          column(`${label} mean`, points.avg),
          column(`${label} min`, points.min),
          column(`${label} max`, points.max),
          column(`${label} samples`, points.count),
        ]
      : [column(label, points.avg)];
  });
  const times = [...new Set(lines.flatMap(({ points }) => points.t))].sort((a, b) => a - b);
  const head = ['time', ...columns.map(({ name }) => csvCell(name))].join(',');
  const rows = times.map((time) =>
    [new Date(time).toISOString(), ...columns.map((column) => column.at.get(time) ?? '')].join(','),
  );
  return `${[head, ...rows].join('\r\n')}\r\n`;
}
