import { counted } from '../../../shared/counted.ts';
import { extent } from '../../../shared/series-points.ts';
import { formatNumber } from '../number.ts';
import type { ChartLine, Domain, Marker } from './chart-types.ts';
import { instantText, type Zone } from './time-labels.ts';

/** A chart in words, for people who cannot see it. */
export function describeChart(
  title: string,
  lines: readonly ChartLine[],
  markers: readonly Marker[],
  domain: Domain,
  zone: Zone,
): string {
  const { from, to } = domain;
  const words = lines.map((line) => {
    const found = extent(line.points, from, to);
    if (found === null) return `${line.label}: no samples.`;
    const moved = found.last > found.first ? 'up' : found.last < found.first ? 'down' : 'unchanged';
    return (
      `${line.label}: latest ${formatNumber(found.last)}, ${moved} from ${formatNumber(found.first)}, ` +
      `lowest ${formatNumber(found.min)}, highest ${formatNumber(found.max)}, ${counted(found.samples, 'sample')}.`
    );
  });
  const inside = markers.filter(({ t }) => t >= from && t <= to);
  const buys = inside.filter(({ side }) => side === 'BUY').length;
  const signals = inside.length === 0 ? [] : [`${buys} BUY and ${inside.length - buys} SELL signals.`];
  const when = `From ${instantText(from, zone)} to ${instantText(to, zone)} ${zone === 'UTC' ? 'UTC' : 'local time'}.`;
  return [`${title}.`, when, ...words, ...signals].join(' ');
}
