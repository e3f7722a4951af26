import { describe, expect, it } from 'vitest';
import { STRATEGIES } from '../../../../src/contract/strategies.ts';
import { DRAWING, drawingOf } from '../../../../src/renderer/components/strategy-drawing.ts';

describe.each(STRATEGIES.map(({ id }) => id))('the drawing of %s', (id) => {
  const { line, levels, marks, stacks } = drawingOf(id);

  it('stays in its frame and shows something', () => {
    const heights = [...levels, ...line.map(({ y }) => y)];
    expect(heights.length + stacks.length).toBeGreaterThan(0);
    for (const y of heights) expect(y >= 0 && y <= DRAWING.height).toBe(true);
    for (const { x } of line) expect(x >= 0 && x <= DRAWING.width).toBe(true);
    for (const mark of marks) expect(line).toContainEqual({ x: mark.x, y: mark.y });
    for (const { shares } of stacks) expect(shares.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 10);
  });
});

it('draws what the strategies do: a grid trades at its levels, a regular buyer in even steps, an alert once', () => {
  const grid = drawingOf('grid');
  for (const { y } of grid.marks) expect(grid.levels).toContain(y);
  expect(grid.marks.filter(({ kind }) => kind === 'buy')).toHaveLength(5);
  expect(grid.marks.filter(({ kind }) => kind === 'sell')).toHaveLength(5);
  const bought = drawingOf('dca').marks.map(({ x }) => x);
  const steps = bought.slice(1).map((x, index) => x - (bought[index] ?? 0));
  expect(new Set(steps).size).toBe(1);
  expect(drawingOf('price-alert').marks.map(({ y, kind }) => [y, kind])).toEqual([
    [drawingOf('price-alert').levels[0], 'alert'],
  ]);
});
