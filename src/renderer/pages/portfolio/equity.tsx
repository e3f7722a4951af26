import { useMemo } from 'react';
import { instantText } from '../../components/charts/time-labels.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { equityCurve } from '../../data/ledger/equity-curve.ts';
import type { Mode } from '../../data/ledger/mode-totals.ts';
import { useEquity } from '../../data/ledger/use-equity.ts';
import { usePreferences } from '../../data/preferences.ts';
import type { BotBook } from './ranges-and-books.ts';
import { ValueCurve } from './value-curve.tsx';

interface EquityProps {
  readonly books: readonly BotBook[];
  readonly mode: Mode;
  readonly currency: string;
  readonly from: string | null;
}

/** What accounts were worth over time by the bots' own word; nothing where no bot has told it. */
export function Equity({ books, mode, currency, from }: EquityProps) {
  const ids = books.flatMap(({ botId, book }) => (book.equity.some((one) => one.currency === currency) ? [botId] : []));
  const zone = usePreferences((one) => one.zone);
  const timeText = (at: string): string => instantText(Date.parse(at), zone).slice(0, 'YYYY-MM-DD hh:mm'.length);
  const { curves, error } = useEquity(ids, mode, from);
  const curve = useMemo(() => equityCurve(curves, currency), [curves, currency]);
  if (error !== null) return <ErrorNote error={error} />;
  if (curve.length < 2) return null;
  return (
    <ValueCurve title="Equity and drawdown" curve={curve} currency={currency} isProfit={false} timeText={timeText} />
  );
}
