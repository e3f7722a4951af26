import { useEffect, useRef } from 'react';

/** Does something again and again for as long as the page is looked at, and at once when it is looked at again. */
export function useEvery(ms: number, work: () => void, active = true): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (!active) return;
    let timer: ReturnType<typeof setInterval> | undefined;
    const run = (): void => latest.current();
    const follow = (): void => {
      clearInterval(timer);
      if (document.visibilityState !== 'visible') return;
      timer = setInterval(run, ms);
    };
    const seen = (): void => {
      if (document.visibilityState === 'visible') run();
      follow();
    };
    follow();
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [ms, active]);
}

/** Does something whenever a text changes, not at first. */
export function useOnChange(key: string, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  const before = useRef(key);
  useEffect(() => {
    if (before.current === key) return;
    before.current = key;
    latest.current();
  }, [key]);
}
