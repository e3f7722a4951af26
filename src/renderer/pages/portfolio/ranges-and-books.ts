import type { Ledger, LedgerBook } from '../../../contract/ledger.ts';
import type { Mode } from '../../data/ledger/mode-totals.ts';

/** Stretches of time to look at. */
export const RANGES = [
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: '1 year' },
  { value: 'all', label: 'All' },
] as const;
type RangeId = (typeof RANGES)[number]['value'];

const DAYS: Readonly<Record<RangeId, number | null>> = { '30d': 30, '90d': 90, '1y': 365, all: null };
const DAY_MS = 86_400_000;

/** The first day of a stretch that ends today; null for all days. */
export function firstDay(range: RangeId, today: string): string | null {
  const days = DAYS[range];
  return days === null ? null : new Date(Date.parse(today) - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** The book of a bot in one mode. */
export interface BotBook {
  readonly botId: string;
  readonly book: LedgerBook;
}

export function booksOf(ledgers: readonly Ledger[], mode: Mode): readonly BotBook[] {
  return ledgers.flatMap(({ bot_id, books }) =>
    books.filter((book) => book.mode === mode).map((book) => ({ botId: bot_id, book })),
  );
}
