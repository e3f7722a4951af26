import type { BotHealth, BotType, Reason } from '../../../contract/bot.ts';
import { LOOP } from '../../../shared/health.ts';
import { COPIED } from '../../../shared/waiting-reasons.ts';
import type { BotRow } from '../control/bot-store.ts';
import { STEADY_MS } from './backoff.ts';

/** The health of a bot with nothing wrong. */
export const WELL: BotHealth = { state: 'ok', failures: 0, reason: null };

/**
 * After running for this long a bot is not called crash-looping any more. It is not healthy yet, and needs attention as before.
 */
export const CALM_MS = 60_000;

/** Health after a run or a start failed; `isLasting`: it is not tried again until something changes. */
export function failedAgain(before: BotHealth, why: Reason | null, type: BotType, isLasting = false): BotHealth {
  const failures = before.failures + 1;
  if (isLasting || type === 'scheduled') return { state: 'failing', failures, reason: why };
  return { state: failures >= LOOP ? 'crash_looping' : 'recovering', failures, reason: why };
}

/** Health of a bot that waits for its engine: it has not crashed, and is not well before it runs again. */
export function waiting(before: BotHealth, why: Reason): BotHealth {
  const state = before.state === 'crash_looping' ? before.state : 'recovering';
  return { ...before, state, reason: why };
}

/** Health after a start that follows failures: trying again cures nothing, so a crash loop stays one until a run lasts. */
export function startedAgain(before: BotHealth, type: BotType): BotHealth {
  // Only its next run shows whether a scheduled bot is well.
  if (before.state !== 'failing' || type === 'scheduled') return before;
  return { ...before, state: 'recovering' };
}

/** Health after a change of what runs: the bot still has to prove itself, and its failures are counted from zero. */
export function changedSince(before: BotHealth, type: BotType): BotHealth {
  if (before.state === 'ok' || type === 'scheduled') return before;
  return { ...before, state: 'recovering', failures: 0 };
}

/** Health of a realtime bot whose program has run for `upMs` ms; null while that changes nothing. */
export function provenBy(before: BotHealth, upMs: number): BotHealth | null {
  if (before.state === 'ok') return null;
  if (upMs >= STEADY_MS) return WELL;
  if (before.state === 'recovering' || upMs < CALM_MS) return null;
  return { ...before, state: 'recovering' };
}

/**
 * The public health of a bot. A disabled bot needs none, whatever happened before. A bot held back since its folder was
 * copied is wanted, and cannot start.
 */
export function shownHealth({ enabled, health, reason }: Pick<BotRow, 'enabled' | 'health' | 'reason'>): BotHealth {
  if (reason?.code === COPIED) return { state: 'failing', failures: health.failures, reason };
  return enabled ? health : WELL;
}
