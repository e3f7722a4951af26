import { describe, expect, it } from 'vitest';
import { Attempts } from '../../../../../src/main/host/auth/attempts.ts';
import { codeOf, errorOf } from './open-auth.ts';

const HOUR = 3_600_000;

function attempts(most?: number) {
  const clock = { now: 1_000_000 };
  return { clock, guard: new Attempts(() => clock.now, most) };
}

function fail(guard: Attempts, who: string, times: number): void {
  for (let n = 0; n < times; n++) guard.failed(who);
}

const isFree = (guard: Attempts, who: string): boolean => {
  guard.check(who);
  return true;
};

describe('attempts', () => {
  it('wait twice as long each time, up to a quarter of an hour', async () => {
    const { guard, clock } = attempts();
    fail(guard, 'a', 4);
    expect(isFree(guard, 'a')).toBe(true);
    const waits: (number | undefined)[] = [];
    for (let n = 0; n < 12; n++) {
      guard.failed('a');
      const { retryAfter = 0 } = await errorOf(() => guard.check('a'));
      waits.push(retryAfter);
      clock.now += retryAfter * 1000 - 1;
      expect(await codeOf(() => guard.check('a'))).toBe('RATE_LIMITED');
      clock.now += 1;
      expect(isFree(guard, 'a')).toBe(true);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('are forgotten an hour after the last failure', async () => {
    const { guard, clock } = attempts();
    fail(guard, 'a', 4);
    clock.now += HOUR - 1;
    guard.failed('a');
    expect(await codeOf(() => guard.check('a'))).toBe('RATE_LIMITED');
    clock.now += HOUR;
    fail(guard, 'a', 4);
    expect(isFree(guard, 'a')).toBe(true);
  });

  it('under way count as failures until they end', async () => {
    const { guard } = attempts();
    fail(guard, 'a', 3);
    const gate = Promise.withResolvers<boolean>();
    const running = [1, 2].map(() => guard.run('a', () => gate.promise));
    expect(await codeOf(() => guard.run('a', () => gate.promise))).toBe('RATE_LIMITED');
    const elsewhere = guard.run('b', () => gate.promise);
    gate.resolve(true);
    expect(await Promise.all([...running, elsewhere])).toEqual([true, true, true]);
    expect(await guard.run('a', async () => false)).toBe(false);
    expect(await guard.run('a', async () => true)).toBe(true);
  });

  it('that break are no failures and make room again', async () => {
    const { guard } = attempts();
    for (let n = 0; n < 10; n++) {
      await expect(guard.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    expect(await guard.run('a', async () => true)).toBe(true);
  });

  it('keep those who have to wait when made-up names fill the memory', async () => {
    const { guard } = attempts(10);
    fail(guard, 'a', 5);
    for (let n = 0; n < 1000; n++) guard.failed(`made up ${n}`);
    expect(await codeOf(() => guard.check('a'))).toBe('RATE_LIMITED');
  });

  it('forget the oldest when all have to wait: memory is bounded', async () => {
    const { guard } = attempts(10);
    for (let n = 0; n < 11; n++) fail(guard, `name ${n}`, 4);
    for (let n = 0; n < 12; n++) fail(guard, `blocked ${n}`, 5);
    const waiting: number[] = [];
    for (let n = 0; n < 12; n++) {
      const blocked = await Promise.resolve()
        .then(() => isFree(guard, `blocked ${n}`))
        .catch(() => false);
      if (!blocked) waiting.push(n);
    }
    expect(waiting).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });
});
