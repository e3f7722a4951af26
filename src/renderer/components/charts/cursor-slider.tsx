import { type KeyboardEvent, useSyncExternalStore } from 'react';
import { nearest } from '../../../shared/series-points.ts';
import { formatNumber } from '../number.ts';
import type { ChartLine, Domain } from './chart-elements.ts';
import type { CursorLink } from './cursor-link.ts';
import styles from './cursor-slider.module.css';
import { instantText, type Zone } from './time-labels.ts';
import { moved, zoomed } from './zoom.ts';

interface CursorSliderProps {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly domain: Domain;
  readonly link: CursorLink;
  readonly zone: Zone;
  readonly onBrush?: ((domain: Domain) => void) | undefined;
  readonly onReset?: (() => void) | undefined;
}

const STEPS = 200;
/** Share of the shown time by which a key pans. */
const PAN = 0.25;

/** Moves the crosshair by keyboard and says the values there; `+` and `-` zoom around it, Shift with an arrow pans, Escape undoes both. */
export function CursorSlider({ title, lines, domain, link, zone, onBrush, onReset }: CursorSliderProps) {
  const pointed = useSyncExternalStore(link.follow, link.read);
  const at = Math.min(domain.to, Math.max(domain.from, pointed ?? domain.to));
  const values = lines.map(({ label, points }) => {
    const point = nearest(points, at);
    return `${label} ${point === null ? 'nothing' : formatNumber(point.avg)}`;
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === '+' || event.key === '=') onBrush?.(zoomed(domain, at, 0.5));
    else if (event.key === '-') onBrush?.(zoomed(domain, at, 2));
    else if (event.shiftKey && event.key === 'ArrowLeft') onBrush?.(moved(domain, -PAN));
    else if (event.shiftKey && event.key === 'ArrowRight') onBrush?.(moved(domain, PAN));
    else if (event.key === 'Escape') onReset?.();
    else return;
    event.preventDefault();
  };
  return (
    <input
      type="range"
      className={styles.slider}
      aria-label={`Time in ${title}`}
      aria-valuetext={`${instantText(at, zone)}: ${values.join(', ')}`}
      min={domain.from}
      max={domain.to}
      step={(domain.to - domain.from) / STEPS}
      value={at}
      onChange={(event) => link.point(Number(event.target.value))}
      onBlur={() => link.point(null)}
      onKeyDown={onKeyDown}
    />
  );
}
