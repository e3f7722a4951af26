import type { MetricOverview } from '../../../../contract/telemetry.ts';
import type { Zone } from '../../../components/charts/time-labels.ts';
import table from '../../../components/table.module.css';
import { Time } from '../../../components/time.tsx';
import { numbersOf } from '../../../data/metrics/series.ts';
import { SIGNAL } from '../../../data/metrics/signals.ts';
import styles from './signal-list.module.css';

/** Metrics of the bot without a number in them, each with its newest event. */
export function OtherTypes({ overview, zone }: { readonly overview: MetricOverview; readonly zone: Zone }) {
  const others = overview.types.filter(({ type, latest }) => type !== SIGNAL && numbersOf(latest).length === 0);
  if (others.length === 0) return null;
  return (
    <section className={styles.signals} aria-labelledby="other-metrics">
      <h2 id="other-metrics" className={styles.title}>
        Without numbers
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={`${table.scroll} ${styles.scroll}`} aria-label="Metrics without numbers" tabIndex={0}>
        <table className={`${table.table} ${styles.rows}`}>
          <thead>
            <tr>
              <th>Metric</th>
              <th className={styles.number}>Count</th>
              <th>Newest</th>
              <th>As it stood then</th>
            </tr>
          </thead>
          <tbody>
            {others.map(({ type, count, latest }) => (
              <tr key={type}>
                <td>{type}</td>
                <td className={styles.number}>{count.toLocaleString('en-US')}</td>
                <td className={styles.time}>
                  <Time at={latest.time ?? latest.ts} zone={zone} />
                </td>
                <td className={styles.reason}>
                  <code>{JSON.stringify(latest.data)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
