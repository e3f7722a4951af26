import { ASSISTANTS, assistantTitle } from '../../isomorphic/assistants.ts';
import type { Handlers } from './handlers.ts';
import { reaches } from './own-bot.ts';
import type { Services } from './services.ts';

/** The host itself. */
export function hostOperations(
  s: Services,
): Pick<Handlers, 'host.health' | 'host.get' | 'host.stop' | 'assistants.list' | 'images.list' | 'images.pull'> {
  return {
    'host.health': () => ({ status: 'ok' }),
    'host.get': async (_, caller) => {
      const bots: Record<string, number> = {};
      for (const { bot_id, status } of s.records.list(caller.userId)) {
        if (reaches(caller, bot_id)) bots[status] = (bots[status] ?? 0) + 1;
      }
      return { ...(await s.hostInfo()), bots };
    },
    'assistants.list': (_, { principal }) => ({
      items: ASSISTANTS.map((name) => ({
        name,
        title: assistantTitle(name),
        // What is on somebody's machine is nobody else's business.
        here: principal?.role === 'owner' ? s.isHere(name) : null,
      })),
    }),
    'images.list': async () => ({ items: await s.images.list() }),
    'images.pull': ({ runtime }) => s.images.startPull(runtime),
    'host.stop': ({ leave_bots }) => {
      s.stopHost(leave_bots ?? false);
      return { ok: true };
    },
  };
}
