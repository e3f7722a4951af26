import type { LedgerBook, LedgerEntry } from '../../../contract/ledger.ts';

/** A time in which a bot held something, long or short; `to` is null for what it holds now. Times are ms since the epoch. */
export interface Holding {
  readonly side: 'long' | 'short';
  readonly from: number;
  readonly to: number | null;
}

/** A trade that the ledger booked. */
export interface Fill {
  /** Unique among the fills of a bot. */
  readonly id: string;
  readonly t: number;
  readonly side: 'BUY' | 'SELL';
  readonly price: number;
}

/** What the ledger says of one symbol, oldest first. */
export interface Traded {
  readonly holdings: readonly Holding[];
  readonly fills: readonly Fill[];
}

/** Less than this share of the most that was held is no position: a fee that is taken in units leaves such a remainder. */
const REMAINDER = 0.01;

interface Change {
  readonly t: number;
  readonly change: number;
}

const changeOf = ({ type, side, quantity }: LedgerEntry): number =>
  (type === 'fill' && side === 'SELL' ? -1 : 1) * Number(quantity);

/**
 * The times in which something was held, oldest first, from what is held now and the changes that led to it, newest first. Going
 * back in time needs no beginning: there may be older changes. Of the time before the oldest one nothing is said.
 */
export function holdingsOf(now: number, changes: readonly Change[]): Holding[] {
  let level = now;
  const levels = changes.map(({ t, change }, index) => {
    const one = { from: t, to: changes[index - 1]?.t ?? null, held: level };
    level -= change;
    return one;
  });
  const least = Math.max(Math.abs(level), ...levels.map(({ held }) => Math.abs(held))) * REMAINDER;
  const found: Holding[] = [];
  for (const { from, to, held } of levels.reverse()) {
    if (Math.abs(held) <= least) continue;
    const side = held > 0 ? 'long' : 'short';
    const before = found.at(-1);
    if (before?.to === from && before.side === side) found[found.length - 1] = { ...before, to };
    else found.push({ side, from, to });
  }
  return found;
}

/**
 * What a bot traded and held, by symbol. `entries` are the newest of its ledger, newest first. Each mode has books of its own, so
 * that a paper position never closes a live one.
 */
export function tradedBySymbol(
  entries: readonly LedgerEntry[],
  books: readonly LedgerBook[],
): ReadonlyMap<string, Traded> {
  const moving = entries.filter(
    ({ type, symbol, quantity, problem }) =>
      type !== 'cash_flow' && symbol !== null && quantity !== null && problem === null,
  );
  const positions = books.flatMap(({ mode, positions: held }) => held.map((one) => ({ ...one, mode })));
  const symbols = new Set([...moving, ...positions].flatMap(({ symbol }) => symbol ?? []));
  return new Map([...symbols].map((symbol) => [symbol, tradedIn(symbol)]));

  function tradedIn(symbol: string): Traded {
    const own = moving.filter((one) => one.symbol === symbol);
    const held = positions.filter((one) => one.symbol === symbol);
    const modes = new Set([...own, ...held].map(({ mode }) => mode));
    const holdings = [...modes].flatMap((mode) => {
      const now = held.filter((one) => one.mode === mode).reduce((sum, { quantity }) => sum + Number(quantity), 0);
      const changes = own
        .filter((one) => one.mode === mode)
        .map((entry) => ({ t: Date.parse(entry.at), change: changeOf(entry) }));
      return holdingsOf(now, changes);
    });
    const fills = own.flatMap(({ type, mode, seq, at, side, price }) =>
      type === 'fill' && side !== null && price !== null
        ? [{ id: `${mode} ${seq}`, t: Date.parse(at), side, price: Number(price) }]
        : [],
    );
    return { holdings, fills: fills.reverse() };
  }
}
