import { useCallback, useEffect, useRef } from 'react';
import { type Keeps, markUnsaved } from './unsaved.ts';

const keepsAll: Keeps = () => true;

/**
 * While `isDirty`, leaving asks the user first. The returned function removes the mark at once, for navigation after a
 * save.
 */
export function useUnsaved(isDirty: boolean, keeps: Keeps = keepsAll): () => void {
  const latest = useRef(keeps);
  latest.current = keeps;
  const unmark = useRef<(() => void) | null>(null);
  useEffect(() => {
    if (!isDirty) return;
    const takeAway = markUnsaved((from, to) => latest.current(from, to));
    unmark.current = takeAway;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => {
      takeAway();
      window.removeEventListener('beforeunload', ask);
    };
  }, [isDirty]);
  return useCallback(() => unmark.current?.(), []);
}
