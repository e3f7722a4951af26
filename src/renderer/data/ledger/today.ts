import { useMemo } from 'react';
import type { Ledger } from '../../../contract/ledger.ts';
import { hostNow } from '../../host-clock.ts';
import { useCall } from '../use-call.ts';
import { useReadEvery } from '../use-every-while-visible.ts';
import { dayAt, useDayZone } from './day-zone.ts';
import { type Mode, signalsToday } from './mode-totals.ts';

/** A trade shows up within this time; the books of all bots are a bigger answer than the state of one. */
const EVERY_MS = 10_000;

/** What all bots did today and hold now, read again and again while the page is looked at; null until the first answer. */
export function useToday(): readonly Ledger[] | null {
  const zone = useDayZone();
  const day = dayAt(zone, hostNow());
  const read = useCall('ledger.list', { by: 'day', from: day, to: day, ...zone.asked });
  useReadEvery(EVERY_MS, read);
  return read.data?.items ?? null;
}

/** Signals that all bots gave on this UTC day, by mode; null until they are known. */
export function useSignalsToday(): ReadonlyMap<Mode, number> | null {
  const { data, ...read } = useCall('ledger.summary', {});
  useReadEvery(EVERY_MS, read);
  return useMemo(() => (data === null ? null : signalsToday(data)), [data]);
}
