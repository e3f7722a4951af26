import { useSyncExternalStore } from 'react';

/** How many lines can be told apart in one chart. */
export const SLOTS = 6;
/** Dash patterns beside the colours: lines can be told apart without seeing colours. */
const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];

export const dashOf = (slot: number): readonly number[] => DASHES[slot % SLOTS] ?? [];
export const colourName = (slot: number): string => `--chart-${(slot % SLOTS) + 1}`;

/** Colours as a canvas needs them: written out, of the theme that is shown. */
export interface Palette {
  readonly lines: readonly string[];
  readonly text: string;
  readonly grid: string;
  readonly rule: string;
  readonly surface: string;
  readonly buy: string;
  readonly sell: string;
  readonly font: string;
}

let known: { readonly theme: string | undefined; readonly palette: Palette } | null = null;

function read(): Palette {
  const root = document.documentElement;
  const { theme } = root.dataset;
  if (known?.theme === theme && known !== null) return known.palette;
  const style = getComputedStyle(root);
  const token = (name: string): string => style.getPropertyValue(name).trim();
  const palette: Palette = {
    lines: DASHES.map((_, slot) => token(colourName(slot))),
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
