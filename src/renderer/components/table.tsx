import type { ReactNode } from 'react';
import styles from './table.module.css';

/** The words over a column, with a class of its own where its cells have one. */
type Head = string | { text: string; className: string | undefined };

/**
 * A table that scrolls sideways in its place, and on a narrow screen turns each row into a card. Cells of a card are named by
 * their `data-head`. `actions` names the last column, of buttons, for who cannot see them.
 */
export function Table(props: {
  heads: readonly Head[];
  actions?: string;
  /** For the place that scrolls. */
  placeClass?: string | undefined;
  tableClass?: string | undefined;
  children: ReactNode;
}): ReactNode {
  const { heads, actions, placeClass, tableClass, children } = props;
  return (
    <div className={classes(styles.scroll, styles.stacking, placeClass)}>
      <table className={classes(styles.table, tableClass)}>
        <thead>
          <tr>
            {heads.map((head) => {
              const { text, className } = typeof head === 'string' ? { text: head, className: undefined } : head;
              return (
                <th key={text} className={className}>
                  {text}
                </th>
              );
            })}
            {actions === undefined ? null : (
              <th>
                <span className="visually-hidden">{actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function classes(...names: (string | undefined)[]): string {
  return names.filter((name) => name !== undefined).join(' ');
}
