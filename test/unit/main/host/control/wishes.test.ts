import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Wish, Wishes } from '../../../../../src/main/host/control/wishes.ts';
import { tempDir } from '../../../../support/temp.ts';

const id = (number: number): string => `bot_${String(number).padStart(26, '0')}`;

/** On the disk as well. */
function keep(wishes: Wishes, key: string, wish: Wish): void {
  wishes.keep(key, wish);
  expect(wishes.store(key)).toBe(true);
}

describe('wishes', () => {
  it('are there for the next host, in a file that never grows', () => {
    const file = join(tempDir(), 'wishes');
    const first = new Wishes(file);
    const { size, blocks } = statSync(file);
    // Taken for real: a file with holes would need space when it is written.
    expect(blocks * 512).toBeGreaterThanOrEqual(size);
    for (let number = 0; number < 1000; number++)
      keep(first, id(number), { wish: number % 2 ? 'stop' : 'delete', at: number });
    keep(first, id(1), { wish: 'delete', at: 5000 });
    first.drop(id(0));
    first.close();
    expect(statSync(file).size).toBe(size);
    const next = new Wishes(file);
    expect(next.all('bot')).toHaveLength(999);
    expect(next.get(id(0))).toBeUndefined();
    expect(next.get(id(1))).toEqual({ wish: 'delete', at: 5000 });
    expect(next.get(id(999))).toEqual({ wish: 'stop', at: 999 });
    next.close();
  });

  it('are about bots, keys and sessions, each told apart', () => {
    const file = join(tempDir(), 'wishes');
    const wishes = new Wishes(file);
    keep(wishes, id(1), { wish: 'stop', at: 1 });
    keep(wishes, 'key', { wish: 'revoke', at: 2 });
    keep(wishes, 'session', { wish: 'end', at: 3 });
    wishes.close();
    const next = new Wishes(file);
    expect(next.all('bot')).toEqual([[id(1), { wish: 'stop', at: 1 }]]);
    expect(next.all('key')).toEqual([['key', { wish: 'revoke', at: 2 }]]);
    expect(next.all('session')).toEqual([['session', { wish: 'end', at: 3 }]]);
    next.close();
  });

  it('are kept in memory alone when every slot is taken, and on the disk once there is one', () => {
    const file = join(tempDir(), 'wishes');
    const wishes = new Wishes(file);
    for (let number = 0; number < 4096; number++) keep(wishes, id(number), { wish: 'stop', at: 1 });
    for (const number of [4096, 4097]) wishes.keep(id(number), { wish: 'stop', at: 1 });
    expect(wishes.store(id(4096))).toBe(false);
    expect(wishes.get(id(4096))).toEqual({ wish: 'stop', at: 1 });
    wishes.drop(id(4097));
    expect(wishes.get(id(4097))).toBeUndefined();
    wishes.drop(id(7));
    wishes.storeAll();
    expect(wishes.store(id(4096))).toBe(true);
    wishes.close();
    const next = new Wishes(file);
    expect([next.get(id(4096))?.wish, next.get(id(4097)), next.get(id(7))]).toEqual(['stop', undefined, undefined]);
    next.close();
  }, 60_000);

  it('do without what a crash has cut off', () => {
    const file = join(tempDir(), 'wishes');
    const wishes = new Wishes(file);
    keep(wishes, id(1), { wish: 'stop', at: 1 });
    wishes.close();
    truncateSync(file, 200);
    writeFileSync(file, '{"bot": "bot_', { flag: 'a' });
    const next = new Wishes(file);
    expect(next.all('bot')).toEqual([[id(1), { wish: 'stop', at: 1 }]]);
    keep(next, id(2), { wish: 'delete', at: 2 });
    next.close();
    const third = new Wishes(file);
    expect(third.all('bot').map(([bot]) => bot)).toEqual([id(1), id(2)]);
    third.close();
  });
});
