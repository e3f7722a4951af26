import { Link } from 'wouter';
import type { LedgerEntry } from '../../../contract/ledger.ts';
import { Amount, Money } from '../../components/money.tsx';
import { Section } from '../../components/section.tsx';
import { Ago } from '../../components/time.tsx';
import { dayAt, useDayZone } from '../../data/ledger/day-zone.ts';
import { MODE_LABELS, type ModeTotals, modeTotals, noProfitWords } from '../../data/ledger/mode-totals.ts';
import { useCall } from '../../data/use-call.ts';
import { useReadEvery } from '../../data/use-every-while-visible.ts';
import { hostNow } from '../../host-clock.ts';
import { PositionsTable } from '../positions-table.tsx';
import styles from './bot-money.module.css';
import type { TabProps } from './tab-props.ts';

const EVERY_MS = 5000;
const FILLS = 5;
const NOTHING = { profit: [], unnamed: 0 } as const;

/** What a bot earned today and ever, holds and did last; nothing for a bot that has no books. */
export function BotMoney({ bot }: TabProps) {
  const { bot_id } = bot;
  const ever = useCall('ledger.get', { bot_id });
  const zone = useDayZone();
  const day = dayAt(zone, hostNow());
  const today = useCall('ledger.get', { bot_id, by: 'day', from: day, to: day, ...zone.asked });
  const newest = useCall('ledger.entries', { bot_id, limit: FILLS });
  useReadEvery(EVERY_MS, ever);
  useReadEvery(EVERY_MS, today);
  useReadEvery(EVERY_MS, newest);
  const totals = ever.data === null ? [] : modeTotals([ever.data]);
  if (ever.data === null || totals.length === 0) return null;
  const profitToday = today.data === null ? null : modeTotals([today.data]);
  const positions = ever.data.books.flatMap((book) => book.positions.map((position) => ({ position })));
  const problems = totals.reduce((count, one) => count + one.problems, 0);
  return (
    <Section title="Money" action={<Link href={`/bots/${bot_id}/ledger`}>Ledger</Link>}>
      <dl className={styles.totals}>
        {totals.map(({ mode, profit, equity }) => (
          <div key={mode}>
            <dt>{MODE_LABELS[mode]} net profit</dt>
            {profit.map(({ currency, amount }) => (
              <dd key={currency}>
                <Money of={amount} currency={currency} signed display />
              </dd>
            ))}
            <dd className={styles.quiet}>
              {profitToday === null ? null : <OfToday of={profitToday.find((one) => one.mode === mode) ?? NOTHING} />}
              {equity.map(({ currency, amount }) => (
                <span key={currency}>
                  {' · equity '}
                  <Money of={amount} currency={currency} />
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      {problems === 0 ? null : (
        <p className={styles.warn}>
          <Link href={`/bots/${bot_id}/ledger`}>
            {problems === 1 ? '1 row is in no sum' : `${problems} rows are in no sum`}
          </Link>
        </p>
      )}
      {positions.length === 0 ? null : <PositionsTable rows={positions} />}
      {newest.data === null || newest.data.entries.length === 0 ? null : (
        <ul className={styles.entries} aria-label="Last fills">
          {newest.data.entries.map((entry) => (
            <li key={`${entry.at} ${entry.seq}`}>
              <Did entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function OfToday({ of }: { readonly of: Pick<ModeTotals, 'profit' | 'unnamed'> }) {
  return (
    <>
      today{' '}
      {of.profit.map(({ currency, amount }) => (
        <Money key={currency} of={amount} currency={currency} signed />
      ))}
      {of.profit.length === 0 ? noProfitWords(of) : null}
    </>
  );
}

function Did({ entry }: { readonly entry: LedgerEntry }) {
  return (
    <>
      <span>
        {entry.type === 'fill' ? (
          <strong className={entry.side === 'BUY' ? styles.buy : styles.sell}>{entry.side}</strong>
        ) : (
          entry.kind
        )}{' '}
        {entry.quantity === null ? null : <Amount of={entry.quantity} hides />} {entry.symbol}
        {entry.price === null ? null : (
          <>
            {' at '}
            <Amount of={entry.price} />
          </>
        )}
        {entry.type === 'cash_flow' && entry.charge !== null ? (
          <>
            {' '}
            <Money of={entry.charge} currency={entry.charge_currency} signed />
          </>
        ) : null}
      </span>
      <span className={styles.quiet}>
        {MODE_LABELS[entry.mode]} · <Ago at={entry.at} />
      </span>
    </>
  );
}
