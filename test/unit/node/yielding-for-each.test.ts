import { expect, it } from 'vitest';
import { yieldingForEach } from '../../../src/node/yielding-for-each.ts';

it('begins with each in order, and others have their turn in between', async () => {
  const items = Array.from({ length: 1000 }, (_, n) => n);
  const begun: number[] = [];
  let seen = 0;
  const other = setInterval(() => {
    seen = Math.max(seen, begun.length === items.length ? 0 : begun.length);
  });
  await yieldingForEach(items, (item) => {
    const from = performance.now();
    while (performance.now() - from < 0.02);
    begun.push(item);
  });
  clearInterval(other);
  expect(begun).toEqual(items);
  expect(seen).toBeGreaterThan(0);
});

it('fails with what failed', async () => {
  const begin = (): never => {
    throw new Error('this one');
  };
  await expect(yieldingForEach([1], begin)).rejects.toThrow('this one');
});
