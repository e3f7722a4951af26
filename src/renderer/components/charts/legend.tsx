import { useSyncExternalStore } from 'react';
import { at, nearest, type Point } from '../../../shared/series-points.ts';
import { decimalsOf, formatNumber } from '../number.ts';
import type { ChartLine } from './chart-elements.ts';
import type { CursorLink } from './cursor-link.ts';
import styles from './legend.module.css';
import { Swatch } from './swatch.tsx';
import { instantText, type Zone } from './time-labels.ts';

interface LegendProps {
  /** Title of the chart; the legend does not repeat its words. */
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly link: CursorLink;
  readonly zone: Zone;
}

/** Value of a line: at a time that is pointed at, the mean and the range of the samples there; else the newest value. */
function Value({ point, pointed }: { readonly point: Point | null; readonly pointed: boolean }) {
  if (point === null) return <span className={styles.value}>–</span>;
  if (!pointed) return <span className={styles.value}>{formatNumber(point.last)}</span>;
  return (
    <span className={styles.value}>
      {formatNumber(point.avg, decimalsOf(point.min, point.max) + 1)}
      {point.count > 1 && point.min !== point.max ? (
        <span className={styles.range}>
          {' '}
          {formatNumber(point.min)}…{formatNumber(point.max)}
        </span>
      ) : null}
    </span>
  );
}

/** Names of the lines with their newest values; while the pointer is at a time, their values then. A line can be hidden. */
export function Legend({ title, lines, hidden, onToggle, link, zone }: LegendProps) {
  const pointed = useSyncExternalStore(link.follow, link.read);
  return (
    <div className={styles.legend}>
      {lines.map(({ id, label, styleIndex, points }) => {
        const point = pointed === null ? at(points, points.t.length - 1) : nearest(points, pointed);
        const words = (
          <>
            <Swatch styleIndex={styleIndex} />
            {title.endsWith(` ${label}`) ? null : <span className={styles.label}>{label}</span>}
            <Value point={point} pointed={pointed !== null} />
          </>
        );
        if (lines.length === 1) {
          return (
            <span key={id} className={styles.item}>
              {words}
            </span>
          );
        }
        return (
          <button
            key={id}
            type="button"
            className={styles.item}
            aria-pressed={!hidden.has(id)}
            title={hidden.has(id) ? `Show ${label}` : `Hide ${label}`}
            onClick={() => onToggle(id)}
          >
            {words}
          </button>
        );
      })}
      {pointed === null ? null : <span className={styles.time}>{instantText(pointed, zone)}</span>}
    </div>
  );
}
