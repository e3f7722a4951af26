import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import type { CursorLink } from '../../../components/charts/cursor-link.ts';
import { confidenceText } from '../../../components/charts/marker-tip.tsx';
import { Side } from '../../../components/charts/signal-side.tsx';
import type { Zone } from '../../../components/charts/time-labels.ts';
import { formatNumber } from '../../../components/number.ts';
import table from '../../../components/table.module.css';
import { Time } from '../../../components/time.tsx';
import type { Signal } from '../../../data/metrics/signals.ts';
import styles from './signal-list.module.css';

interface SignalListProps {
  /** Signals in the shown time, oldest first. */
  readonly signals: readonly Signal[];
  /** True if there were older ones that the page does not know. */
  readonly cut: boolean;
  readonly zone: Zone;
  readonly link: CursorLink;
  readonly onActive: (id: number | null) => void;
  /** Shows the time around an instant. */
  readonly onShow: (at: number) => void;
}

const FIRST = 8;
const MORE = 50;

/** Signals of the bot with their reasons, newest first: the markers of the charts in words. Pointing at one shows it there. */
export function SignalList({ signals, cut, zone, link, onActive, onShow }: SignalListProps) {
  const [most, setMost] = useState(FIRST);
  const newest = signals.toReversed();
  const shown = newest.slice(0, most);
  const point = (signal: Signal | null): void => {
    link.point(signal?.t ?? null);
    onActive(signal?.id ?? null);
  };
  if (signals.length === 0) return null;
  return (
    <section className={styles.signals} aria-labelledby="signals">
      <h2 id="signals" className={styles.title}>
        Signals <span className={styles.count}>{signals.length}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={`${table.scroll} ${styles.scroll}`} aria-label="List of signals" tabIndex={0}>
        <table className={`${table.table} ${styles.rows}`}>
          <thead>
            <tr>
              <th>Time</th>
              <th>Signal</th>
              <th>Symbol</th>
              <th className={styles.number}>Price</th>
              <th className={styles.number}>Confidence</th>
              <th>Reason</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((signal) => (
              <tr key={signal.id} onMouseEnter={() => point(signal)} onMouseLeave={() => point(null)}>
                <td className={styles.time}>
                  <button
                    type="button"
                    className={styles.show}
                    title="Look at this time in the charts"
                    onFocus={() => point(signal)}
                    onBlur={() => point(null)}
                    onClick={() => onShow(signal.t)}
                  >
                    <Time at={new Date(signal.t).toISOString()} zone={zone} />
                  </button>
                </td>
                <td>
                  <Side of={signal.side} />
                </td>
                <td>{signal.symbol}</td>
                <td className={styles.number}>{signal.price === null ? null : formatNumber(signal.price)}</td>
                <td className={styles.number}>
                  {signal.confidence === null ? null : confidenceText(signal.confidence)}
                </td>
                <td className={styles.reason}>{signal.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {newest.length > most ? (
        <Button kind="quiet" onClick={() => setMost(most + MORE)}>
          Older signals
        </Button>
      ) : null}
      {cut && newest.length <= most ? <p className={styles.cut}>Older signals are not listed here.</p> : null}
    </section>
  );
}
