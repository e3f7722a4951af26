import type { Ledger, LedgerBook, LedgerEquityNow, LedgerSum, LedgerSummaries } from '../../../contract/ledger.ts';
import { sumDigits } from '../../../shared/exact-digits.ts';

export type Mode = LedgerBook['mode'];

/** In the order of what a person must know first. Rehearsals are no trades, and are in no sum of the desk. */
export const DESK_MODES = ['live', 'unverified', 'paper'] as const satisfies readonly Mode[];

export const MODE_LABELS: Readonly<Record<Mode, string>> = {
  live: 'Live',
  unverified: 'Unverified',
  paper: 'Paper',
  rehearsal: 'Rehearsal',
};

/** What a mode means, for people who meet its name. */
export const MODE_MEANINGS: Readonly<Record<Mode, string>> = {
  live: 'Trades with real money',
  unverified: 'The host cannot tell whether these bots trade with paper or real money',
  paper: 'Trades with play money',
  rehearsal: 'Attempts that are no trades',
};

/** An amount in one currency. */
export interface CurrencyAmount {
  readonly currency: string;
  readonly amount: string;
}

/** What bots did in one mode, added up within each currency alone. */
export interface ModeTotals {
  readonly mode: Mode;
  /** Realised profit after fees and flows of cash. */
  readonly profit: readonly CurrencyAmount[];
  /** Sums that name no currency, and are in no total. */
  readonly unnamed: number;
  readonly equity: readonly CurrencyAmount[];
  /** Positions that are open now. */
  readonly positions: number;
  /** Rows that are in no sum. */
  readonly problems: number;
}

/** How many sums are in no total, in words; null for none. */
export function unnamedWords({ unnamed }: Pick<ModeTotals, 'unnamed'>): string | null {
  if (unnamed === 0) return null;
  return unnamed === 1 ? '1 sum without a currency' : `${unnamed} sums without a currency`;
}

/** What stands where no profit has a currency. */
export const noProfitWords = (totals: Pick<ModeTotals, 'unnamed'>): string =>
  unnamedWords(totals) ?? 'nothing realised';

/** Adds amounts up within each currency; the biggest number of parts first, then by name. */
export function byCurrency(amounts: Iterable<CurrencyAmount>): readonly CurrencyAmount[] {
  const groups = Map.groupBy(amounts, ({ currency }) => currency);
  return [...groups]
    .map(([currency, parts]) => ({
      currency,
      amount: sumDigits(parts.map(({ amount }) => amount)),
      size: parts.length,
    }))
    .sort((a, b) => b.size - a.size || (a.currency < b.currency ? -1 : 1))
    .map(({ currency, amount }) => ({ currency, amount }));
}

/** The net profits of sums that name a currency. */
export function profitsOf(sums: readonly LedgerSum[]): readonly CurrencyAmount[] {
  return sums.flatMap(({ currency, net }) => (currency === null || net === null ? [] : [{ currency, amount: net }]));
}

interface AccountValue extends LedgerEquityNow {
  readonly botId: string;
}

/**
 * The newest equity of each account, once, even if several bots report it. A value without an account is that of the bot's
 * whole, so that the bot's named accounts are not added to it.
 */
export function equityOf(values: readonly AccountValue[]): readonly CurrencyAmount[] {
  const wholes = new Set(
    values.flatMap(({ botId, venue, account, currency }) =>
      venue === null && account === null ? [`${botId} ${currency}`] : [],
    ),
  );
  const newest = new Map<string, AccountValue>();
  for (const value of values) {
    const { botId, venue, account, currency } = value;
    const isWhole = venue === null && account === null;
    if (currency === null || (!isWhole && wholes.has(`${botId} ${currency}`))) continue;
    const key = JSON.stringify([isWhole ? botId : null, venue, account, currency]);
    const known = newest.get(key);
    if (known === undefined || known.at < value.at) newest.set(key, value);
  }
  return byCurrency(
    [...newest.values()].flatMap(({ currency, value }) => (currency === null ? [] : [{ currency, amount: value }])),
  );
}

/** Books of bots as totals of each mode in which any of them has traded. */
export function modeTotals(ledgers: readonly Ledger[]): readonly ModeTotals[] {
  return DESK_MODES.flatMap((mode) => {
    const books = ledgers.flatMap(({ bot_id, books }) =>
      books.filter((book) => book.mode === mode).map((book) => ({ botId: bot_id, book })),
    );
    if (books.length === 0) return [];
    const sums = books.flatMap(({ book }) => book.sums);
    return [
      {
        mode,
        profit: byCurrency(profitsOf(sums)),
        unnamed: sums.filter(({ currency }) => currency === null).length,
        equity: equityOf(books.flatMap(({ botId, book }) => book.equity.map((value) => ({ ...value, botId })))),
        positions: books.reduce((count, { book }) => count + book.positions.length, 0),
        problems: books.reduce((count, { book }) => count + book.not_booked + book.conflicts, 0),
      },
    ];
  });
}

/** Signals of today by mode; null where the host could not read all books, because a part would look like the whole. */
export function signalsToday({ items, incomplete }: LedgerSummaries): ReadonlyMap<Mode, number> | null {
  const counts = new Map<Mode, number>();
  if (incomplete) return null;
  for (const { ledger } of items) {
    if (ledger === null) return null;
    for (const { mode, signals_today } of ledger) counts.set(mode, (counts.get(mode) ?? 0) + signals_today);
  }
  return counts;
}
