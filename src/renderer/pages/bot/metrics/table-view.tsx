import { useState } from 'react';
import { at, firstAt } from '../../../../shared/series-points.ts';
import { Button } from '../../../components/button.tsx';
import type { ChartLine, Domain } from '../../../components/charts/chart-elements.ts';
import type { Zone } from '../../../components/charts/time-labels.ts';
import { decimalsOf, formatNumber } from '../../../components/number.ts';
import table from '../../../components/table.module.css';
import { Time } from '../../../components/time.tsx';
import styles from './signal-list.module.css';
import { tableRowTimes } from './table-row-times.ts';

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
  const { rows, total } = tableRowTimes(lines, domain, most);
  // Numbers of a column are compared, so they have the same number of decimal places.
  const places = lines.map(({ points }) =>
    decimalsOf(...rows.flatMap((time) => pointAt(points, time)?.avg ?? []).filter(isPlain)),
  );
  return (
    <section className={styles.signals}>
      <h2 className={styles.title}>
        {title}{' '}
        <span className={styles.count}>
          {total.toLocaleString('en-US')} {total === 1 ? 'row' : 'rows'}
        </span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={`${table.scroll} ${styles.scroll}`} aria-label={`Values of ${title}`} tabIndex={0}>
        <table className={`${table.table} ${styles.rows}`}>
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
                {lines.map((line, column) => (
                  <td key={line.id} className={styles.number}>
                    <Cell line={line} time={time} places={places[column] ?? 0} />
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

/** Numbers with an exponent do not take part in aligning decimals. */
const isPlain = (value: number): boolean => !formatNumber(value).includes('e');

function pointAt(points: ChartLine['points'], time: number) {
  const point = at(points, firstAt(points.t, time));
  return point?.t === time ? point : undefined;
}

interface CellProps {
  readonly line: ChartLine;
  readonly time: number;
  readonly places: number;
}

function Cell({ line, time, places }: CellProps) {
  const point = pointAt(line.points, time);
  if (point === undefined) return null;
  const mean = formatNumber(point.avg, undefined, places);
  if (point.count === 1 || point.min === point.max) return mean;
  return (
    <span
      title={`Mean of ${point.count} samples, lowest ${formatNumber(point.min)}, highest ${formatNumber(point.max)}`}
    >
      {mean} <span className={styles.count}>{`${formatNumber(point.min)}…${formatNumber(point.max)}`}</span>
    </span>
  );
}
