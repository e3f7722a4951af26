import { expect, it, vi } from 'vitest';
import { RateLimit } from '../../../../../src/main/host/http/rate-limit.ts';

it('lets a burst through, refuses more with the time to wait, and refills', () => {
  let now = 0;
  const limit = new RateLimit({ perSecond: 2, burst: 3 }, () => now);
  for (let i = 0; i < 3; i++) limit.take('a');
  expect(() => limit.take('a')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: 1 }));
  limit.take('b');
  now = 500;
  limit.take('a');
  expect(() => limit.take('a')).toThrow();
});

it('survives a clock that is set back', () => {
  let now = 10_000;
  const limit = new RateLimit({ perSecond: 1, burst: 1 }, () => now);
  limit.take('a');
  now = 0;
  expect(() => limit.take('a')).toThrow();
  now = 1000;
  limit.take('a');
});

it('lets a costly request be paid back before the next one', async () => {
  let now = 0;
  const limit = new RateLimit({ perSecond: 10, burst: 20 }, () => now);
  limit.take('a');
  const work = vi.spyOn(process, 'threadCpuUsage');
  limit.take('b');
  work.mockReturnValue({ user: 2_000_000, system: 500_000 });
  expect(await limit.weighed('a', () => Promise.resolve('done'))).toBe('done');
  work.mockRestore();
  expect(() => limit.take('a')).toThrow(expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: 3 }));
  limit.take('b');
  now = 2200;
  limit.take('a');
});
