import { useMemo } from 'react';
import { useFollowed } from '../ledger/use-followed.ts';
import { useCall } from '../use-call.ts';
import { type Traded, tradedBySymbol } from './holdings.ts';

/** Least time between two readings: so many rows are no small answer. */
const NEXT_MS = 5000;
/** Most rows that one answer holds. */
const ROWS = 1000;
const NONE: ReadonlyMap<string, Traded> = new Map();

/**
 * What a bot traded and held, by symbol, from its newest rows in the ledger; nothing for a bot without books. A row that is
 * booked between the two answers shifts the levels until both are read again, which the change itself brings about.
 */
export function useLedgerTrades(botId: string): ReadonlyMap<string, Traded> {
  const entries = useCall('ledger.entries', { bot_id: botId, limit: ROWS });
  const ledger = useCall('ledger.get', { bot_id: botId });
  useFollowed(entries, { botId }, NEXT_MS);
  useFollowed(ledger, { botId }, NEXT_MS);
  return useMemo(
    () => (entries.data === null || ledger.data === null ? NONE : tradedBySymbol(entries.data, ledger.data.books)),
    [entries.data, ledger.data],
  );
}
