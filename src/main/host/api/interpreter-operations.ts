import type { Handlers } from './handler-types.ts';
import type { Services } from './services.ts';

/** Interpreters that packages may name. */
export function interpreterOperations({
  interpreters,
}: Services): Pick<Handlers, 'interpreters.list' | 'interpreters.allow' | 'interpreters.remove'> {
  return {
    'interpreters.list': (_, { principal }) => {
      const items = interpreters.list();
      if (principal?.role === 'owner' && principal.method !== 'api_key') return { items };
      // Paths of this machine would help a thief of the key, and no rightful holder needs them.
      return { items: items.map((one) => ({ ...one, path: null })) };
    },
    'interpreters.allow': (asked) => interpreters.allow(asked),
    'interpreters.remove': async ({ interpreter }) => {
      await interpreters.remove(interpreter);
      return { interpreter };
    },
  };
}
