import { FileSpreadsheet, Image } from 'lucide-react';
import { useCallback, useId, useMemo, useRef, useState } from 'react';
import { extent } from '../../../shared/series-points.ts';
import { fileName, saveFile } from '../save-file.ts';
import styles from './chart.module.css';
import type { ChartLine, Domain, Marker } from './chart-types.ts';
import type { CursorLink } from './cursor-link.ts';
import { CursorSlider } from './cursor-slider.tsx';
import { describeChart } from './describe-chart.ts';
import type { Spot } from './draw.ts';
import { LazyPlot } from './lazy-plot.tsx';
import { Legend } from './legend.tsx';
import { MarkerTip } from './marker-tip.tsx';
import { usePalette } from './palette.ts';
import { toPicture } from './png.ts';
import type { Zone } from './time-labels.ts';

export interface ChartProps {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly markers?: readonly Marker[];
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
  /** Makes a CSV file of the shown data; absent: no such button. */
  readonly onCsv?: () => void;
  /** Beginning of the names of files. */
  readonly fileStem?: string;
}

const NOTHING: readonly never[] = [];

/** What the coarsest points of some lines are; null for values as the bot sent them. */
function averageOf(lines: readonly ChartLine[]): string | null {
  if (lines.some(({ grain }) => grain === 'hour')) return '1-hour average';
  return lines.some(({ grain }) => grain === 'minute') ? '1-min average' : null;
}

/** A chart over time: names and values of its lines, the plot, the same for keyboard and screen reader, downloads. */
export function Chart(props: ChartProps) {
  const { title, lines, markers = NOTHING, rules = NOTHING, breaks = NOTHING, domain, zone, link, onCsv } = props;
  const id = useId();
  const average = averageOf(lines);
  const palette = usePalette();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [spot, setSpot] = useState<Spot | null>(null);
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
  return (
    <figure className={styles.chart} aria-labelledby={id} data-chart={title}>
      <figcaption className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
          {average === null ? null : (
            <span className={styles.note} title="The line shows averages, the band their lowest and highest values.">
              {average}
            </span>
          )}
        </h2>
        <Legend title={title} lines={lines} hidden={hidden} onToggle={toggle} link={link} zone={zone} />
        {onCsv === undefined ? null : (
          <span className={styles.tools}>
            <Tool label={`Download ${title} as CSV`} icon={FileSpreadsheet} onClick={onCsv} />
            <Tool label={`Download ${title} as picture`} icon={Image} onClick={() => void savePicture()} />
          </span>
        )}
      </figcaption>
      <div ref={stage} className={styles.stage} data-loading={props.loading === true}>
        <LazyPlot
          lines={shown}
          markers={markers}
          rules={rules}
          breaks={breaks}
          domain={domain}
          height={props.height}
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
      <p className="visually-hidden">{describeChart(title, lines, markers, domain, zone)}</p>
    </figure>
  );
}

interface ToolProps {
  readonly label: string;
  readonly icon: typeof Image;
  readonly onClick: () => void;
}

function Tool({ label, icon: Icon, onClick }: ToolProps) {
  return (
    <button type="button" className={styles.tool} aria-label={label} title={label} onClick={onClick}>
      <Icon aria-hidden="true" />
    </button>
  );
}
