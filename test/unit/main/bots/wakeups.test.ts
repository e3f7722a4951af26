import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Wakeups } from '../../../../src/main/bots/wakeups.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('wakes a bot once its wait is over, and remembers that until the wait is ended', () => {
  const woken: string[] = [];
  const waits = new Wakeups((botId) => woken.push(botId));
  waits.later('bot_1', 1000);
  expect([waits.waits('bot_1'), waits.isOver('bot_1')]).toEqual([true, false]);
  vi.advanceTimersByTime(1000);
  expect([woken, waits.waits('bot_1'), waits.isOver('bot_1')]).toEqual([['bot_1'], false, true]);
  waits.end('bot_1');
  expect(waits.isOver('bot_1')).toBe(false);
});

it('never lets an old wait cut short a later one', () => {
  const woken: string[] = [];
  const waits = new Wakeups((botId) => woken.push(botId));
  waits.later('bot_1', 1000);
  waits.end('bot_1');
  waits.later('bot_2', 1000);
  waits.later('bot_2', 5000);
  vi.advanceTimersByTime(4999);
  expect(woken).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(woken).toEqual(['bot_2']);
});
