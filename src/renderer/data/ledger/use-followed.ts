import { useEffect, useRef } from 'react';
import { useHost } from '../connection-and-user.ts';
import type { Called } from '../use-call.ts';
import { concerns, followBooks, type ShownBooks } from './changed-books.ts';

/**
 * Reads books again when they have changed, at most every `ms`, while the page is looked at, and once when it is looked at
 * again. A lost connection reads again by itself (useCall).
 */
export function useFollowed(read: Pick<Called<unknown>, 'loading' | 'reload'>, shown: ShownBooks, ms = 1000): void {
  const { socket } = useHost();
  const latest = useRef(read);
  latest.current = read;
  const { botId, marks } = shown;
  useEffect(() => {
    let isDue = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      timer = undefined;
      if (!isDue || document.visibilityState !== 'visible') return;
      if (!latest.current.loading) {
        isDue = false;
        latest.current.reload();
      }
      timer = setTimeout(look, ms);
    };
    const end = followBooks(socket, (changes) => {
      if (!concerns(changes, { ...(botId === undefined ? {} : { botId }), marks: marks === true })) return;
      isDue = true;
      if (timer === undefined) look();
    });
    const seen = (): void => {
      if (timer === undefined) look();
    };
    document.addEventListener('visibilitychange', seen);
    return () => {
      end();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [socket, botId, marks, ms]);
}
