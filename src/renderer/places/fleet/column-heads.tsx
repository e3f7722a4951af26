import { ArrowDown, ArrowUp } from 'lucide-react';
import type { FleetSort } from '../../../contract/preference-choices.ts';
import { choose, usePreferences } from '../../data/preferences.ts';
import { COLUMNS } from './columns.ts';
import styles from './fleet-table.module.css';

interface HeadProps {
  readonly look: string | undefined;
  readonly word: string;
  readonly title?: string | undefined;
  readonly sort: FleetSort | null;
}

function Head({ look, word, title, sort }: HeadProps) {
  const by = usePreferences((one) => one.fleet_sort);
  const descending = usePreferences((one) => one.fleet_descending);
  if (sort === null) {
    return (
      <th className={look} title={title}>
        {word}
      </th>
    );
  }
  const isOrder = by === sort;
  const Arrow = descending ? ArrowDown : ArrowUp;
  return (
    <th className={look} title={title} aria-sort={isOrder ? (descending ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        className={styles.sort}
        onClick={() => choose({ fleet_sort: sort, fleet_descending: isOrder && !descending })}
      >
        {word}
        {isOrder ? <Arrow aria-hidden="true" /> : null}
      </button>
    </th>
  );
}

/** The heads of the fleet's columns; some of them put it into their order. */
export function ColumnHeads() {
  const shown = usePreferences((one) => one.fleet_columns);
  return (
    <>
      <Head look={styles.status} word="Status" sort="status" />
      <Head look={styles.name} word="Name" sort="name" />
      {COLUMNS.filter(({ id }) => shown.includes(id)).map(({ id, word, look, title, sort }) => (
        <Head key={id} look={styles[look]} word={word} title={title} sort={sort} />
      ))}
    </>
  );
}
