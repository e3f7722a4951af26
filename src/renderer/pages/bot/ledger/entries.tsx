import { useMemo, useState } from 'react';
import type { Bot } from '../../../../contract/bot.ts';
import type { LedgerEntry } from '../../../../contract/ledger.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Field } from '../../../components/field.tsx';
import { Amount, Money } from '../../../components/money.tsx';
import { fileName, saveFile } from '../../../components/save-file.ts';
import { Section } from '../../../components/section.tsx';
import { Select } from '../../../components/select.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { Table } from '../../../components/table.tsx';
import { Time } from '../../../components/time.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import type { Mode } from '../../../data/ledger/mode-totals.ts';
import { useFollowed } from '../../../data/ledger/use-followed.ts';
import { usePreferences } from '../../../data/preferences.ts';
import { useAction, useCall } from '../../../data/use-call.ts';
import tables from '../../ledger-tables.module.css';
import { entriesCsv } from './export.ts';
import styles from './ledger.module.css';
import { mergeEntries } from './merge-entries.ts';

const PAGE = 50;
const EXPORT_PAGE = 1000;

const TYPES = [
  { value: 'all', label: 'All rows' },
  { value: 'fill', label: 'Fills' },
  { value: 'cash_flow', label: 'Cash' },
  { value: 'adjustment', label: 'Adjustments' },
] as const;

interface OfBook {
  readonly bot: Bot;
  readonly mode: Mode;
}

/** Every fill, flow of cash and adjustment in the order of booking, newest first, page by page. */
export function Entries({ bot, mode }: OfBook) {
  const { socket } = useHost();
  const input = { bot_id: bot.bot_id, mode };
  const newest = useCall('ledger.entries', { ...input, limit: PAGE });
  useFollowed(newest, { botId: bot.bot_id });
  const [older, setOlder] = useState<readonly LedgerEntry[]>([]);
  const [next, setNext] = useState<string | null | undefined>(undefined);
  const [type, setType] = useState<string>('all');
  const [text, setText] = useState('');
  const more = useAction(async (before: string) => {
    const page = await socket.read('ledger.entries', { ...input, limit: PAGE, before });
    setOlder((known) => mergeEntries(known, page.entries));
    setNext(page.older_before);
  });
  const save = useAction(async () => {
    const all: LedgerEntry[] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const page = await socket.read('ledger.entries', {
        ...input,
        limit: EXPORT_PAGE,
        ...(before === undefined ? {} : { before }),
      });
      all.push(...page.entries);
      before = page.older_before;
    }
    saveFile(`${fileName(bot.name, mode, 'ledger')}.csv`, new Blob([entriesCsv(all)], { type: 'text/csv' }));
  });
  const read = newest.data?.entries;
  const entries = useMemo(() => mergeEntries(older, read ?? []), [older, read]);
  const shown = entries.filter(
    (entry) =>
      (type === 'all' || entry.type === type) &&
      `${entry.symbol ?? ''} ${entry.id} ${entry.account ?? ''} ${entry.kind ?? ''}`
        .toLowerCase()
        .includes(text.trim().toLowerCase()),
  );
  const before = next === undefined ? (newest.data?.older_before ?? null) : next;
  const isNarrowed = type !== 'all' || text.trim() !== '';
  return (
    <Section
      title="Fills and cash"
      action={
        <Button busy={save.busy} disabled={entries.length === 0} onClick={() => void save.run()}>
          Export all as CSV
        </Button>
      }
    >
      {newest.error === null ? null : <ErrorNote error={newest.error} />}
      {save.error === null ? null : <ErrorNote error={save.error} />}
      {read === undefined ? (
        newest.error === null ? (
          <Skeleton rows={4} label="Loading the rows" />
        ) : null
      ) : entries.length === 0 ? (
        <p className={styles.quiet}>No row is booked.</p>
      ) : (
        <>
          <div className={styles.filter}>
            <Select label="Rows" value={type} options={TYPES} onChange={setType} />
            <Field label="Symbol, id or account" value={text} onChange={setText} />
            {isNarrowed ? (
              <p className={styles.quiet} role="status">
                {shown.length} of the {entries.length} newest
              </p>
            ) : null}
          </div>
          <EntryTable entries={shown} />
        </>
      )}
      {more.error === null ? null : <ErrorNote error={more.error} />}
      {before === null ? null : (
        <p>
          <Button busy={more.busy} onClick={() => void more.run(before)}>
            Show older rows
          </Button>
        </p>
      )}
    </Section>
  );
}

const KINDS = { cash_flow: 'cash', adjustment: 'adjustment' } as const;

function What({ of }: { readonly of: LedgerEntry }) {
  if (of.type !== 'fill') return `${of.kind ?? ''} ${KINDS[of.type]}`.trim();
  return <strong className={of.side === 'BUY' ? styles.buy : styles.sell}>{of.side}</strong>;
}

function EntryTable({ entries }: { readonly entries: readonly LedgerEntry[] }) {
  const zone = usePreferences((one) => one.zone);
  if (entries.length === 0) return <p className={styles.quiet}>No row fits.</p>;
  return (
    <Table
      heads={[
        'What',
        'Time',
        { text: 'Quantity', className: tables.number },
        { text: 'Price', className: tables.number },
        { text: 'Fee or cash', className: tables.number },
        { text: 'Realised', className: tables.number },
      ]}
      tableClass={tables.figures}
    >
      {entries.map((entry) => (
        <tr key={`${entry.at} ${entry.seq}`}>
          <td className={tables.label}>
            <What of={entry} /> {entry.symbol}
            <span className={tables.under}>
              {entry.unverified ? 'without an id' : entry.id}
              {entry.account === null ? '' : ` · ${entry.account}`}
            </span>
            {[entry.problem, entry.difference].map((words) =>
              words === null ? null : (
                <span key={words} className={tables.warn}>
                  {words}
                </span>
              ),
            )}
          </td>
          <td data-head="Time">
            <Time at={entry.at} zone={zone} />
          </td>
          <td data-head="Quantity" className={tables.number}>
            {entry.quantity === null ? null : <Amount of={entry.quantity} hides />}
          </td>
          <td data-head="Price" className={tables.number}>
            {entry.price === null ? null : <Amount of={entry.price} />}
          </td>
          <td data-head="Fee or cash" className={tables.number}>
            {entry.charge === null ? null : (
              <Money of={entry.charge} currency={entry.charge_currency} signed={entry.type === 'cash_flow'} />
            )}
          </td>
          <td data-head="Realised" className={tables.number}>
            {entry.realised === null ? null : <Money of={entry.realised} currency={entry.realised_currency} signed />}
          </td>
        </tr>
      ))}
    </Table>
  );
}
