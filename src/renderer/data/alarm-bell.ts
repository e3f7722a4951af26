import { useEffect } from 'react';
import { create } from 'zustand';
import { useHost } from './connection-and-user.ts';
import type { HostSocket } from './socket.ts';

/** An alarm need not ring within a second: channels tell those who are not looking. */
const LOOK_MS = 10_000;

/** Number of alarms that this user has not seen. */
export const useAlarmBell = create<{ readonly unseen: number }>(() => ({ unseen: 0 }));

/** Counts alarms up to this one as seen, here and for the host. */
export function markAlarmsSeen(socket: HostSocket, upTo: number): void {
  useAlarmBell.setState({ unseen: 0 });
  // Where that fails, the next look finds them unseen again.
  socket.call('alarms.seen', { up_to: upTo }).catch(() => undefined);
}

/** Keeps the number in line for as long as the page is open. */
export function useFollowAlarms(): void {
  const { socket } = useHost();
  useEffect(() => {
    let left = false;
    const look = (): void => {
      if (document.visibilityState !== 'visible') return;
      socket.read('alarms.log', { limit: 1 }).then(
        ({ unseen }) => {
          if (!left) useAlarmBell.setState({ unseen });
        },
        // The page reports lost connections itself.
        () => undefined,
      );
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => {
      left = true;
      clearInterval(timer);
      useAlarmBell.setState({ unseen: 0 });
    };
  }, [socket]);
}
