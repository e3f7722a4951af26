import { expect, it, vi } from 'vitest';
import { OverloadError, withDeadline } from '../../../src/packaging/deadline.ts';

const sleep = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it('ends work that takes too long, at once', () => {
  let begun = 0;
  const forever = (): never => {
    begun += 1;
    for (;;);
  };
  // Whatever else this machine does now, the loop had the processor for all its time.
  const used = vi.spyOn(process, 'threadCpuUsage').mockReturnValue({ user: 200_000, system: 0 });
  expect(() => withDeadline(forever, 200)).toThrow(OverloadError);
  used.mockRestore();
  expect(begun).toBe(1);
});

it('does work again that the machine gave no time to', () => {
  let begun = 0;
  const starved = (): string => {
    begun += 1;
    if (begun < 3) sleep(2000);
    return 'done';
  };
  expect(withDeadline(starved, 100)).toBe('done');
  expect(begun).toBe(3);
});

it('gives it more time by the clock each time', () => {
  let begun = 0;
  const starved = (): string => {
    begun += 1;
    sleep(150);
    return 'done';
  };
  expect(withDeadline(starved, 100)).toBe('done');
  expect(begun).toBeGreaterThan(1);
});

it('gives up in the end', () => {
  let begun = 0;
  expect(() =>
    withDeadline(() => {
      begun += 1;
      sleep(2000);
    }, 50),
  ).toThrow('not done after 250 ms');
  expect(begun).toBe(5);
});
