import { TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { LedgerPosition } from '../../contract/ledger.ts';
import { signOfDigits } from '../../shared/exact-digits.ts';
import { Amount, Money } from '../components/money.tsx';
import table from '../components/table.module.css';
import { Table } from '../components/table.tsx';
import { Ago } from '../components/time.tsx';
import styles from './ledger-tables.module.css';

/** A position, and on a page of several bots whose it is. */
export interface HeldPosition {
  readonly position: LedgerPosition;
  readonly bot?: { readonly id: string; readonly name: string };
}

/** Whether a position is long or short. */
export function sideWords({ quantity, side }: LedgerPosition): string {
  if (side !== 'net') return side;
  return signOfDigits(quantity) < 0 ? 'short' : 'long';
}

/** What is held now: units, what they cost, what they would bring at the newest price that the bot told, and its age. */
export function PositionsTable({ rows }: { readonly rows: readonly HeldPosition[] }) {
  const hasBots = rows.some(({ bot }) => bot !== undefined);
  return (
    <Table
      heads={[
        'Symbol',
        ...(hasBots ? ['Bot'] : []),
        { text: 'Quantity', className: styles.number },
        { text: 'Average', className: styles.number },
        { text: 'Cost', className: styles.number },
        { text: 'Price', className: styles.number },
        { text: 'Unrealised', className: styles.number },
      ]}
      tableClass={styles.figures}
    >
      {rows.map(({ bot, position }) => (
        <tr key={JSON.stringify([bot?.id, position.symbol, position.account, position.side])}>
          <td className={styles.label}>
            {position.symbol}
            <span className={styles.under}>
              {sideWords(position)}
              {position.contract === 'spot' ? '' : ` · ${position.contract}`}
              {position.account === null ? '' : ` · ${position.account}`}
            </span>
            {position.difference === null ? null : (
              <span className={styles.warn}>
                <TriangleAlert aria-hidden="true" /> {position.difference}
              </span>
            )}
          </td>
          {hasBots ? (
            <td data-head="Bot">
              {bot === undefined ? null : <Link href={`/bots/${bot.id}/ledger`}>{bot.name}</Link>}
            </td>
          ) : null}
          <td data-head="Quantity" className={styles.number}>
            <Amount of={position.quantity} hides />
          </td>
          <td data-head="Average" className={styles.number}>
            {position.average_price === null ? <Unknown /> : <Amount of={position.average_price} />}
          </td>
          <td data-head="Cost" className={styles.number}>
            {position.cost === null ? <Unknown /> : <Money of={position.cost} currency={position.currency} />}
          </td>
          <td data-head="Price" className={styles.number}>
            {position.price === null ? (
              <span className={table.dim} title="The bot has written no price of this symbol">
                none told
              </span>
            ) : (
              <>
                <Amount of={position.price} />
                {position.price_at === null ? null : (
                  <span className={styles.under}>
                    <Ago at={position.price_at} />
                  </span>
                )}
              </>
            )}
          </td>
          <td data-head="Unrealised" className={styles.number}>
            {position.unrealised === null ? (
              <span className={table.dim}>–</span>
            ) : (
              <Money of={position.unrealised} currency={position.currency} signed />
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Unknown() {
  return (
    <span className={table.dim} title="The ledger does not know what these units cost">
      unknown
    </span>
  );
}
