import { describe, expect, it } from 'vitest';
import type { BotHealth, BotStatus, HealthState } from '../../../src/contract/bot.ts';
import { healthWords, keepsCrashing, needsYou, urgencyOf } from '../../../src/shared/health.ts';

const health = (state: HealthState, failures = 0): BotHealth => ({ state, failures, reason: null });
const ALIVE: readonly BotStatus[] = ['starting', 'running', 'backing_off', 'scheduled'];

describe('healthWords', () => {
  it('never shows a bot in a crash loop or a failing one as well, whatever its program does at the moment', () => {
    for (const status of ALIVE) {
      expect(healthWords({ status, health: health('crash_looping', 14) })).toEqual({
        tone: 'failed',
        words: 'crash-looping · 14×',
      });
      expect(healthWords({ status, health: health('failing', 1) })).toEqual({ tone: 'failed', words: 'failing' });
    }
  });

  it('shows a bot that runs again after a failure as recovering, not as well', () => {
    expect(healthWords({ status: 'running', health: health('recovering', 1) })).toEqual({
      tone: 'warning',
      words: 'recovering',
    });
    expect(healthWords({ status: 'backing_off', health: health('recovering', 1) }).words).toBe('waiting to restart');
  });

  it('shows the status where nothing is wrong, and of a bot that cannot start or is stopped', () => {
    expect(healthWords({ status: 'running', health: health('ok') })).toEqual({ tone: 'running', words: 'running' });
    expect(healthWords({ status: 'failed', health: health('failing', 3) })).toEqual({
      tone: 'failed',
      words: 'failed',
    });
    expect(healthWords({ status: 'stopped', health: health('ok') }).words).toBe('stopped');
  });

  it('tells a bot that may not start from one that was stopped', () => {
    expect(healthWords({ status: 'stopped', health: health('failing') })).toEqual({
      tone: 'failed',
      words: 'cannot start',
    });
  });
});

describe('needsYou', () => {
  it('counts what cannot start, keeps crashing or failed on schedule, and nothing that heals by itself', () => {
    expect(needsYou('failed', health('ok'))).toBe(true);
    expect(needsYou('running', health('crash_looping', 3))).toBe(true);
    expect(needsYou('scheduled', health('failing', 1))).toBe(true);
    expect(needsYou('running', health('recovering', 1))).toBe(false);
    expect(needsYou('backing_off', health('recovering', 2))).toBe(false);
  });

  it('goes on counting a bot after a crash loop until it is well, in amber and with its count', () => {
    const calm = health('recovering', 14);
    expect([keepsCrashing(calm), needsYou('running', calm)]).toEqual([true, true]);
    expect(healthWords({ status: 'running', health: calm })).toEqual({ tone: 'warning', words: 'recovering · 14×' });
    // Its failures were before a change of what runs.
    expect(needsYou('running', health('recovering', 0))).toBe(false);
  });
});

describe('urgencyOf', () => {
  it('sorts a crash-looping bot that runs before a healthy one and after one that cannot start', () => {
    const order = [
      urgencyOf({ status: 'failed', health: health('failing') }),
      urgencyOf({ status: 'running', health: health('crash_looping', 9) }),
      urgencyOf({ status: 'backing_off', health: health('recovering', 1) }),
      urgencyOf({ status: 'running', health: health('ok') }),
      urgencyOf({ status: 'stopped', health: health('ok') }),
    ];
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(new Set(order).size).toBe(order.length);
  });
});
