import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export const THEMES = ['system', 'dark', 'light'] as const;
export type Theme = (typeof THEMES)[number];
/** Which clock times are shown in; the tooltip has the other. */
export const ZONES = ['local', 'UTC'] as const;
export type Zone = (typeof ZONES)[number];

interface Preferences {
  readonly theme: Theme;
  readonly zone: Zone;
}

/** How this browser shows things. */
export const usePreferences = create<Preferences>()(
  persist((): Preferences => ({ theme: 'system', zone: 'local' }), { name: 'platform-preferences' }),
);

const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');

function show(): void {
  const { theme } = usePreferences.getState();
  const dark = theme === 'system' ? prefersDark.matches : theme === 'dark';
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

/** Shows the theme that was chosen, and follows the choice and the system. */
export function applyTheme(): void {
  show();
  usePreferences.subscribe(show);
  prefersDark.addEventListener('change', show);
}
