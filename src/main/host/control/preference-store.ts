import type { ControlDatabase } from './control-database.ts';

/** Stored display preferences of each user, as JSON text; null for a user without any. */
export function createPreferenceStore(db: ControlDatabase) {
  const get = db.prepare<[string], { value: string }>('select value from preference where user_id = ?');
  const set = db.prepare(
    'insert into preference (user_id, value) values (?, ?) on conflict do update set value = excluded.value',
  );
  return {
    get: (userId: string): string | null => get.get(userId)?.value ?? null,
    set: (userId: string, value: string): void => void set.run(userId, value),
  };
}

export type PreferenceStore = ReturnType<typeof createPreferenceStore>;
