import type { ReactNode } from 'react';
import { Money } from '../components/money.tsx';
import table from '../components/table.module.css';
import { Table } from '../components/table.tsx';
import type { GroupSum } from '../data/ledger/add-sums.ts';
import styles from './ledger-tables.module.css';

interface SumsProps {
  /** Name of the first column. */
  readonly head: string;
  readonly rows: readonly GroupSum[];
  /** How a group is shown; default: its name. */
  readonly label?: (group: string) => ReactNode;
}

/** Profit by day, symbol, account or bot: one row for each group and currency. */
export function SumsTable({ head, rows, label = (group) => group }: SumsProps) {
  return (
    <Table
      heads={[
        head,
        { text: 'Realised', className: styles.number },
        { text: 'Fees', className: styles.number },
        { text: 'Cash', className: styles.number },
        { text: 'Net', className: styles.number },
      ]}
      tableClass={styles.figures}
    >
      {rows.map(({ group, currency, realised, fees, cash, net }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a group without a currency has a row for each symbol
        <tr key={`${group} ${currency} ${index}`}>
          <td className={styles.label}>{label(group)}</td>
          <td data-head="Realised" className={styles.number}>
            <Money of={realised} currency={currency} signed />
          </td>
          <td data-head="Fees" className={styles.number}>
            <Money of={fees} currency={currency} />
          </td>
          <td data-head="Cash" className={styles.number}>
            <Money of={cash} currency={currency} signed />
          </td>
          <td data-head="Net" className={styles.number}>
            {net === null ? (
              <span className={table.dim} title="Fees may be in another currency than the profit">
                unknown
              </span>
            ) : (
              <strong>
                <Money of={net} currency={currency} signed />
              </strong>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
