import { counted } from '../../../shared/counted.ts';
import { extent } from '../../../shared/series-points.ts';
import { formatNumber } from '../number.ts';
import type { ChartLine, Domain, Dot, Marker, Shade } from './chart-elements.ts';
import { instantText, type Zone } from './time-labels.ts';

interface Described {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly markers: readonly Marker[];
  readonly shades: readonly Shade[];
  readonly dots: readonly Dot[];
  /** Older trades than those of this time are missing; null: none are. */
  readonly tradedFrom: number | null;
  readonly domain: Domain;
  readonly zone: Zone;
}

/** A chart in words, for people who cannot see it. */
export function describeChart({ title, lines, markers, shades, dots, tradedFrom, domain, zone }: Described): string {
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
  const trades = dots.filter(({ t }) => t >= from && t <= to).length;
  const fills = trades === 0 ? [] : [`${counted(trades, 'fill')}.`];
  const cut =
    tradedFrom === null ? [] : [`Trades are shown from ${instantText(tradedFrom, zone)}: the ledger has older ones.`];
  const when = `From ${instantText(from, zone)} to ${instantText(to, zone)} ${zone === 'UTC' ? 'UTC' : 'local time'}.`;
  return [`${title}.`, when, ...words, ...signals, ...fills, ...heldIn(shades, domain, zone), ...cut].join(' ');
}

/** What was held within a time, in words. */
function heldIn(shades: readonly Shade[], { from, to }: Domain, zone: Zone): string[] {
  const inside = shades.filter((shade) => shade.from <= to && (shade.to ?? to) >= from);
  if (inside.length === 0) return [];
  const now = inside
    .filter((shade) => shade.to === null)
    .map((shade) => `${shade.side} since ${instantText(shade.from, zone)}`);
  return [`${counted(inside.length, 'position')} held${now.length === 0 ? '' : `, ${now.join(' and ')}`}.`];
}
