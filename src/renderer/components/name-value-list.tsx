import { Fragment, type ReactNode } from 'react';
import styles from './name-value-list.module.css';

/** A list of names and values, one pair a line. */
export function NameValueList({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={styles.list}>
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
