import type { ChartLine, Domain } from '../../../components/charts/chart-elements.ts';

/** The newest times at which any of the lines has a point, newest first, and how many there are in all. */
export function tableRowTimes(lines: readonly ChartLine[], { from, to }: Domain, most: number) {
  const times = new Set(lines.flatMap(({ points }) => points.t.filter((t) => t >= from && t <= to)));
  const rows = [...times].sort((a, b) => b - a).slice(0, most);
  return { rows, total: times.size };
}
