import type { ExceptedBot } from '../../../contract/isolation.ts';
import { assistantFile } from '../../../shared/assistant-places.ts';
import { ASSISTANTS, assistantTitle } from '../../../shared/assistants.ts';
import type { Handlers } from './handler-types.ts';
import { ownBot, reaches } from './own-bot.ts';
import type { Services } from './services.ts';
import { setUpAssistant } from './set-up-assistant.ts';

/** The host itself. */
export function hostOperations(
  s: Services,
): Pick<
  Handlers,
  | 'host.health'
  | 'host.get'
  | 'host.stop'
  | 'host.moved_here'
  | 'exceptions.list'
  | 'exceptions.end'
  | 'assistants.list'
  | 'assistants.set_up'
  | 'images.list'
  | 'images.pull'
> {
  return {
    'host.health': () => ({ status: 'ok' }),
    'host.get': async (_, caller) => {
      const bots: Record<string, number> = {};
      for (const { bot_id, status } of s.records.list(caller.userId)) {
        if (reaches(caller, bot_id)) bots[status] = (bots[status] ?? 0) + 1;
      }
      const info = { ...(await s.hostInfo()), bots };
      const { principal } = caller;
      if (principal?.role === 'owner' && principal.method !== 'api_key') return info;
      // Paths and programs of this machine would help a thief of the key, and no rightful holder needs them.
      const place = { ...info.place, identity: null, note: null, from: null, waiting: null };
      const engines = info.engines.map((engine) => ({ ...engine, address: null }));
      return { ...info, pid: null, data_dir: null, home_dir: null, command: null, place, engines };
    },
    'assistants.list': (_, { principal }) => ({
      items: ASSISTANTS.map((name) => ({
        name,
        title: assistantTitle(name),
        // Only owners learn what is installed on this machine.
        here: principal?.role === 'owner' ? s.isHere(name) : null,
        file: principal?.role === 'owner' ? assistantFile(name, s.assistantSetUp.reach().machine) : null,
      })),
    }),
    'assistants.set_up': (input, caller) => {
      for (const botId of input.bots ?? []) ownBot(s.bots, caller, botId);
      return setUpAssistant(s.assistantSetUp, caller.userId, input);
    },
    'images.list': async () => ({ items: await s.images.list() }),
    'images.pull': ({ runtime }) => s.images.startPull(runtime),
    'exceptions.list': () => {
      const users = new Map(s.auth.listUsers().map(({ user_id, name }) => [user_id, name]));
      const items = s.bots.all().flatMap((bot): ExceptedBot[] => {
        const { bot_id, name, isolation_exception: exception } = s.records.of(bot);
        if (exception === null || bot.deleting || bot.trash !== null) return [];
        return [{ ...exception, bot_id, name, user: users.get(bot.userId) ?? bot.userId }];
      });
      return { items };
    },
    'exceptions.end': async ({ bot_id }) => {
      const { engine } = await s.instances.endException(bot_id);
      return { bot_id, engine };
    },
    'host.moved_here': () => s.copiedFolder.movedHere(),
    'host.stop': ({ leave_bots }) => {
      s.stopHost(leave_bots ?? false);
      return { ok: true };
    },
  };
}
