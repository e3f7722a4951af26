import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RestartTimers } from '../../../../../src/main/host/bots/restart-timers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('restarts a bot once its wait is over, and remembers that until it is cleared', () => {
  const restarted: string[] = [];
  const timers = new RestartTimers();
  timers.set('bot_1', 1000, () => restarted.push('bot_1'));
  expect(timers.of('bot_1')).toBe('set');
  vi.advanceTimersByTime(1000);
  expect([restarted, timers.of('bot_1')]).toEqual([['bot_1'], 'over']);
  timers.clear('bot_1');
  expect(timers.of('bot_1')).toBe('none');
});

it('never lets an old wait cut short a later one', () => {
  const restarted: string[] = [];
  const timers = new RestartTimers();
  timers.set('bot_1', 1000, () => restarted.push('bot_1'));
  timers.clear('bot_1');
  timers.set('bot_2', 1000, () => restarted.push('early'));
  timers.set('bot_2', 5000, () => restarted.push('bot_2'));
  vi.advanceTimersByTime(4999);
  expect(restarted).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(restarted).toEqual(['bot_2']);
});
