import { useCallback } from 'react';
import type { ApiKey } from '../../contract/account.ts';
import { hostNow } from '../host-clock.ts';
import { useHost } from './connection-and-user.ts';
import { type Called, useCall } from './use-call.ts';

/** The keys of this account that can be used, newest first, and how one is taken back. */
export interface Keys {
  readonly called: Called<{ readonly items: readonly ApiKey[] }>;
  readonly usable: readonly ApiKey[] | null;
  readonly revoke: (keyId: string) => Promise<void>;
}

/** Reads the keys of this account. */
export function useKeys(): Keys {
  const { socket } = useHost();
  const called = useCall('keys.list', {});
  const { reload } = called;
  const revoke = useCallback(
    async (keyId: string): Promise<void> => {
      await socket.call('keys.delete', { key_id: keyId });
      reload();
    },
    [socket, reload],
  );
  const now = hostNow();
  const usable =
    called.data?.items
      .filter((key) => key.revoked_at === null && (key.expires_at === null || Date.parse(key.expires_at) > now))
      .sort((a, b) => b.created_at.localeCompare(a.created_at)) ?? null;
  return { called, usable, revoke };
}
