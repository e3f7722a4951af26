import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { AuthStatus } from '../../contract/account.ts';
import type { HostSocket, Link } from './socket.ts';

/** Connection that every part of the dashboard shares, and the user whom it serves. */
export interface Host {
  readonly socket: HostSocket;
  readonly who: AuthStatus;
}

const HostContext = createContext<Host | null>(null);
export const HostProvider = HostContext.Provider;

/** The host of this page; only below a HostProvider. */
export function useHost(): Host {
  const host = useContext(HostContext);
  if (host === null) throw new Error('useHost needs a HostProvider above it');
  return host;
}

/** Returns the state of the connection between this page and its host. */
export function useLink(): Link {
  const { socket } = useHost();
  const follow = useCallback((listener: () => void) => socket.onLink(listener), [socket]);
  return useSyncExternalStore(follow, () => socket.link);
}
