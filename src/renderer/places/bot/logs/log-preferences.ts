import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface LogPreferences {
  /** Long lines are broken rather than cut. */
  readonly wrap: boolean;
  /** Times are written as how long ago. */
  readonly relative: boolean;
}

/** How this browser shows logs. */
export const useLogPreferences = create<LogPreferences>()(
  persist((): LogPreferences => ({ wrap: false, relative: false }), { name: 'platform-logs' }),
);
