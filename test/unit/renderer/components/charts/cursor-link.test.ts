import { expect, it } from 'vitest';
import { CursorLink } from '../../../../../src/renderer/components/charts/cursor-link.ts';

it('who follows the crosshair hears of each move once', () => {
  const link = new CursorLink();
  let heard = 0;
  const stop = link.follow(() => {
    heard += 1;
  });
  link.point(5);
  link.point(5);
  link.point(null);
  stop();
  link.point(7);
  expect(heard).toBe(2);
  expect(link.at).toBe(7);
});
