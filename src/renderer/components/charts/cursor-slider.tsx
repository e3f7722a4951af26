import { type KeyboardEvent, useSyncExternalStore } from 'react';
import { nearest } from '../../../shared/series-points.ts';
import { formatNumber } from '../number.ts';
import type { ChartLine, Domain } from './chart-types.ts';
import type { CursorLink } from './cursor-link.ts';
import styles from './cursor-slider.module.css';
import { instantText, type Zone } from './time-labels.ts';

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

/** The stretch around an instant, larger or smaller by a factor. */
export function zoomed({ from, to }: Domain, at: number, factor: number): Domain {
  return { from: at - (at - from) * factor, to: at + (to - at) * factor };
}

/** Moves the crosshair by keyboard and says the values there; `+` and `-` zoom around it, Escape undoes that. */
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
