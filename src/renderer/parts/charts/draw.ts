import type uPlot from 'uplot';
import type { Marker } from './chart-types.ts';
import type { Palette } from './slots.ts';

/** Where a marker stands in the plot, in CSS pixels: its tip touches the price. */
export interface Spot {
  readonly marker: Marker;
  readonly x: number;
  readonly y: number;
}

const SIZE = 7;
const GAP = 5;
/** More markers than this are drawn smaller and without their word. */
const CROWD = 40;
const REACH = 14;
/** Room that a word takes. */
const WORD = 34;

/** The markers that lie in the plot as it is zoomed now. */
export function spotsOf(plot: uPlot, markers: readonly Marker[]): Spot[] {
  const { min, max } = plot.scales.x ?? {};
  if (min === undefined || max === undefined) return [];
  return markers
    .filter(({ t }) => t >= min && t <= max)
    .map((marker) => ({ marker, x: plot.valToPos(marker.t, 'x'), y: plot.valToPos(marker.price, 'y') }));
}

/** The marker below a pointer, where there is one. */
export function spotAt(spots: readonly Spot[], x: number, y: number): Spot | null {
  let best: Spot | null = null;
  let distance = REACH;
  for (const spot of spots) {
    const middle = spot.y + (spot.marker.side === 'BUY' ? GAP + SIZE : -GAP - SIZE);
    const apart = Math.hypot(spot.x - x, middle - y);
    if (apart > distance) continue;
    best = spot;
    distance = apart;
  }
  return best;
}

/** BUY: an arrow up from below the price. SELL: an arrow down from above it. Shape and place say it, not colour alone. */
export function drawMarkers(plot: uPlot, markers: readonly Marker[], active: number | null, palette: Palette): void {
  const spots = spotsOf(plot, markers);
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const crowded = spots.length > CROWD;
  const size = (crowded ? SIZE - 2.5 : SIZE) * ratio;
  const said = { BUY: Number.NEGATIVE_INFINITY, SELL: Number.NEGATIVE_INFINITY };
  ctx.save();
  ctx.font = `600 ${10 * ratio}px ${palette.font}`;
  ctx.textAlign = 'center';
  ctx.lineJoin = 'round';
  for (const { marker, x, y } of spots) {
    const buy = marker.side === 'BUY';
    const down = buy ? 1 : -1;
    const left = bbox.left + x * ratio;
    const tip = bbox.top + (y + down * GAP) * ratio;
    const big = marker.id === active ? 1.45 : 1;
    ctx.beginPath();
    ctx.moveTo(left, tip);
    ctx.lineTo(left - size * 0.85 * big, tip + down * size * 1.5 * big);
    ctx.lineTo(left + size * 0.85 * big, tip + down * size * 1.5 * big);
    ctx.closePath();
    ctx.strokeStyle = palette.surface;
    ctx.lineWidth = 3 * ratio;
    ctx.stroke();
    ctx.fillStyle = buy ? palette.buy : palette.sell;
    ctx.fill();
    // A word over another cannot be read; the arrow says the same.
    const hasRoom = !crowded && x - said[marker.side] > WORD;
    if (!hasRoom && marker.id !== active) continue;
    said[marker.side] = x;
    ctx.textBaseline = buy ? 'top' : 'bottom';
    const beyond = tip + down * (size * 1.5 * big + 3 * ratio);
    ctx.strokeText(marker.side, left, beyond);
    ctx.fillText(marker.side, left, beyond);
  }
  ctx.restore();
}

/** Faint upright lines where a run of the bot began. */
export function drawRules(plot: uPlot, times: readonly number[], palette: Palette): void {
  const { ctx, bbox } = plot;
  const { min, max } = plot.scales.x ?? {};
  if (min === undefined || max === undefined) return;
  ctx.save();
  ctx.strokeStyle = palette.rule;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  for (const time of times) {
    if (time <= min || time > max) continue;
    const x = Math.round(plot.valToPos(time, 'x', true)) + 0.5;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}
