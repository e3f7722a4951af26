import type { ViewContext } from './view-bridge.ts';

/** The names that MCP Apps has for looks, and our tokens behind them. */
const VARIABLES: Readonly<Record<string, string>> = {
  '--color-background-primary': '--surface',
  '--color-background-secondary': '--bg',
  '--color-background-tertiary': '--sunken',
  '--color-background-info': '--selected',
  '--color-background-success': '--running-soft',
  '--color-background-warning': '--warning-soft',
  '--color-background-danger': '--failed-soft',
  '--color-text-primary': '--fg',
  '--color-text-secondary': '--fg-dim',
  '--color-text-tertiary': '--fg-faint',
  '--color-text-info': '--accent',
  '--color-text-success': '--running',
  '--color-text-warning': '--warning',
  '--color-text-danger': '--failed',
  '--color-border-primary': '--line',
  '--color-border-secondary': '--line-strong',
  '--color-ring-primary': '--accent',
};

/** How the page looks now. Fonts are left out: a view loads none, and the page's are files of the host. */
export function readContext(root: HTMLElement): ViewContext {
  const style = getComputedStyle(root);
  const variables = Object.entries(VARIABLES).map(([name, token]) => [name, style.getPropertyValue(token).trim()]);
  return {
    theme: root.dataset.theme === 'light' ? 'light' : 'dark',
    styles: { variables: Object.fromEntries(variables) },
  };
}
