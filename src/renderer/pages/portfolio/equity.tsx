import { useMemo } from 'react';
import { instantText } from '../../components/charts/time-labels.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { beginOf, useDayZone } from '../../data/ledger/day-zone.ts';
import { equityCurve } from '../../data/ledger/equity-curve.ts';
import type { Mode } from '../../data/ledger/mode-totals.ts';
import { useEquity } from '../../data/ledger/use-equity.ts';
import type { BotBook } from './ranges-and-books.ts';
import { ValueCurve } from './value-curve.tsx';

interface EquityProps {
  readonly books: readonly BotBook[];
  readonly mode: Mode;
  readonly currency: string;
  /** The first day; null: from the beginning on. */
  readonly from: string | null;
}

/** What accounts were worth over time by the bots' own word; nothing where no bot has told it. */
export function Equity({ books, mode, currency, from }: EquityProps) {
  const ids = books.flatMap(({ botId, book }) => (book.equity.some((one) => one.currency === currency) ? [botId] : []));
  const zone = useDayZone();
  const timeText = (at: string): string => instantText(Date.parse(at), zone.clock).slice(0, 'YYYY-MM-DD hh:mm'.length);
  const { curves, error } = useEquity(ids, mode, from === null ? null : beginOf(zone, from));
  const curve = useMemo(() => equityCurve(curves, currency), [curves, currency]);
  if (error !== null) return <ErrorNote error={error} />;
  if (curve.length < 2) return null;
  return (
    <ValueCurve title="Equity and drawdown" curve={curve} currency={currency} isProfit={false} timeText={timeText} />
  );
}
