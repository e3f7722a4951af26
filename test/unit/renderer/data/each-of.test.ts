import { expect, it } from 'vitest';
import { eachOf } from '../../../../src/renderer/data/each-of.ts';

it('does each item once, in order, never more than so many at a time', async () => {
  const begun: number[] = [];
  let now = 0;
  let most = 0;
  await eachOf([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    begun.push(item);
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

it('has nothing to do without items, and passes on what is thrown', async () => {
  await eachOf([], 3, () => Promise.reject(new Error('never')));
  await expect(eachOf([1], 3, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
