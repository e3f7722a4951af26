import 'uplot/dist/uPlot.min.css';
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { type Columns, toColumns } from './align-series.ts';
import { candleLength, candlesOf } from './candles.ts';
import type { ChartLine, Domain, Dot, Marker, Shade } from './chart-elements.ts';
import type { CursorLink } from './cursor-link.ts';
import { drawCandles, drawDots, drawMarkers, drawRules, drawShades, type Spot, spotAt, spotsOf } from './draw.ts';
import type { Palette } from './line-style.ts';
import { usePalette } from './palette.ts';
import styles from './plot.module.css';
import { followGestures, type Gestures, shownDomain } from './plot-gestures.ts';
import { type LineShape, plotOptions } from './plot-options.ts';
import type { Zone } from './time-labels.ts';

export interface PlotProps {
  readonly lines: readonly ChartLine[];
  readonly markers: readonly Marker[];
  /** Times in which something was held. */
  readonly shades: readonly Shade[];
  /** Trades. */
  readonly dots: readonly Dot[];
  /** Start times of runs: a faint rule each. */
  readonly rules: readonly number[];
  /** Times at which lines are cut, because the bot was away before. */
  readonly breaks: readonly number[];
  readonly domain: Domain;
  /** Id of the line that is drawn as candles; null: all lines are lines. */
  readonly candles: string | null;
  /** Called with the length of the candles that were drawn, in ms: it follows the stretch of time and the width. */
  readonly onCandleLength: (length: number) => void;
  readonly height: number;
  readonly zone: Zone;
  readonly link: CursorLink;
  /** The marker that is shown larger. */
  readonly active: number | null;
  /** Called when a stretch of time was marked by dragging; absent where charts do not zoom. */
  readonly onBrush?: ((domain: Domain) => void) | undefined;
  readonly onReset?: (() => void) | undefined;
  /** Called when the pointer is at a marker (x and y within the plot's box), or has left it. */
  readonly onSpot?: ((spot: Spot | null) => void) | undefined;
  /** Called with the canvas, for pictures; with null when it goes. */
  readonly onCanvas?: ((canvas: HTMLCanvasElement | null) => void) | undefined;
}

/** Current properties for the plot, which lives outside React and reads them when it draws or is pointed at. */
type Latest = Pick<
  PlotProps,
  | 'lines'
  | 'candles'
  | 'onCandleLength'
  | 'markers'
  | 'shades'
  | 'dots'
  | 'rules'
  | 'active'
  | 'link'
  | 'onBrush'
  | 'onReset'
  | 'onSpot'
> & {
  readonly palette: Palette;
};

const toData = ({ t, lines }: Columns): uPlot.AlignedData => [
  t,
  ...lines.flatMap(({ avg, min, max }) => [avg, max, min]),
];

function drawCandlesOf(plot: uPlot, { lines, candles, onCandleLength, palette }: Latest): void {
  const line = lines.find(({ id }) => id === candles);
  const domain = shownDomain(plot);
  if (line === undefined || domain === null) return;
  const length = candleLength(domain, plot.over.clientWidth);
  drawCandles(plot, candlesOf(line.points, length), length, palette);
  onCandleLength(length);
}

function hooks(latest: { readonly current: Latest }): uPlot.Hooks.ArraysOrFuncs {
  return {
    drawAxes: (plot) => {
      drawShades(plot, latest.current.shades, latest.current.palette);
      drawRules(plot, latest.current.rules, latest.current.palette);
      drawCandlesOf(plot, latest.current);
    },
    draw: (plot) => {
      drawDots(plot, latest.current.dots, latest.current.palette);
      drawMarkers(plot, latest.current.markers, latest.current.active, latest.current.palette);
    },
    setCursor: (plot) => {
      const { left = -1, top = -1 } = plot.cursor;
      // New data moves the cursors of all charts; only the one below the pointer has something to say.
      if (left < 0 || !plot.over.matches(':hover')) return;
      const { link, onSpot, markers } = latest.current;
      link.point(plot.posToVal(left, 'x'));
      const spot = spotAt(spotsOf(plot, markers), left, top);
      const { offsetLeft, offsetTop } = plot.over;
      onSpot?.(spot === null ? null : { ...spot, x: spot.x + offsetLeft, y: spot.y + offsetTop });
    },
    setSelect: (plot) => {
      const { left, width } = plot.select;
      if (width <= 0) return;
      const domain = { from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') };
      plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      latest.current.onBrush?.(domain);
    },
  };
}

/** Shows the instant at which the pointer is in another chart. */
function followLink(plot: uPlot, link: CursorLink): () => void {
  return link.follow(() => {
    const left = link.at === null ? -10 : plot.valToPos(link.at, 'x');
    if (Math.abs((plot.cursor.left ?? -10) - left) < 0.5) return;
    plot.setCursor({ left, top: left < 0 ? -10 : 1 }, false);
  });
}

/** Lines over time on a canvas. All other parts of a chart (names, values, words) are around it. */
export function Plot(props: PlotProps) {
  const { lines, breaks, domain, candles, height, zone, link, onCanvas } = props;
  const palette = usePalette();
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const gestures = useRef<Gestures>(null);
  const latest = useRef<Latest>({ ...props, palette });
  latest.current = { ...props, palette };
  const columns = useMemo(
    () =>
      toColumns(
        lines.map((line) => line.points),
        breaks,
      ),
    [lines, breaks],
  );
  const shown = useRef({ columns, domain });
  shown.current = { columns, domain };
  const shapes = lines.map(
    ({ id, styleIndex, grain, isOverlay }): LineShape => ({
      styleIndex,
      isOverlay: isOverlay === true,
      isAverage: grain !== 'raw',
      isCandles: id === candles,
    }),
  );
  const look = JSON.stringify(shapes);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const width = Math.max(80, element.clientWidth);
    const options = plotOptions({ lines: JSON.parse(look), zone, palette, height, width });
    const reset = (): null => {
      latest.current.onReset?.();
      return null;
    };
    const drag = { ...options.cursor?.drag, x: latest.current.onBrush !== undefined };
    const cursor = { ...options.cursor, drag, bind: { dblclick: () => reset } };
    const plugins = [{ hooks: hooks(latest) }];
    const made = new uPlot({ ...options, cursor, plugins }, toData(shown.current.columns), element);
    made.over.addEventListener('mouseleave', () => {
      latest.current.link.point(null);
      latest.current.onSpot?.(null);
    });
    const { from, to } = shown.current.domain;
    made.setScale('x', { min: from, max: to });
    plot.current = made;
    const followed = followGestures(made, () => latest.current.onBrush);
    gestures.current = followed;
    onCanvas?.(made.ctx.canvas);
    const sizes = new ResizeObserver(() => made.setSize({ width: Math.max(80, element.clientWidth), height }));
    sizes.observe(element);
    const unlink = followLink(made, link);
    return () => {
      followed.stop();
      unlink();
      sizes.disconnect();
      onCanvas?.(null);
      plot.current = null;
      made.destroy();
    };
  }, [look, zone, palette, height, link, onCanvas]);

  useEffect(() => {
    // What the hand holds goes on under it.
    const { from, to } = gestures.current?.pending() ?? domain;
    plot.current?.batch(() => {
      plot.current?.setData(toData(columns), false);
      plot.current?.setScale('x', { min: from, max: to });
    });
  }, [columns, domain]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn over the lines is read while drawing
  useEffect(() => plot.current?.redraw(false), [props.markers, props.shades, props.dots, props.rules, props.active]);

  return <div ref={box} className={styles.plot} style={{ height }} aria-hidden="true" />;
}
