import type { StrategyId } from '../../contract/strategies.ts';

/** Size of the drawing of a strategy. */
export const DRAWING = { width: 120, height: 44 } as const;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What a strategy does, as a small drawing of a made-up market; y grows downwards. */
export interface Drawing {
  /** A price over time. */
  readonly line: readonly Point[];
  /** Heights at which the strategy acts. */
  readonly levels: readonly number[];
  readonly marks: readonly (Point & { readonly kind: 'buy' | 'sell' | 'alert' })[];
  /** Portfolios as stacks of shares, from bottom to top; they add up to 1. */
  readonly stacks: readonly { readonly x: number; readonly shares: readonly number[] }[];
}

/** A price course, evenly spaced over the width. */
function course(...heights: readonly number[]): Point[] {
  return heights.map((y, index) => ({ x: (DRAWING.width * index) / (heights.length - 1), y }));
}

/** The points of a line at which something is done, by their place in it. */
function marked(line: readonly Point[], kinds: Readonly<Record<number, 'buy' | 'sell' | 'alert'>>): Drawing['marks'] {
  return line.flatMap((point, index) => {
    const kind = kinds[index];
    return kind === undefined ? [] : [{ ...point, kind }];
  });
}

const EMPTY: Drawing = { line: [], levels: [], marks: [], stacks: [] };
const IN_STEPS = course(8, 15, 22, 29, 36, 29, 22, 29, 22, 15, 8);
const DOWN_AND_UP = course(9, 13, 18, 24, 30, 34, 31, 27, 22, 15, 10);
const THROUGH_A_LINE = course(34, 36, 31, 32, 27, 22, 14, 10, 13, 9, 11);

const DRAWINGS: Readonly<Record<StrategyId, Drawing>> = {
  empty: { ...EMPTY, levels: [22] },
  grid: {
    ...EMPTY,
    line: IN_STEPS,
    levels: [8, 15, 22, 29, 36],
    marks: marked(IN_STEPS, {
      1: 'buy',
      2: 'buy',
      3: 'buy',
      4: 'buy',
      5: 'sell',
      6: 'sell',
      7: 'buy',
      8: 'sell',
      9: 'sell',
      10: 'sell',
    }),
  },
  dca: {
    ...EMPTY,
    line: DOWN_AND_UP,
    marks: marked(DOWN_AND_UP, { 1: 'buy', 3: 'buy', 5: 'buy', 7: 'buy', 9: 'buy' }),
  },
  'price-alert': { ...EMPTY, line: THROUGH_A_LINE, levels: [22], marks: marked(THROUGH_A_LINE, { 5: 'alert' }) },
  rebalancer: {
    ...EMPTY,
    stacks: [
      { x: 6, shares: [0.5, 0.3, 0.2] },
      { x: 36, shares: [0.65, 0.2, 0.15] },
      { x: 66, shares: [0.5, 0.3, 0.2] },
      { x: 96, shares: [0.35, 0.45, 0.2] },
    ],
  },
};

/** The drawing of a strategy: the same everywhere, without any data. */
export const drawingOf = (strategy: StrategyId): Drawing => DRAWINGS[strategy];
