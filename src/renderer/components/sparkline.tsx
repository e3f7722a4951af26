import { changeWords, formatChange, formatNumber } from './number.ts';
import styles from './sparkline.module.css';
import { sparklinePath } from './sparkline-path.ts';

interface SparklineProps {
  /** Name of the series. */
  readonly name: string;
  /** Oldest first. */
  readonly values: readonly number[];
}

const WIDTH = 64;
const HEIGHT = 24;

/** A value with its name, its change with sign and colour, and its course as a small line. */
export function Sparkline({ name, values }: SparklineProps) {
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return null;
  const tone = last > first ? styles.up : last < first ? styles.down : undefined;
  return (
    <span className={styles.sparkline} title={`${name}: ${formatNumber(last)}, ${formatChange(first, last)}`}>
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 -1.5 ${WIDTH} ${HEIGHT + 3}`} aria-hidden="true">
        {values.length < 2 ? null : <path d={sparklinePath(values, WIDTH - 2, HEIGHT)} className={styles.line} />}
      </svg>
      <span className={styles.words}>
        <span className={styles.name}>{name}</span>
        <span className={styles.value}>
          {formatNumber(last)} <span className={tone}>{changeWords(first, last)}</span>
        </span>
      </span>
    </span>
  );
}
