import type { Handlers } from './handlers.ts';
import type { Services } from './services.ts';

/** The host itself. */
export function hostOperations(s: Services): Pick<Handlers, 'host.health' | 'host.get' | 'host.stop'> {
  return {
    'host.health': () => ({ status: 'ok' }),
    'host.get': async (_, { userId }) => {
      const bots: Record<string, number> = {};
      for (const { status } of s.instances.list(userId)) bots[status] = (bots[status] ?? 0) + 1;
      return { ...(await s.hostInfo()), bots };
    },
    'host.stop': ({ leave_bots }) => {
      s.stopHost(leave_bots ?? false);
      return { ok: true };
    },
  };
}
