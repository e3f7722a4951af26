import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useHost } from '../connection-and-user.ts';
import { MetricsStore } from './metrics-store.ts';
import type { TimeWindow } from './time-window.ts';

/** A store of a bot's metrics that is open for as long as the component is shown. */
export function useMetrics(botId: string, window: TimeWindow): MetricsStore {
  const { socket } = useHost();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the window is where it begins; look() changes it
  const store = useMemo(() => new MetricsStore(socket, botId, window), [socket, botId]);
  useEffect(() => store.open(), [store]);
  return store;
}

/** The present state of a store. */
export const useMetricsState = (store: MetricsStore) => useSyncExternalStore(store.follow, store.read);
