import { useState } from 'react';
import type { Bot } from '../../../../contract/bot.ts';
import { Button } from '../../../components/button.tsx';
import { Choice } from '../../../components/choice.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { fileName, saveFile } from '../../../components/save-file.ts';
import { Section } from '../../../components/section.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { accountLabel, addSums } from '../../../data/ledger/add-sums.ts';
import { useDayZone } from '../../../data/ledger/day-zone.ts';
import type { Mode } from '../../../data/ledger/mode-totals.ts';
import { useFollowed } from '../../../data/ledger/use-followed.ts';
import { useCall } from '../../../data/use-call.ts';
import { SumsTable } from '../../sums-table.tsx';
import { sumsCsv } from './export.ts';
import styles from './ledger.module.css';

const BY = [
  { value: 'day', label: 'Day' },
  { value: 'symbol', label: 'Symbol' },
  { value: 'account', label: 'Account' },
] as const;
type By = (typeof BY)[number]['value'];

const MOST_AT_FIRST = 30;

/** Profit of a bot by day, symbol or account. */
export function Profit({ bot, mode }: { readonly bot: Bot; readonly mode: Mode }) {
  const [by, setBy] = useState<By>('day');
  const [isAll, setAll] = useState(false);
  const zone = useDayZone();
  const read = useCall('ledger.get', { bot_id: bot.bot_id, by, ...zone.asked });
  useFollowed(read, { botId: bot.bot_id });
  const sums = read.data?.books.find((book) => book.mode === mode)?.sums ?? [];
  const groupOf = (sum: (typeof sums)[number]): string =>
    (by === 'day' ? sum.day : by === 'symbol' ? sum.symbol : null) ?? (by === 'account' ? accountLabel(sum) : '–');
  const rows = addSums(sums.map((sum) => [groupOf(sum), sum]));
  const ordered = by === 'day' ? [...rows].reverse() : rows;
  const shown = isAll ? ordered : ordered.slice(0, MOST_AT_FIRST);
  return (
    <Section
      title="Profit"
      about={
        by === 'day' ? `Days are ${zone.days}. Net is realised profit less fees, with cash such as funding.` : undefined
      }
      action={
        <Button
          disabled={rows.length === 0}
          onClick={() =>
            saveFile(
              `${fileName(bot.name, 'profit-by', by)}.csv`,
              new Blob([sumsCsv(by === 'day' && zone.name !== 'UTC' ? `day in ${zone.name}` : by, ordered)], {
                type: 'text/csv',
              }),
            )
          }
        >
          Export as CSV
        </Button>
      }
    >
      <Choice label="By" value={by} options={BY} onChange={setBy} />
      {read.error === null ? null : <ErrorNote error={read.error} />}
      {read.data === null ? (
        read.error === null ? (
          <Skeleton rows={3} />
        ) : null
      ) : rows.length === 0 ? (
        <p className={styles.quiet}>Nothing is realised or paid yet.</p>
      ) : (
        <SumsTable head={BY.find(({ value }) => value === by)?.label ?? ''} rows={shown} />
      )}
      {shown.length === ordered.length ? null : (
        <p>
          <Button kind="quiet" onClick={() => setAll(true)}>
            Show all {ordered.length}
          </Button>
        </p>
      )}
    </Section>
  );
}
