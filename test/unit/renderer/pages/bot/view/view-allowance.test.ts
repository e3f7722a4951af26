import { describe, expect, it } from 'vitest';
import { Allowance, Lane } from '../../../../../../src/renderer/pages/bot/view/view-allowance.ts';

describe('an allowance', () => {
  it('gives a burst, and then as much as time brings, never more than the burst', () => {
    let now = 0;
    const allowance = new Allowance(10, 3, () => now);
    expect([1, 2, 3, 4].map(() => allowance.take())).toEqual([true, true, true, false]);
    now = 100;
    expect([allowance.take(), allowance.take()]).toEqual([true, false]);
    now = 3_600_000;
    expect([1, 2, 3, 4].map(() => allowance.take())).toEqual([true, true, true, false]);
  });

  it('takes several at once or none', () => {
    const allowance = new Allowance(1, 5, () => 0);
    expect([allowance.take(6), allowance.take(5), allowance.take()]).toEqual([false, true, false]);
  });
});

describe('a lane', () => {
  it('runs a few at a time in their order, and refuses more than may wait', async () => {
    const lane = new Lane(2, 1);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const job = (number: number) => () =>
      new Promise<number>((resolve) => {
        begun.push(number);
        ends.push(() => resolve(number));
      });
    const jobs = [1, 2, 3].map((number) => lane.run(job(number)));
    expect(lane.run(job(4))).toBeNull();
    await Promise.resolve();
    expect(begun).toEqual([1, 2]);
    ends[0]?.();
    expect(await jobs[0]).toBe(1);
    await expect.poll(() => begun).toEqual([1, 2, 3]);
    ends[1]?.();
    ends[2]?.();
    expect(await Promise.all(jobs)).toEqual([1, 2, 3]);
  });

  it('goes on after a job that failed', async () => {
    const lane = new Lane(1, 5);
    const failing = lane.run(() => Promise.reject(new Error('no')));
    const next = lane.run(async () => 'next');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
  });
});
