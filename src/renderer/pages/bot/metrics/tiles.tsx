import { ArrowDownRight, ArrowUpRight } from 'lucide-react';
import { useState } from 'react';
import type { MetricSeriesInfo } from '../../../../contract/telemetry.ts';
import { extent, NO_POINTS, type Points } from '../../../../shared/series-points.ts';
import { Button } from '../../../components/button.tsx';
import type { Domain } from '../../../components/charts/chart-elements.ts';
import { formatChange, formatNumber } from '../../../components/number.ts';
import { seriesName } from '../../../data/metrics/chart-groups.ts';
import { seriesKey } from '../../../data/metrics/series.ts';
import styles from './tiles.module.css';

interface TilesProps {
  readonly series: readonly MetricSeriesInfo[];
  readonly points: ReadonlyMap<string, Points>;
  readonly domain: Domain;
}

const FIRST = 8;

/** The newest value of each series, and how it moved in the time that is looked at. */
export function Tiles({ series, points, domain }: TilesProps) {
  const [all, setAll] = useState(false);
  const shown = all ? series : series.slice(0, FIRST);
  return (
    <section className={styles.tiles} aria-label="Newest values">
      <dl className={styles.grid}>
        {shown.map((one) => (
          <Tile
            key={seriesKey(one)}
            series={one}
            from={extent(points.get(seriesKey(one)) ?? NO_POINTS, domain.from, domain.to)?.first ?? null}
          />
        ))}
      </dl>
      {series.length <= FIRST ? null : (
        <Button kind="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Fewer values' : `All ${series.length} values`}
        </Button>
      )}
    </section>
  );
}

function Tile({ series, from }: { readonly series: MetricSeriesInfo; readonly from: number | null }) {
  const { symbol, last } = series;
  const moved = from === null || last === null || from === last ? 0 : last - from;
  const Arrow = moved > 0 ? ArrowUpRight : ArrowDownRight;
  return (
    <div className={styles.tile}>
      <dt className={styles.name}>
        {symbol === null ? null : <span className={styles.symbol}>{symbol}</span>}
        <span>{seriesName(series)}</span>
      </dt>
      <dd className={styles.value}>{last === null ? '–' : formatNumber(last)}</dd>
      <dd className={styles.change}>
        {moved === 0 ? null : <Arrow aria-hidden="true" />}
        {from === null || last === null ? '' : formatChange(from, last)}
      </dd>
    </div>
  );
}
