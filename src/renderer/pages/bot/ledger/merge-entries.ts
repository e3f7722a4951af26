import type { LedgerEntry } from '../../../../contract/ledger.ts';

/** Merges pages of entries, the last in the order of booking first; an entry that is read again replaces the known one. */
export function mergeEntries(known: readonly LedgerEntry[], read: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const bySeq = new Map([...known, ...read].map((entry) => [entry.seq, entry]));
  return [...bySeq.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.seq - a.seq));
}
