import type uPlot from 'uplot';
import type { Candle } from './candles.ts';
import type { Dot, Marker, Shade } from './chart-elements.ts';
import type { Palette } from './line-style.ts';

/** Position of a marker in the plot, in CSS pixels: its tip touches the price. */
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

/** Returns the markers that lie in the plot at its present zoom. */
export function spotsOf(plot: uPlot, markers: readonly Marker[]): Spot[] {
  const { min, max } = plot.scales.x ?? {};
  if (min === undefined || max === undefined) return [];
  return markers
    .filter(({ t }) => t >= min && t <= max)
    .map((marker) => ({ marker, x: plot.valToPos(marker.t, 'x'), y: plot.valToPos(marker.price, 'y') }));
}

/** Returns the marker below a pointer; null without one. */
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

interface Arrow extends Spot {
  /** 1: it points up from below the price; -1: down from above it. */
  readonly down: 1 | -1;
  readonly colour: string;
  /** Length, in pixels of the canvas. */
  readonly length: number;
}

/**
 * Draws BUY as an arrow up from below the price, SELL as an arrow down from above it: shape and place say it, not colour alone.
 */
export function drawMarkers(plot: uPlot, markers: readonly Marker[], active: number | null, palette: Palette): void {
  const spots = spotsOf(plot, markers);
  const crowded = spots.length > CROWD;
  const size = (crowded ? SIZE - 2.5 : SIZE) * 1.5 * devicePixelRatio;
  const arrows = spots.map((spot): Arrow => {
    const buy = spot.marker.side === 'BUY';
    const length = spot.marker.id === active ? size * 1.45 : size;
    return { ...spot, down: buy ? 1 : -1, colour: buy ? palette.buy : palette.sell, length };
  });
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = palette.surface;
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.lineJoin = 'round';
  for (const arrow of arrows) drawArrow(plot, arrow);
  ctx.font = `600 ${10 * devicePixelRatio}px ${palette.font}`;
  ctx.textAlign = 'center';
  const said = { BUY: Number.NEGATIVE_INFINITY, SELL: Number.NEGATIVE_INFINITY };
  for (const arrow of arrows) {
    const { marker, x } = arrow;
    // A word over another cannot be read; the arrow says the same.
    if (marker.id !== active && (crowded || x - said[marker.side] <= WORD)) continue;
    said[marker.side] = x;
    drawWord(plot, arrow);
  }
  ctx.restore();
}

function tipOf({ bbox }: uPlot, { x, y, down }: Arrow): { readonly x: number; readonly y: number } {
  return { x: bbox.left + x * devicePixelRatio, y: bbox.top + (y + down * GAP) * devicePixelRatio };
}

function drawArrow(plot: uPlot, arrow: Arrow): void {
  const { ctx } = plot;
  const { down, length, colour } = arrow;
  const { x, y } = tipOf(plot, arrow);
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x - length * 0.57, y + down * length);
  ctx.lineTo(x + length * 0.57, y + down * length);
  ctx.closePath();
  ctx.stroke();
  ctx.fillStyle = colour;
  ctx.fill();
}

function drawWord(plot: uPlot, arrow: Arrow): void {
  const { ctx } = plot;
  const { marker, down, length, colour } = arrow;
  const { x, y } = tipOf(plot, arrow);
  const beyond = y + down * (length + 3 * devicePixelRatio);
  ctx.textBaseline = down === 1 ? 'top' : 'bottom';
  ctx.strokeText(marker.side, x, beyond);
  ctx.fillStyle = colour;
  ctx.fillText(marker.side, x, beyond);
}

/** Share of its room that the body of a candle takes. */
const BODY = 0.7;

/** Draws candles: hollow ones rose and filled ones fell, so that shape says it as well as colour. */
export function drawCandles(plot: uPlot, candles: readonly Candle[], length: number, palette: Palette): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = devicePixelRatio;
  for (const { t, open, high, low, close } of candles) {
    const [left, right] = [plot.valToPos(t, 'x', true), plot.valToPos(t + length, 'x', true)];
    if (right < bbox.left || left > bbox.left + bbox.width) continue;
    const [top, bottom] = [Math.max(open, close), Math.min(open, close)].map((value) =>
      plot.valToPos(value, 'y', true),
    );
    if (top === undefined || bottom === undefined) continue;
    const middle = Math.round((left + right) / 2) + 0.5;
    const width = Math.max(1, Math.round((right - left) * BODY));
    const rose = close >= open;
    ctx.strokeStyle = rose ? palette.buy : palette.sell;
    ctx.fillStyle = rose ? palette.surface : palette.sell;
    ctx.beginPath();
    ctx.moveTo(middle, plot.valToPos(high, 'y', true));
    ctx.lineTo(middle, plot.valToPos(low, 'y', true));
    ctx.stroke();
    const body = [Math.round(middle - width / 2) + 0.5, top, width, Math.max(devicePixelRatio, bottom - top)] as const;
    ctx.fillRect(...body);
    ctx.strokeRect(...body);
  }
  ctx.restore();
}

/** Share of the colour in a shade: lines and grid stay readable over it. */
const SHADE = 0.09;
/** Thickness of the bar along a shade, in pixels: below for long, above for short, so that place says it as well as colour. */
const BAR = 3;

/** Shades the times in which something was held, over the whole height of the plot. */
export function drawShades(plot: uPlot, shades: readonly Shade[], palette: Palette): void {
  const { ctx, bbox } = plot;
  const right = bbox.left + bbox.width;
  const bar = BAR * devicePixelRatio;
  ctx.save();
  for (const { side, from, to } of shades) {
    const begin = Math.max(bbox.left, plot.valToPos(from, 'x', true));
    const end = to === null ? right : Math.min(right, plot.valToPos(to, 'x', true));
    if (end < bbox.left || begin > right) continue;
    // A trade of a moment is a line.
    const width = Math.max(devicePixelRatio, end - begin);
    ctx.fillStyle = side === 'long' ? palette.buy : palette.sell;
    ctx.globalAlpha = SHADE;
    ctx.fillRect(begin, bbox.top, width, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(begin, side === 'long' ? bbox.top + bbox.height - bar : bbox.top, width, bar);
  }
  ctx.restore();
}

const DOT = 3;

/** Draws trades as dots at their price, filled for BUY and hollow for SELL. More than can be told apart are left out. */
export function drawDots(plot: uPlot, dots: readonly Dot[], palette: Palette): void {
  const { ctx, bbox } = plot;
  const { min, max } = plot.scales.x ?? {};
  if (min === undefined || max === undefined) return;
  const inside = dots.filter(({ t }) => t >= min && t <= max);
  if (inside.length * DOT > bbox.width / devicePixelRatio) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  // The line that was drawn last may have left its dashes.
  ctx.setLineDash([]);
  for (const { t, side, price } of inside) {
    ctx.beginPath();
    ctx.arc(plot.valToPos(t, 'x', true), plot.valToPos(price, 'y', true), DOT * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fillStyle = side === 'BUY' ? palette.buy : palette.surface;
    ctx.strokeStyle = side === 'BUY' ? palette.surface : palette.sell;
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}

/** Draws faint upright lines where a run of the bot began. */
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
