import { useMemo, useRef } from 'react';
import type { FeedState } from './log-feed.ts';
import type { Place } from './virtual-scroll-layout.ts';

/**
 * Returns the place of the window in the log. It judges the density of the lines once for each window, so that the scroll bar
 * keeps still.
 */
export function useWindowPlace({ window, bounds, atEnd, round }: FeedState): Place {
  const known = useRef({ round: -1, density: 1 });
  return useMemo(() => {
    const { entries, from, upTo, atStart } = window;
    if (known.current.round !== round && entries.length > 0) {
      const begin = atStart ? (entries[0]?.seq ?? from) : from;
      known.current = { round, density: Math.min(1, entries.length / Math.max(1, upTo - begin)) };
    }
    return {
      first: bounds?.first ?? from,
      last: bounds?.last ?? upTo,
      from,
      to: upTo,
      atStart,
      atEnd,
      density: known.current.density,
    };
  }, [window, bounds, atEnd, round]);
}
