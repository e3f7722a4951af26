import { useSyncExternalStore } from 'react';
import { colourName, DASHES, type Palette } from './line-style.ts';

let known: { readonly theme: string | undefined; readonly palette: Palette } | null = null;

function read(): Palette {
  const root = document.documentElement;
  const { theme } = root.dataset;
  if (known?.theme === theme && known !== null) return known.palette;
  const style = getComputedStyle(root);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const palette: Palette = {
    lines: DASHES.map((_, styleIndex) => token(colourName(styleIndex))),
    text: token('--fg-dim'),
    grid: token('--line'),
    rule: token('--line-strong'),
    surface: token('--surface'),
    buy: token('--running'),
    sell: token('--failed'),
    font: token('--font'),
  };
  known = { theme, palette };
  return palette;
}

function follow(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** The colours of charts in the theme that is shown now. */
export const usePalette = (): Palette => useSyncExternalStore(follow, read);
