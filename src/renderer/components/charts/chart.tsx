import {
  BellPlus,
  ChartCandlestick,
  FileSpreadsheet,
  Image,
  Layers2,
  Maximize,
  Minimize,
  Pin,
  PinOff,
} from 'lucide-react';
import { useCallback, useId, useMemo, useRef, useState } from 'react';
import { extent } from '../../../shared/series-points.ts';
import { fileName, saveFile } from '../save-file.ts';
import { lengthText } from './candles.ts';
import styles from './chart.module.css';
import type { ChartLine, Domain, Dot, Marker, Shade } from './chart-elements.ts';
import type { CursorLink } from './cursor-link.ts';
import { CursorSlider } from './cursor-slider.tsx';
import { describeChart } from './describe-chart.ts';
import type { Spot } from './draw.ts';
import { LazyPlot } from './lazy-plot.tsx';
import { Legend } from './legend.tsx';
import { MarkerTip } from './marker-tip.tsx';
import { usePalette } from './palette.ts';
import { toPicture } from './png.ts';
import { instantText, type Zone } from './time-labels.ts';
import { useFullscreen } from './use-fullscreen.ts';

export interface ChartProps {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly markers?: readonly Marker[];
  /** Times in which something was held. */
  readonly shades?: readonly Shade[] | undefined;
  /** Trades. */
  readonly dots?: readonly Dot[] | undefined;
  /** Older trades than those of this time are not among `shades` and `dots`; absent or null: all are. */
  readonly tradedFrom?: number | null | undefined;
  /** Start times of the bot's runs. */
  readonly rules?: readonly number[];
  /** Times at which lines are cut. */
  readonly breaks?: readonly number[];
  readonly domain: Domain;
  readonly height: number;
  readonly zone: Zone;
  readonly link: CursorLink;
  readonly active?: number | null;
  /** Points of the domain are on their way. */
  readonly loading?: boolean;
  readonly onBrush?: (domain: Domain) => void;
  readonly onReset?: () => void;
  /** Its first line is a price, which can be drawn as candles. */
  readonly isPrice?: boolean;
  readonly isPinned?: boolean;
  /** Keeps the chart above the others, or no longer; absent: no such button. */
  readonly onPin?: () => void;
  /** Lays another series over the chart, or takes it away again; absent: no such button. */
  readonly onOverlay?: () => void;
  /** Makes a CSV file of the shown data; absent: no such button. */
  readonly onCsv?: () => void;
  /** Leads to an alarm about this chart; absent: no such button. */
  readonly onTell?: (() => void) | undefined;
  /** Beginning of the names of files. */
  readonly fileStem?: string;
}

const NOTHING: readonly never[] = [];
/** Height of all but the plot where a chart fills the screen, in pixels. */
const AROUND = 88;

/** What the coarsest points of some lines are; null for values as the bot sent them. */
function averageOf(lines: readonly ChartLine[]): string | null {
  if (lines.some(({ grain }) => grain === 'hour')) return '1-hour average';
  return lines.some(({ grain }) => grain === 'minute') ? '1-min average' : null;
}

/** A chart over time: names and values of its lines, the plot, the same for keyboard and screen reader, downloads. */
export function Chart(props: ChartProps) {
  const {
    title,
    lines,
    markers = NOTHING,
    shades = NOTHING,
    dots = NOTHING,
    rules = NOTHING,
    breaks = NOTHING,
    domain,
    zone,
    link,
    onCsv,
    onTell,
    onOverlay,
  } = props;
  const id = useId();
  const tradedFrom = (props.tradedFrom ?? domain.from) > domain.from ? (props.tradedFrom ?? null) : null;
  const average = averageOf(lines);
  const palette = usePalette();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [spot, setSpot] = useState<Spot | null>(null);
  const [asCandles, setAsCandles] = useState(false);
  const [candleLength, setCandleLength] = useState<number | null>(null);
  const figure = useRef<HTMLElement>(null);
  const { height: filled, isRefused, toggle: toggleFilled, leaveFor } = useFullscreen(figure);
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const onCanvas = useCallback((element: HTMLCanvasElement | null) => {
    canvas.current = element;
  }, []);
  const shown = useMemo(() => lines.filter((line) => !hidden.has(line.id)), [lines, hidden]);
  const empty = lines.every(({ points }) => extent(points, domain.from, domain.to) === null);
  const toggle = (line: string): void => {
    const next = new Set(hidden);
    if (!next.delete(line)) next.add(line);
    setHidden(next);
  };
  const savePicture = async (): Promise<void> => {
    if (canvas.current === null) return;
    const picture = await toPicture(canvas.current, title, shown, palette);
    if (picture !== null) saveFile(`${fileName(props.fileStem ?? 'chart', title)}.png`, picture);
  };
  const hasOverlay = lines.some(({ isOverlay }) => isOverlay === true);
  const first = lines[0];
  const candles = asCandles && first !== undefined ? first.id : null;
  return (
    <figure ref={figure} className={styles.chart} aria-labelledby={id} data-chart={title}>
      <figcaption className={styles.head}>
        <h2 className={styles.title}>
          <span id={id}>{title}</span>
          {candles === null || candleLength === null ? (
            average === null ? null : (
              <span className={styles.note} title="The line shows averages, the band their lowest and highest values.">
                {average}
              </span>
            )
          ) : (
            <span className={styles.note} title="A candle opens where the one before it closed.">
              {lengthText(candleLength)} candles
            </span>
          )}
        </h2>
        {tradedFrom === null ? null : (
          <span className={styles.note} title="The ledger has older trades than the chart shows.">
            Trades from {instantText(tradedFrom, zone)} on
          </span>
        )}
        {isRefused ? (
          <span role="alert" className={styles.note}>
            The browser did not let the chart fill the screen
          </span>
        ) : null}
        <Legend title={title} lines={lines} hidden={hidden} onToggle={toggle} link={link} zone={zone} />
        <span className={styles.tools}>
          {props.isPrice === true ? (
            <Tool
              label={`Draw ${title} as candles`}
              icon={ChartCandlestick}
              pressed={asCandles}
              onClick={() => setAsCandles(!asCandles)}
            />
          ) : null}
          {onOverlay === undefined ? null : (
            <Tool
              label={hasOverlay ? `Take the overlay off ${title}` : `Overlay another series on ${title}`}
              icon={Layers2}
              pressed={hasOverlay}
              onClick={() => leaveFor(onOverlay)}
            />
          )}
          {props.onPin === undefined ? null : (
            <Tool
              label={props.isPinned === true ? `Unpin ${title}` : `Pin ${title} to the top`}
              icon={props.isPinned === true ? PinOff : Pin}
              onClick={props.onPin}
            />
          )}
          <Tool
            label={filled === null ? `Show ${title} full screen` : 'Leave full screen'}
            icon={filled === null ? Maximize : Minimize}
            onClick={toggleFilled}
          />
          {onTell === undefined ? null : (
            <span className={styles.group}>
              <Tool label={`Tell me when… (${title})`} icon={BellPlus} onClick={() => leaveFor(onTell)} />
            </span>
          )}
          {onCsv === undefined ? null : (
            <span className={styles.group}>
              <Tool label={`Download ${title} as CSV`} icon={FileSpreadsheet} onClick={onCsv} />
              <Tool label={`Download ${title} as picture`} icon={Image} onClick={() => void savePicture()} />
            </span>
          )}
        </span>
      </figcaption>
      <div ref={stage} className={styles.stage} data-loading={props.loading === true}>
        <LazyPlot
          lines={shown}
          markers={markers}
          shades={shades}
          dots={dots}
          rules={rules}
          breaks={breaks}
          domain={domain}
          candles={candles}
          onCandleLength={setCandleLength}
          height={filled === null ? props.height : filled - AROUND}
          zone={zone}
          link={link}
          active={spot?.marker.id ?? props.active ?? null}
          onBrush={props.onBrush}
          onReset={props.onReset}
          onSpot={setSpot}
          onCanvas={onCanvas}
        />
        {empty && props.loading !== true ? <p className={styles.empty}>No samples in this time</p> : null}
        <CursorSlider
          title={title}
          lines={shown}
          domain={domain}
          link={link}
          zone={zone}
          onBrush={props.onBrush}
          onReset={props.onReset}
        />
        {spot === null ? null : <MarkerTip spot={spot} width={stage.current?.clientWidth ?? 0} zone={zone} />}
      </div>
      <p className="visually-hidden">
        {describeChart({ title, lines, markers, shades, dots, tradedFrom, domain, zone })}
      </p>
    </figure>
  );
}

interface ToolProps {
  readonly label: string;
  readonly icon: typeof Image;
  /** Of a switch: it is on. */
  readonly pressed?: boolean;
  readonly onClick: () => void;
}

function Tool({ label, icon: Icon, pressed, onClick }: ToolProps) {
  return (
    <button
      type="button"
      className={styles.tool}
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      onClick={onClick}
    >
      <Icon aria-hidden="true" />
    </button>
  );
}
