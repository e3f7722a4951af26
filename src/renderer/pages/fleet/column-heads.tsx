import { ArrowDown, ArrowUp } from 'lucide-react';
import type { FleetColumn, FleetSort } from '../../../contract/preference-choices.ts';
import { useDayZone } from '../../data/ledger/day-zone.ts';
import { choose, usePreferences } from '../../data/preferences.ts';
import { COLUMNS } from './column-list.ts';
import styles from './fleet-table.module.css';

interface HeadProps {
  readonly className: string | undefined;
  readonly label: string;
  readonly title?: string | undefined;
  readonly sort: FleetSort | null;
}

function Head({ className, label, title, sort }: HeadProps) {
  const by = usePreferences((one) => one.fleet_sort);
  const descending = usePreferences((one) => one.fleet_descending);
  if (sort === null) {
    return (
      <th className={className} title={title}>
        {label}
      </th>
    );
  }
  const isOrder = by === sort;
  const Arrow = descending ? ArrowDown : ArrowUp;
  return (
    <th className={className} title={title} aria-sort={isOrder ? (descending ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => choose({ fleet_sort: sort, fleet_descending: isOrder && !descending })}
      >
        {label}
        {isOrder ? <Arrow aria-hidden="true" /> : null}
      </button>
    </th>
  );
}

/** The heads of the fleet's columns; some of them sort it. */
export function ColumnHeads({ shown }: { readonly shown: readonly FleetColumn[] }) {
  const zone = useDayZone();
  const titles: Partial<Record<FleetColumn, string>> = {
    profit: `Realised since midnight in ${zone.words}, after fees`,
    last_hour: 'Errors and warnings of the last hour',
  };
  return (
    <>
      <Head className={styles.status} label="Status" sort="status" />
      <Head className={styles.name} label="Name" sort="name" />
      {COLUMNS.filter(({ id }) => shown.includes(id)).map(({ id, label, className, sort }) => (
        <Head key={id} className={styles[className]} label={label} title={titles[id]} sort={sort} />
      ))}
    </>
  );
}
