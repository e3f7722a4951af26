import { TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Bot } from '../../../../contract/bot.ts';
import type { LedgerOrder } from '../../../../contract/ledger.ts';
import { Button } from '../../../components/button.tsx';
import { Choice } from '../../../components/choice.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Amount } from '../../../components/money.tsx';
import { Section } from '../../../components/section.tsx';
import table from '../../../components/table.module.css';
import { Table } from '../../../components/table.tsx';
import { Time } from '../../../components/time.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import type { Mode } from '../../../data/ledger/mode-totals.ts';
import { useFollowed } from '../../../data/ledger/use-followed.ts';
import { usePreferences } from '../../../data/preferences.ts';
import { useAction, useCall } from '../../../data/use-call.ts';
import tables from '../../ledger-tables.module.css';
import styles from './ledger.module.css';
import { mergeOrders } from './merge-orders.ts';

const PAGE = 20;
const SHOWN = [
  { value: 'all', label: 'All' },
  { value: 'open', label: 'Open' },
] as const;
type Shown = (typeof SHOWN)[number]['value'];

interface OfBook {
  readonly bot: Bot;
  readonly mode: Mode;
}

/** The orders that a bot told of, newest first; nothing for a bot that has told of none. */
export function Orders({ bot, mode }: OfBook) {
  const [shown, setShown] = useState<Shown>('all');
  const newest = useCall('ledger.orders', { bot_id: bot.bot_id, mode, limit: 1 });
  if (newest.error !== null) return <ErrorNote error={newest.error} />;
  if (newest.data === null || newest.data.orders.length === 0) return null;
  return (
    <Section title="Orders" about="As the bot told them. Profit comes from fills alone.">
      <Choice label="Show" value={shown} options={SHOWN} onChange={setShown} />
      <OrderPages key={shown} bot={bot} mode={mode} isOpen={shown === 'open'} />
    </Section>
  );
}

function OrderPages({ bot, mode, isOpen }: OfBook & { readonly isOpen: boolean }) {
  const { socket } = useHost();
  const input = { bot_id: bot.bot_id, mode, limit: PAGE, ...(isOpen ? { open: true } : {}) };
  const newest = useCall('ledger.orders', input);
  useFollowed(newest, { botId: bot.bot_id });
  const [older, setOlder] = useState<readonly LedgerOrder[]>([]);
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const more = useAction(async (before: string) => {
    const page = await socket.read('ledger.orders', { ...input, before });
    setOlder((known) => mergeOrders(known, page.orders));
    setNext(page.older_before);
  });
  const read = newest.data?.orders;
  // An order of an older page that has been filled since would still stand there as open.
  const orders = useMemo(() => mergeOrders(isOpen ? [] : older, read ?? []), [isOpen, older, read]);
  const before = next === undefined ? (newest.data?.older_before ?? null) : next;
  return (
    <>
      {newest.error === null ? null : <ErrorNote error={newest.error} />}
      {read === undefined ? null : orders.length === 0 ? (
        <p className={styles.quiet}>No order is open.</p>
      ) : (
        <OrderTable orders={orders} />
      )}
      {more.error === null ? null : <ErrorNote error={more.error} />}
      {before === null || isOpen ? null : (
        <p>
          <Button busy={more.busy} onClick={() => void more.run(before)}>
            Show older orders
          </Button>
        </p>
      )}
    </>
  );
}

function OrderTable({ orders }: { readonly orders: readonly LedgerOrder[] }) {
  const zone = usePreferences((one) => one.zone);
  return (
    <Table
      heads={[
        'Order',
        'Time',
        { text: 'Quantity', className: tables.number },
        { text: 'Price', className: tables.number },
        'Status',
      ]}
      tableClass={tables.figures}
    >
      {orders.map((order) => (
        <tr key={order.seq}>
          <td className={tables.label}>
            <strong className={order.side === 'BUY' ? styles.buy : styles.sell}>{order.side}</strong> {order.symbol}
            <span className={tables.under}>
              {[order.type, order.client_order_id, order.account].filter((part) => part !== null).join(' · ')}
            </span>
            {order.duplicate_of === null ? null : (
              <span className={tables.warn}>
                <TriangleAlert aria-hidden="true" /> Placed twice: {order.duplicate_of} is for the same decision
              </span>
            )}
          </td>
          <td data-head="Time">
            <Time at={order.at} zone={zone} />
          </td>
          <td data-head="Quantity" className={tables.number}>
            <Amount of={order.quantity} hides />
          </td>
          <td data-head="Price" className={tables.number}>
            {order.price === null ? <span className={table.dim}>–</span> : <Amount of={order.price} />}
          </td>
          <td data-head="Status">
            {order.status.replaceAll('_', ' ')}
            {order.reason === null ? null : <span className={tables.under}>{order.reason}</span>}
          </td>
        </tr>
      ))}
    </Table>
  );
}
