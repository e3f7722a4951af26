import { useRef } from 'react';
import { Sparkline } from '../../components/sparkline.tsx';
import { useSmallSeries } from '../../data/metrics/sparklines.ts';
import styles from './small-metric.module.css';

/** A bot's newest metric in a table cell, read when it comes into view. */
export function SmallMetric({ botId }: { readonly botId: string }) {
  const box = useRef<HTMLSpanElement>(null);
  const small = useSmallSeries(botId, box);
  return (
    <span ref={box} className={styles.metric}>
      {small === null ? null : <Sparkline {...small} />}
    </span>
  );
}
