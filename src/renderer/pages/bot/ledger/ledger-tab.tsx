import { useState } from 'react';
import type { Ledger, LedgerBook } from '../../../../contract/ledger.ts';
import { Choice } from '../../../components/choice.tsx';
import { Empty } from '../../../components/empty.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Money } from '../../../components/money.tsx';
import { Section } from '../../../components/section.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Time } from '../../../components/time.tsx';
import { DESK_MODES, MODE_LABELS, MODE_MEANINGS, type Mode } from '../../../data/ledger/mode-totals.ts';
import { useFollowed } from '../../../data/ledger/use-followed.ts';
import { usePreferences } from '../../../data/preferences.ts';
import { useCall } from '../../../data/use-call.ts';
import { PositionsTable } from '../../positions-table.tsx';
import type { TabProps } from '../tab-props.ts';
import { Entries } from './entries.tsx';
import styles from './ledger.module.css';
import { Orders } from './orders.tsx';
import { Problems } from './problems.tsx';
import { Profit } from './profit.tsx';
import { Upkeep } from './upkeep.tsx';

const ORDER: readonly Mode[] = [...DESK_MODES, 'rehearsal'];

/** The books of a bot: what it earned, holds and did, and what could not be booked. */
export function LedgerTab({ bot }: TabProps) {
  const input = { bot_id: bot.bot_id };
  const read = useCall('ledger.get', input);
  useFollowed(read, { botId: bot.bot_id, marks: true });
  const [chosen, setChosen] = useState<Mode | null>(null);
  const books = read.data?.books;
  if (books === undefined)
    return read.error === null ? <Skeleton rows={6} label="Loading the ledger" /> : <ErrorNote error={read.error} />;
  const modes = ORDER.filter((mode) => books.some((book) => book.mode === mode));
  const mode = modes.find((one) => one === chosen) ?? modes[0];
  const book = books.find((one) => one.mode === mode);
  if (book === undefined || mode === undefined) return <NothingBooked erased={read.data?.erased ?? null} />;
  return (
    <div className={styles.ledger}>
      {read.error === null ? null : <ErrorNote error={read.error} />}
      {modes.length === 1 ? (
        <p className={styles.mode}>
          <strong>{MODE_LABELS[mode]}</strong> {MODE_MEANINGS[mode]}.
        </p>
      ) : (
        <Choice
          label="Mode"
          value={mode}
          options={modes.map((value) => ({ value, label: MODE_LABELS[value] }))}
          onChange={setChosen}
        />
      )}
      <Totals book={book} />
      <Problems key={`problems ${mode}`} bot={bot} mode={mode} count={book.not_booked + book.conflicts} />
      <Section title="Positions">
        {book.positions.length === 0 ? (
          <p className={styles.quiet}>It holds nothing now.</p>
        ) : (
          <PositionsTable rows={book.positions.map((position) => ({ position }))} />
        )}
      </Section>
      <Orders key={`orders ${mode}`} bot={bot} mode={mode} />
      <Profit key={`profit ${mode}`} bot={bot} mode={mode} />
      <Entries key={`entries ${mode}`} bot={bot} mode={mode} />
      <Upkeep bot={bot} method={book.method} onChange={read.reload} />
    </div>
  );
}

/** The answer of the page: net profit in each currency, and of what it is made. */
function Totals({ book }: { readonly book: LedgerBook }) {
  return (
    <dl className={styles.totals} aria-label="Since the first booked row">
      {book.sums.map((sum) => (
        <div key={JSON.stringify([sum.currency, sum.symbol])} className={styles.total}>
          <dt>{sum.net === null ? `Realised, ${sum.symbol ?? 'without a currency'}` : 'Net profit'}</dt>
          <dd>
            <Money of={sum.net ?? sum.realised} currency={sum.currency} signed display />
          </dd>
          <dd className={styles.quiet}>
            realised <Money of={sum.realised} signed /> · fees <Money of={sum.fees} />
            {Object.entries(sum.flows).map(([kind, amount]) => (
              <span key={kind}>
                {' · '}
                {kind} <Money of={amount} signed />
              </span>
            ))}
          </dd>
        </div>
      ))}
      {book.equity.map(({ venue, account, currency, value }) => (
        <div key={JSON.stringify([venue, account, currency])} className={styles.total}>
          <dt>Equity{account === null ? '' : `, ${account}`}</dt>
          <dd>
            <Money of={value} currency={currency} display />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function NothingBooked({ erased }: { readonly erased: Ledger['erased'] }) {
  const zone = usePreferences((one) => one.zone);
  return (
    <Empty title={erased === null ? 'Nothing is booked yet' : 'Nothing is booked since the ledger was erased'}>
      {erased === null ? null : (
        <p>
          Somebody erased {erased.rows === 1 ? '1 row' : `${erased.rows} rows`} <Time at={erased.at} zone={zone} />. The
          audit trail says who.
        </p>
      )}
      <p>
        A bot that writes <code>fill</code> rows has its profit, positions and trades here. Each SDK has a function for
        them.
      </p>
    </Empty>
  );
}
