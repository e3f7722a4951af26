import { setImmediate as nextTurn } from 'node:timers/promises';

const AT_ONCE = 50;

/** Begins something for each of many; after every few of them, whatever else waits for this thread has its turn. */
export async function byTurns<T>(items: readonly T[], begin: (item: T) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await nextTurn();
    begin(item);
  }
}
