import { useState } from 'react';
import { Link } from 'wouter';
import { Choice } from '../../components/choice.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { accountLabel, addSums } from '../../data/ledger/add-sums.ts';
import type { Mode } from '../../data/ledger/mode-totals.ts';
import { useCall } from '../../data/use-call.ts';
import { SumsTable } from '../sums-table.tsx';
import styles from './portfolio.module.css';
import { type BotBook, booksOf } from './ranges-and-books.ts';

const BY = [
  { value: 'bot', label: 'Bot' },
  { value: 'symbol', label: 'Symbol' },
  { value: 'account', label: 'Account' },
] as const;
type By = (typeof BY)[number]['value'];

interface BreakdownProps {
  readonly mode: Mode;
  /** The stretch of time in days of a zone, and what to convert into. */
  readonly asked: { readonly from?: string; readonly in?: string; readonly zone?: string };
  /** Books with sums by day, from which those by bot are made. */
  readonly books: readonly BotBook[];
  readonly nameOf: (botId: string) => string;
}

/** Profit of all bots by bot, symbol or account. */
export function Breakdown({ mode, asked, books, nameOf }: BreakdownProps) {
  const [by, setBy] = useState<By>('bot');
  const read = useCall('ledger.list', by === 'bot' ? null : { by, ...asked });
  const parts =
    by === 'bot'
      ? books.flatMap(({ botId, book }) => book.sums.map((sum) => [botId, sum] as const))
      : booksOf(read.data?.items ?? [], mode).flatMap(({ book }) =>
          book.sums.map((sum) => [by === 'symbol' ? (sum.symbol ?? '–') : accountLabel(sum), sum] as const),
        );
  const rows = addSums(parts);
  return (
    <Section title="Profit by">
      <Choice label="By" value={by} options={BY} onChange={setBy} />
      {read.error === null ? null : <ErrorNote error={read.error} />}
      {rows.length === 0 ? (
        <p className={styles.quiet}>Nothing is realised or paid in this time.</p>
      ) : (
        <SumsTable
          head={BY.find(({ value }) => value === by)?.label ?? ''}
          rows={rows}
          label={(group) => (by === 'bot' ? <Link href={`/bots/${group}/ledger`}>{nameOf(group)}</Link> : group)}
        />
      )}
    </Section>
  );
}
