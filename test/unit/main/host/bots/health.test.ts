import { describe, expect, it } from 'vitest';
import type { BotHealth } from '../../../../../src/contract/bot.ts';
import { STEADY_MS } from '../../../../../src/main/host/bots/backoff.ts';
import {
  CALM_MS,
  changedSince,
  failedAgain,
  provenBy,
  shownHealth,
  startedAgain,
  WELL,
} from '../../../../../src/main/host/bots/health.ts';
import { reason } from '../../../../../src/main/host/bots/reasons.ts';
import { needsYou } from '../../../../../src/shared/health.ts';

const WHY = reason('EXIT_CODE', 'It ended with exit code 1', null, 0);
const crashes = (times: number): BotHealth => {
  let health = WELL;
  for (let i = 0; i < times; i += 1) health = failedAgain(health, WHY, 'realtime');
  return health;
};

describe('health of a realtime bot', () => {
  it('is recovering after one and two failures, crash-looping from the third on, and counts them', () => {
    expect(crashes(1)).toEqual({ state: 'recovering', failures: 1, reason: WHY });
    expect(crashes(2).state).toBe('recovering');
    expect(crashes(3)).toMatchObject({ state: 'crash_looping', failures: 3 });
    expect(crashes(14)).toMatchObject({ state: 'crash_looping', failures: 14 });
  });

  it('stays crash-looping while it runs for less than a minute, then recovers, and is well after ten minutes', () => {
    expect(provenBy(crashes(14), CALM_MS - 1)).toBeNull();
    expect(provenBy(crashes(14), CALM_MS)).toEqual({ state: 'recovering', failures: 14, reason: WHY });
    expect(provenBy(crashes(1), STEADY_MS - 1)).toBeNull();
    expect(provenBy(crashes(14), STEADY_MS)).toEqual(WELL);
    expect(provenBy(WELL, STEADY_MS)).toBeNull();
  });

  it('goes on counting when it crashes between one minute and ten, and needs somebody all the time', () => {
    const calm = provenBy(crashes(14), CALM_MS) ?? WELL;
    expect(needsYou('running', calm)).toBe(true);
    expect(failedAgain(calm, WHY, 'realtime')).toMatchObject({ state: 'crash_looping', failures: 15 });
  });

  it('looks no better for being started again, and goes on counting', () => {
    expect(startedAgain(crashes(14), 'realtime')).toEqual(crashes(14));
    expect(startedAgain(crashes(2), 'realtime')).toEqual(crashes(2));
    const lasting = failedAgain(crashes(4), WHY, 'realtime', true);
    expect(startedAgain(lasting, 'realtime')).toEqual({ state: 'recovering', failures: 5, reason: WHY });
    expect(startedAgain(WELL, 'realtime')).toEqual(WELL);
  });

  it('has to prove itself after a change, with a count of its own', () => {
    expect(changedSince(crashes(14), 'realtime')).toEqual({ state: 'recovering', failures: 0, reason: WHY });
    expect(changedSince(WELL, 'realtime')).toEqual(WELL);
  });

  it('is failing when it is not tried again', () => {
    expect(failedAgain(WELL, WHY, 'realtime', true)).toEqual({ state: 'failing', failures: 1, reason: WHY });
  });
});

it('the health of a scheduled bot is that of its last run', () => {
  const failed = failedAgain(failedAgain(WELL, WHY, 'scheduled'), WHY, 'scheduled');
  expect(failed).toEqual({ state: 'failing', failures: 2, reason: WHY });
  expect(startedAgain(failed, 'scheduled')).toEqual(failed);
  expect(changedSince(failed, 'scheduled')).toEqual(failed);
});

it('nothing is told of the health of a bot that is stopped', () => {
  expect(shownHealth({ enabled: false, health: crashes(5), reason: null })).toEqual(WELL);
  expect(shownHealth({ enabled: true, health: crashes(5), reason: null })).toEqual(crashes(5));
});

it('a bot that waits since its folder was copied cannot start, and needs a person', () => {
  const copied = { ...WHY, code: 'COPIED' };
  const health = shownHealth({ enabled: false, health: crashes(5), reason: copied });
  expect(health).toEqual({ state: 'failing', failures: 5, reason: copied });
  expect(needsYou('stopped', health)).toBe(true);
});
