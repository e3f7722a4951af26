/** How many lines can be told apart in one chart. */
export const SLOTS = 6;
/** Dash patterns beside the colours: lines can be told apart without seeing colours. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];

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
