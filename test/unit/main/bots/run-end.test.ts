import { expect, it } from 'vitest';
import { afterRun } from '../../../../src/main/bots/run-end.ts';

type Input = Parameters<typeof afterRun>[0];

/** What becomes of a scheduled bot when one of its runs ends. */
const after = (bot: object, stillRunning: boolean): unknown =>
  afterRun({
    bot: { type: 'scheduled', reason: null, ...bot },
    live: { intent: 'stop' },
    end: { status: 'stopped', reason: null },
    now: 0,
    random: 0,
    stillRunning,
    closing: false,
  } as unknown as Input).status;

it.each([
  [{ enabled: true, status: 'running' }, true, 'running'],
  [{ enabled: true, status: 'running' }, false, 'scheduled'],
  [{ enabled: false, status: 'stopping' }, true, 'stopping'],
  [{ enabled: false, status: 'stopping' }, false, 'stopped'],
])('a scheduled bot that was %j and has another run %j is %s', (bot, stillRunning, status) => {
  expect(after(bot, stillRunning)).toBe(status);
});
