import { useCallback, useSyncExternalStore } from 'react';

/** True while a media query matches. */
export function useMatches(query: string): boolean {
  const follow = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(follow, () => window.matchMedia(query).matches);
}
