import { useEffect, useRef } from 'react';
import { useHost } from './connection-and-user.ts';
import type { Called } from './use-call.ts';

/**
 * Does something again and again for as long as the page is looked at and the host is there, and at once when it is
 * looked at again.
 */
export function useEvery(ms: number, work: () => void, active = true): void {
  const latest = useRef(work);
  latest.current = work;
  const { socket } = useHost();
  useEffect(() => {
    if (!active) return;
    let timer: ReturnType<typeof setInterval> | undefined;
    const run = (): void => {
      if (socket.link === 'open') latest.current();
    };
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
  }, [socket, ms, active]);
}

/** Reads something again and again; while an answer is awaited, the next is not asked for. */
export function useReadEvery(ms: number, read: Pick<Called<unknown>, 'loading' | 'reload'>, active = true): void {
  useEvery(
    ms,
    () => {
      if (!read.loading) read.reload();
    },
    active,
  );
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
