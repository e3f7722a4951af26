import type { Reason } from '../../../contract/bot.ts';
import { waitsForEngine } from '../../../shared/waiting-reasons.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { RunRow } from '../control/run-store.ts';
import { backoffMs, engineBackoffMs } from './backoff.ts';
import { failedAgain, waiting } from './health.ts';

/** A start that failed. */
export interface FailedStart {
  readonly why: Reason;
  /** Trying again would change nothing. */
  readonly isLasting: boolean;
  /** After how many ms the engine may have what it lacked; null where it lacked nothing that comes by itself. */
  readonly engineMs: number | null;
}

/** A due run waits so long, from when it was decided, for what its engine lacks. */
const DUE_RUN_WAITS_MS = 60_000;
/** Least wait of a due run before it is tried again. */
const DUE_RUN_AGAIN_MS = 1000;

/**
 * After how many ms a due run starts once more, because its engine may have by then what it lacked; null where the run has failed. A
 * person who runs a bot sees the error, and decides.
 */
export function dueRunAgainMs(
  { trigger, createdAt }: Pick<RunRow, 'trigger' | 'createdAt'>,
  { engineMs }: Pick<FailedStart, 'engineMs'>,
  now: number,
): number | null {
  if (engineMs === null || trigger === 'manual') return null;
  const ms = Math.max(DUE_RUN_AGAIN_MS, engineMs);
  // A run of before the clock was set back has waited for an unknown time.
  const waited = Math.abs(now - createdAt);
  return waited + ms <= DUE_RUN_WAITS_MS ? ms : null;
}

/** The instance's record after a failed start. */
export function afterFailedStart(
  input: FailedStart & {
    readonly bot: BotRow;
    readonly stillRunning: boolean;
    readonly at: number;
    readonly random: number;
  },
): Partial<BotRow> & Pick<BotRow, 'status'> {
  const { bot, why, isLasting, engineMs, at, random } = input;
  if (engineMs !== null && bot.type === 'realtime') return waitingRecord(bot, why, engineMs, at, random);
  const health = failedAgain(bot.health, why, bot.type, isLasting);
  if (bot.type === 'scheduled') return { status: input.stillRunning ? 'running' : 'scheduled', reason: why, health };
  const failures = bot.failures + 1;
  if (isLasting) return { status: 'failed', reason: why, failures, health };
  const nextAttemptAt = at + backoffMs(failures, random);
  return { status: 'backing_off', reason: why, failures, health, nextAttemptAt };
}

/** The record of a realtime bot that waits for its engine. Its reason says since when. */
function waitingRecord(bot: BotRow, why: Reason, engineMs: number, at: number, random: number) {
  const since = waitsForEngine(bot) && bot.reason !== null ? bot.reason.at : why.at;
  const reason = { ...why, at: since };
  const nextAttemptAt = at + engineBackoffMs(at - Date.parse(since), engineMs, random);
  return { status: 'backing_off', reason, health: waiting(bot.health, reason), nextAttemptAt } as const;
}
