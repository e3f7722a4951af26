import { useState } from 'react';
import { at, firstAt } from '../../../../isomorphic/series-points.ts';
import { Button } from '../../../parts/button.tsx';
import type { ChartLine, Domain } from '../../../parts/charts/chart-types.ts';
import type { Zone } from '../../../parts/charts/ticks.ts';
import { formatNumber } from '../../../parts/number.ts';
import { Time } from '../../../parts/time.tsx';
import styles from './signal-list.module.css';
import { tableRows } from './table-rows.ts';

interface TableViewProps {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly domain: Domain;
  readonly zone: Zone;
}

const PAGE = 50;

/** The points of a chart as a table, newest first. */
export function TableView({ title, lines, domain, zone }: TableViewProps) {
  const [most, setMost] = useState(PAGE);
  const { rows, total } = tableRows(lines, domain, most);
  return (
    <section className={styles.signals}>
      <h2 className={styles.title}>
        {title} <span className={styles.count}>{total.toLocaleString('en-US')} rows</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={styles.scroll} aria-label={`Values of ${title}`} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Time</th>
              {lines.map(({ id, label }) => (
                <th key={id} className={styles.number}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((time) => (
              <tr key={time}>
                <td className={styles.time}>
                  <Time at={new Date(time).toISOString()} zone={zone} />
                </td>
                {lines.map((line) => (
                  <td key={line.id} className={styles.number}>
                    <Cell line={line} time={time} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {total > most ? (
        <Button kind="quiet" onClick={() => setMost(most + PAGE * 4)}>
          Older rows
        </Button>
      ) : null}
    </section>
  );
}

function Cell({ line, time }: { readonly line: ChartLine; readonly time: number }) {
  const point = at(line.points, firstAt(line.points.t, time));
  if (point?.t !== time) return null;
  if (point.count === 1 || point.min === point.max) return formatNumber(point.avg);
  return (
    <span
      title={`Mean of ${point.count} samples, lowest ${formatNumber(point.min)}, highest ${formatNumber(point.max)}`}
    >
      {formatNumber(point.avg)}{' '}
      <span className={styles.count}>{`${formatNumber(point.min)}…${formatNumber(point.max)}`}</span>
    </span>
  );
}
