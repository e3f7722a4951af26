import type uPlot from 'uplot';
import { formatNumber } from '../number.ts';
import { dashOf, type Palette } from './line-style.ts';
import { tickTexts, type Zone } from './time-labels.ts';
import { padded } from './value-range.ts';

/** Style of a line: values as the bot sent them, or averages, whose lowest and highest values are shown as a band. */
export interface LineShape {
  readonly styleIndex: number;
  readonly isAverage: boolean;
  /** Its candles are drawn instead; it only gives them the scale. */
  readonly isCandles: boolean;
  /** It has the scale at the right for itself. */
  readonly isOverlay: boolean;
}

/** The inputs of a plot, which is rebuilt when any of them changes. */
export interface PlotShape {
  readonly lines: readonly LineShape[];
  readonly zone: Zone;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
}

/** Columns a line takes in the table of a plot: mean, highest, lowest. */
export const COLUMNS_PER_LINE = 3;
const WIDTH = 1.5;
/** Name of the scale of an overlay. */
const OVERLAY = 'overlay';

const colourOf = ({ styleIndex }: LineShape, palette: Palette): string =>
  palette.lines[styleIndex % palette.lines.length] ?? palette.text;

/** Pixels beyond which two points are no neighbours: nothing is known of what a line did between them but its ends. */
const APART = 6;
/** Pixels on each side of a point that still belong to it. */
const BESIDE = 0.75;

/** Cuts the edges of a line, and what is filled between them, where its points lie apart; its mean goes on. */
const apart: uPlot.Series.GapsRefiner = (plot, at, from, to, gaps) => {
  const times = plot.data[0];
  const values = plot.data[at];
  const found = [...gaps];
  let last: number | null = null;
  for (let row = from; row <= to; row++) {
    const time = times[row];
    if (time === undefined || values?.[row] === undefined || values[row] === null) continue;
    const x = plot.valToPos(time, 'x', true);
    const room = BESIDE * devicePixelRatio;
    if (last !== null && x - last > APART * devicePixelRatio) found.push([last + room, x - room]);
    last = x;
  }
  return found.sort(([one], [other]) => one - other);
};

/** Many values in one pixel look as if each of them were drawn: everything from the lowest to the highest is line. */
function lineSeries(line: LineShape, palette: Palette): uPlot.Series[] {
  const scale = line.isOverlay ? OVERLAY : 'y';
  if (line.isCandles) {
    const unseen: uPlot.Series = { scale, width: 0, points: { show: false } };
    return [unseen, unseen, unseen];
  }
  const stroke = colourOf(line, palette);
  const drawn: uPlot.Series = { scale, stroke, width: WIDTH, dash: [...dashOf(line.styleIndex)] };
  const edge: uPlot.Series = line.isAverage ? { scale, width: 0 } : { ...drawn, gaps: apart };
  const end: uPlot.Series = { ...edge, points: { show: false } };
  return [{ ...drawn, points: { size: 5, fill: stroke } }, end, end];
}

function bandOf(line: LineShape, at: number, palette: Palette): uPlot.Band {
  const first = 1 + at * COLUMNS_PER_LINE;
  const colour = colourOf(line, palette);
  return { series: [first + 1, first + 2], fill: line.isAverage ? `${colour}4d` : colour };
}

/** Most values fit, so that charts below one another begin at the same place and one crosshair runs through all. */
const LEAST_AXIS = 60;

/** Width of a value axis: as wide as its longest label. */
function axisWidth(plot: uPlot, values: string[] | null): number {
  const longest = values?.reduce((widest, text) => (text.length > widest.length ? text : widest), '') ?? '';
  plot.ctx.save();
  plot.ctx.font = plot.axes[1]?.font?.[0] ?? plot.ctx.font;
  const width = plot.ctx.measureText(longest).width / devicePixelRatio;
  plot.ctx.restore();
  return Math.max(LEAST_AXIS, Math.ceil(width) + 16);
}

/** Options of uPlot without what reacts to people. */
export function plotOptions({ lines, zone, palette, width, height }: PlotShape): uPlot.Options {
  const font = `11px ${palette.font}`;
  const grid = { stroke: palette.grid, width: 1 };
  const range = (_: uPlot, low: number | null, high: number | null) => padded(low, high);
  const overlay = lines.find(({ isOverlay }) => isOverlay);
  const values: uPlot.Axis = {
    stroke: palette.text,
    font,
    grid,
    ticks: { show: false },
    gap: 6,
    size: axisWidth,
    space: 34,
    values: (_, splits) => splits.map((value) => formatNumber(value)),
  };
  return {
    width,
    height,
    ms: 1,
    legend: { show: false },
    padding: [8, overlay === undefined ? 28 : 0, 0, 0],
    scales: {
      x: { time: true, auto: false },
      y: { range },
      ...(overlay === undefined ? {} : { [OVERLAY]: { range } }),
    },
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 4 },
    },
    axes: [
      {
        stroke: palette.text,
        font,
        grid: { show: false },
        ticks: { ...grid, size: 4 },
        border: { show: true, ...grid },
        size: 40,
        space: 80,
        values: (_, times, __, ___, step) => tickTexts(times, step, zone),
      },
      values,
      // Its numbers have the colour of its line.
      ...(overlay === undefined
        ? []
        : [{ ...values, scale: OVERLAY, side: 1 as const, stroke: colourOf(overlay, palette), grid: { show: false } }]),
    ],
    series: [{}, ...lines.flatMap((line) => lineSeries(line, palette))],
    bands: lines.flatMap((line, at) => (line.isCandles ? [] : bandOf(line, at, palette))),
  };
}
