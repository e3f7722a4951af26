/** Number of lines that a reader can tell apart in one chart. */
export const LINE_STYLES = 6;
/** Dash patterns beside the colours: lines can be told apart without seeing colours. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];

export const dashOf = (styleIndex: number): readonly number[] => DASHES[styleIndex % LINE_STYLES] ?? [];
export const colourName = (styleIndex: number): string => `--chart-${(styleIndex % LINE_STYLES) + 1}`;

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
