import { useRef } from 'react';
import { useSmallSeries } from '../../data/metrics/sparklines.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import styles from './small-metric.module.css';

/** The newest of what a bot measures, in small; for a cell of a table. It is read when it comes into sight. */
export function SmallMetric({ botId }: { readonly botId: string }) {
  const box = useRef<HTMLSpanElement>(null);
  const small = useSmallSeries(botId, box);
  return (
    <span ref={box} className={styles.metric}>
      {small === null ? null : <Sparkline {...small} />}
    </span>
  );
}
