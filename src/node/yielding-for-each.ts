import { setImmediate as nextTurn } from 'node:timers/promises';

const AT_ONCE = 50;

/** Calls `begin` for each item, yielding to the event loop after every few. */
export async function yieldingForEach<T>(items: readonly T[], begin: (item: T) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await nextTurn();
    begin(item);
  }
}
