import { usePreferences } from '../data/preferences.ts';

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
