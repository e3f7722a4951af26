import type { Handlers } from './handlers.ts';
import { reaches } from './own-bot.ts';
import type { Services } from './services.ts';

type CatalogOperations =
  | 'custom_bots.list'
  | 'custom_bots.get'
  | 'custom_bots.schema'
  | 'custom_bots.files'
  | 'custom_bots.file'
  | 'custom_bots.diff'
  | 'custom_bots.validate'
  | 'custom_bots.delete';

/** Custom bots and their versions. */
export function catalogOperations(s: Services): Pick<Handlers, CatalogOperations> {
  return {
    'custom_bots.list': (_, caller) => {
      const items = s.catalog.list(caller.userId);
      if (caller.botIds === null) return { items };
      // What a key does not reach is not counted for it either.
      const reached = s.bots.list(caller.userId).filter(({ botId }) => reaches(caller, botId));
      const count = (name: string): number => reached.filter(({ customBot }) => customBot === name).length;
      return { items: items.map((item) => ({ ...item, bots: count(item.name) })) };
    },
    'custom_bots.get': ({ name, version }, { userId }) => s.catalog.get(userId, name, version),
    'custom_bots.schema': ({ name, version }, { userId }) => s.catalog.schema(userId, name, version),
    'custom_bots.files': ({ name, version }, { userId }) => s.catalog.files(userId, name, version),
    'custom_bots.file': ({ name, version, path }, { userId }) => s.catalog.file(userId, name, version, path),
    'custom_bots.diff': ({ name, from, to }, { userId }) => s.catalog.diff(userId, name, from, to),
    'custom_bots.validate': (texts) => s.catalog.validateTexts(texts),
    'custom_bots.delete': async ({ name, version }, { userId }) => {
      await s.catalog.remove(userId, name, version);
      return { ok: true };
    },
  };
}
