import type { Handlers } from './handlers.ts';
import type { Services } from './services.ts';

type CatalogOperations =
  | 'custom_bots.list'
  | 'custom_bots.get'
  | 'custom_bots.schema'
  | 'custom_bots.validate'
  | 'custom_bots.delete';

/** Custom bots and their versions. */
export function catalogOperations(s: Services): Pick<Handlers, CatalogOperations> {
  return {
    'custom_bots.list': (_, { userId }) => ({
      items: s.catalog.list(userId),
    }),
    'custom_bots.get': ({ name, version }, { userId }) => s.catalog.get(userId, name, version),
    'custom_bots.schema': ({ name, version }, { userId }) => s.catalog.schema(userId, name, version),
    'custom_bots.validate': (texts) => s.catalog.validateTexts(texts),
    'custom_bots.delete': async ({ name, version }, { userId }) => {
      await s.catalog.remove(userId, name, version);
      return { ok: true };
    },
  };
}
