import type { LedgerOrder } from '../../../../contract/ledger.ts';

/** Merges pages of orders, newest first; an order that is read again replaces the known one, whose status is older. */
export function mergeOrders(known: readonly LedgerOrder[], read: readonly LedgerOrder[]): readonly LedgerOrder[] {
  const bySeq = new Map([...known, ...read].map((order) => [order.seq, order]));
  return [...bySeq.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.seq - a.seq));
}
