import type { LedgerBook, LedgerEntries, LedgerEntry } from '../../../contract/ledger.ts';

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
  /** Time of the oldest row that was read, where the ledger has older ones; null where it has none. */
  readonly since: number | null;
}

/** A row that leaves no more than this share of what was held has ended it: a fee that is taken in units leaves such a remainder. */
const REMAINDER = 0.01;

interface Change {
  readonly t: number;
  readonly change: number;
}

/**
 * The times in which something was held, oldest first, from what is held now and the changes that led to it, newest first. Going
 * back in time needs no beginning: there may be older changes. Of the time before the oldest one nothing is said, and without any
 * what is held now is held `since` its oldest units.
 */
export function holdingsOf(now: number, changes: readonly Change[], since: number | null = null): Holding[] {
  if (changes.length === 0) {
    return now === 0 || since === null ? [] : [{ side: now > 0 ? 'long' : 'short', from: since, to: null }];
  }
  let level = now;
  const levels = changes.map(({ t, change }, index) => {
    const one = { from: t, to: changes[index - 1]?.t ?? null, held: level };
    level -= change;
    return one;
  });
  const found: Holding[] = [];
  let before = level;
  // What earlier exits left lies beneath what is held: it is part of no position.
  let left = 0;
  for (const { from, to, held } of levels.reverse()) {
    const was = Math.abs(before - left);
    left = nearerToNothing(left, held);
    if (Math.abs(held - left) <= was * REMAINDER) left = held;
    before = held;
    if (held === left) continue;
    const side = held > left ? 'long' : 'short';
    const last = found.at(-1);
    if (last?.to === from && last.side === side) found[found.length - 1] = { ...last, to };
    else found.push({ side, from, to });
  }
  return found;
}

/** What is still there of a remainder when so much is held. */
function nearerToNothing(left: number, held: number): number {
  if (left * held <= 0) return 0;
  return Math.abs(held) < Math.abs(left) ? held : left;
}

/** A book is kept for each mode and account, so that a paper position never closes a live one, nor one account another's. */
const bookOf = ({ mode, account }: Pick<LedgerEntry, 'mode' | 'account'>): string => JSON.stringify([mode, account]);

/** What a bot traded and held, by symbol. `page` has the newest rows of its ledger. */
export function tradedBySymbol(
  { entries, older_before }: Pick<LedgerEntries, 'older_before'> & { readonly entries: readonly LedgerEntry[] },
  books: readonly LedgerBook[],
): ReadonlyMap<string, Traded> {
  const moving = entries.filter(({ symbol, moved }) => symbol !== null && moved !== null);
  const positions = books.flatMap(({ mode, positions: held }) => held.map((one) => ({ ...one, mode })));
  const symbols = new Set([...moving, ...positions].flatMap(({ symbol }) => symbol ?? []));
  const oldest = entries.at(-1);
  const since = older_before === null || oldest === undefined ? null : Date.parse(oldest.at);
  return new Map([...symbols].map((symbol) => [symbol, tradedIn(symbol)]));

  function tradedIn(symbol: string): Traded {
    const own = moving.filter((one) => one.symbol === symbol);
    const held = positions.filter((one) => one.symbol === symbol);
    const holdings = [...new Set([...own, ...held].map(bookOf))].flatMap((book) =>
      heldIn(
        own.filter((one) => bookOf(one) === book),
        held.filter((one) => bookOf(one) === book),
      ),
    );
    const fills = own.flatMap(({ type, mode, seq, at, side, price }) =>
      type === 'fill' && side !== null && price !== null
        ? [{ id: `${mode} ${seq}`, t: Date.parse(at), side, price: Number(price) }]
        : [],
    );
    holdings.sort((a, b) => a.from - b.from);
    return { holdings, fills: fills.reverse(), since };
  }
}

/** What was held of one symbol in one book, on each side of a hedge. */
function heldIn(rows: readonly LedgerEntry[], positions: LedgerBook['positions']): Holding[] {
  const named = [...rows.map(({ position_side }) => position_side), ...positions.map(({ side }) => side)];
  const sides = new Set(named.filter((side) => side !== null));
  if (sides.size === 0) sides.add('net');
  // An adjustment names no side: where it could be of several, nothing is known of the time before it.
  const unclear = sides.size === 1 ? -1 : rows.findIndex(({ position_side }) => position_side === null);
  const known = unclear === -1 ? rows : rows.slice(0, unclear);
  return [...sides].flatMap((side) => {
    const position = positions.find((one) => one.side === side);
    const changes = known
      .filter(({ position_side }) => position_side === null || position_side === side)
      .map(({ at, moved }) => ({ t: Date.parse(at), change: Number(moved) }));
    const since = position?.since == null ? null : Date.parse(position.since);
    return holdingsOf(Number(position?.quantity ?? 0), changes, since);
  });
}
