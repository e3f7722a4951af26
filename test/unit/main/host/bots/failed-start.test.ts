import { expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { afterFailedStart, dueRunAgainMs } from '../../../../../src/main/host/bots/failed-start.ts';
import { failedAgain, WELL } from '../../../../../src/main/host/bots/health.ts';
import { engineWaitOf, isLasting, startFailure } from '../../../../../src/main/host/bots/reasons.ts';
import type { BotRow } from '../../../../../src/main/host/control/bot-store.ts';
import { aBot } from '../../../../support/plan-table.ts';

/** The record of a bot whose start has failed so at these times, and its waits. */
function afterStarts(error: unknown, starts: number, given: BotRow = aBot()) {
  let [bot, at] = [given, 0];
  const waits: number[] = [];
  for (let n = 0; n < starts; n += 1) {
    const why = startFailure(error, at);
    const failed = { why, isLasting: isLasting(error), engineMs: engineWaitOf(error) };
    bot = { ...bot, ...afterFailedStart({ ...failed, bot, stillRunning: false, at, random: 0.5 }) };
    waits.push((bot.nextAttemptAt ?? 0) - at);
    at = bot.nextAttemptAt ?? 0;
  }
  return { bot, waits };
}

it.each(['ISOLATION_REQUIRED', 'ENGINE_UNAVAILABLE'] as const)('counts no crash while a bot waits: %s', (code) => {
  const { bot, waits } = afterStarts(new PlatformError(code, 'lacking', { retryAfter: 10 }), 9);
  expect(bot).toMatchObject({
    ...{ status: 'backing_off', failures: 0, restarts: 0 },
    // It waits since its first start failed.
    ...{ reason: { code, at: '1970-01-01T00:00:00.000Z' }, health: { state: 'recovering', failures: 0 } },
  });
  // At no time before its engine may have what it lacks, and less often the longer that has lasted.
  expect(waits).toEqual([10_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
});

it('leaves the crashes of before as they are', () => {
  const why = startFailure(new Error('x'), 0);
  const crashed = [1, 2, 3].reduce((health) => failedAgain(health, why, 'realtime'), WELL);
  const lacking = new PlatformError('ISOLATION_REQUIRED', 'lacking', { retryAfter: 10 });
  const { bot } = afterStarts(lacking, 5, aBot({ failures: 3, health: crashed }));
  expect([bot.failures, bot.health.state, bot.health.failures]).toEqual([3, 'crash_looping', 3]);
});

it('counts every other failed start, and the failed runs of a bot with a schedule', () => {
  expect(afterStarts(new Error('no memory'), 4).bot).toMatchObject({
    ...{ status: 'backing_off', failures: 4, health: { state: 'crash_looping', failures: 4 } },
  });
  expect(afterStarts(new PlatformError('ISOLATION_REQUIRED', 'never'), 1).bot.status).toBe('failed');
  const lacking = new PlatformError('ISOLATION_REQUIRED', 'lacking', { retryAfter: 10 });
  expect(afterStarts(lacking, 2, aBot({ type: 'scheduled' })).bot).toMatchObject({
    ...{ status: 'scheduled', health: { state: 'failing', failures: 2 } },
  });
});

it('has a due run wait up to a minute for what its engine lacks, and a run by hand not at all', () => {
  const again = (trigger: 'schedule' | 'catch_up' | 'manual', engineMs: number | null, now: number) =>
    dueRunAgainMs({ trigger, createdAt: 1_000_000 }, { engineMs }, 1_000_000 + now);
  expect(again('schedule', 10_000, 0)).toBe(10_000);
  expect(again('catch_up', 10_000, 50_000)).toBe(10_000);
  expect(again('schedule', 10_000, 50_001)).toBeNull();
  expect(again('schedule', 0, 10)).toBe(1000);
  expect(again('schedule', 60_000, 1)).toBeNull();
  expect(again('schedule', null, 0)).toBeNull();
  expect(again('manual', 10_000, 0)).toBeNull();
  // The clock was set back.
  expect(again('schedule', 10_000, -3_600_000)).toBeNull();
});
