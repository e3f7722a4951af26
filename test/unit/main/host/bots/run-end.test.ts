import { expect, it } from 'vitest';
import { WELL } from '../../../../../src/main/host/bots/health.ts';
import { afterRun, runEnd } from '../../../../../src/main/host/bots/run-end.ts';

type Input = Parameters<typeof afterRun>[0];

/** What becomes of a scheduled bot when one of its runs ends. */
const after = (bot: object, stillRunning: boolean): unknown =>
  afterRun({
    bot: { type: 'scheduled', reason: null, ...bot },
    run: { intent: 'stop' },
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

it.each([
  [
    { status: 'running', epoch: 1 },
    { status: 'stopped', failures: 0, nextAttemptAt: null },
  ],
  [{ status: 'running', epoch: 2 }, { nextAttemptAt: null }],
  [{ status: 'stopping', epoch: 1 }, { nextAttemptAt: null }],
])('exit 0 of a realtime bot that was %j: finished only where nobody asked for its end', (bot, expected) => {
  const change = afterRun({
    bot: { type: 'realtime', enabled: true, ...bot },
    run: { intent: 'none', epoch: 1 },
    end: { status: 'succeeded', reason: null },
    now: 0,
    random: 0,
    stillRunning: false,
    closing: false,
  } as unknown as Input);
  expect(change).toMatchObject(expected);
  expect('status' in change).toBe('status' in expected);
});

it.each([
  [1, { status: 'backing_off', failures: 4, health: { state: 'recovering', failures: 1, reason: null } }],
  [2, { nextAttemptAt: null }],
])('a failure of a run of epoch 1 counts for a bot of epoch %i only where that is the same', (epoch, expected) => {
  const change = afterRun({
    bot: { type: 'realtime', enabled: true, status: 'running', failures: 3, health: WELL, epoch },
    run: { intent: 'none', epoch: 1 },
    upMs: 1000,
    end: { status: 'failed', reason: null, endedAt: 1000 },
    now: 1000,
    random: 0,
    stillRunning: false,
    closing: false,
  } as unknown as Input);
  expect(change).toMatchObject(expected);
  expect('failures' in change).toBe('failures' in expected);
});

it.each([
  ['{"unreadable":"what a bot may say"}', null],
  ['no JSON', 'RESULT_UNREADABLE'],
])(
  'of a run that went well and wrote %s the reason is %s: the bot writes the result, and no reason',
  async (text, code) => {
    const live = { unit: { result: async () => ({ text }) }, secrets: [], intent: 'none' } as unknown as Parameters<
      typeof runEnd
    >[0];
    const { status, reason } = await runEnd(live, { exitCode: 0, signal: null, endedAt: 1 }, 1);
    expect([status, reason?.code ?? null]).toEqual(['succeeded', code]);
  },
);

it.each([
  ['succeeded', null],
  ['failed', 'RESULT_UNREADABLE'],
])('a run that has %s with an unreadable result leaves a scheduled bot the reason %s', (status, code) => {
  const change = afterRun({
    bot: { type: 'scheduled', reason: null, health: WELL, enabled: true, status: 'running' },
    run: { intent: 'none' },
    end: { status, reason: { code: 'RESULT_UNREADABLE' } },
    now: 0,
    random: 0,
    stillRunning: false,
    closing: false,
  } as unknown as Input);
  expect([change.status, change.reason?.code ?? null]).toEqual(['scheduled', code]);
});
