import { formatChange, formatNumber } from './number.ts';
import styles from './sparkline.module.css';
import { sparklinePath } from './sparkline-path.ts';

interface SparklineProps {
  /** Name of the series. */
  readonly name: string;
  /** Oldest first. */
  readonly values: readonly number[];
}

const WIDTH = 80;
const HEIGHT = 20;

/** Course of a value as a small line beside its newest value. */
export function Sparkline({ name, values }: SparklineProps) {
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return null;
  return (
    <span className={styles.sparkline} title={`${name}: ${formatNumber(last)}, ${formatChange(first, last)}`}>
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 -1.5 ${WIDTH} ${HEIGHT + 3}`} aria-hidden="true">
        {values.length < 2 ? null : <path d={sparklinePath(values, WIDTH - 2, HEIGHT)} className={styles.line} />}
      </svg>
      <span className="visually-hidden">{name}</span>
      <span className={styles.value}>{formatNumber(last)}</span>
    </span>
  );
}
