import { Preferences, readPreferences } from '../../../contract/preferences.ts';
import type { Handlers } from './handler-types.ts';
import type { Services } from './services.ts';

/** Operations that read and change the display preferences of the calling user. */
export function preferenceOperations({
  preferences,
}: Pick<Services, 'preferences'>): Pick<Handlers, 'preferences.get' | 'preferences.set'> {
  const read = (userId: string): Preferences => {
    const stored = preferences.get(userId);
    return readPreferences(stored === null ? null : JSON.parse(stored));
  };
  return {
    'preferences.get': (_, { userId }) => read(userId),
    'preferences.set': (change, { userId }) => {
      const next = Preferences.parse({ ...read(userId), ...change });
      preferences.set(userId, JSON.stringify(next));
      return next;
    },
  };
}
