import type { Reason } from '../../../contract/bot.ts';
import type { BotRow } from '../control/bot-store.ts';
import { backoffMs } from './backoff.ts';
import { failedAgain } from './health.ts';

/** The instance's record after a failed start; `isLasting`: trying again would change nothing. */
export function afterFailedStart(input: {
  readonly bot: BotRow;
  readonly why: Reason;
  readonly isLasting: boolean;
  readonly stillRunning: boolean;
  readonly at: number;
  readonly random: number;
}): Partial<BotRow> & Pick<BotRow, 'status'> {
  const { bot, why, isLasting, at } = input;
  const health = failedAgain(bot.health, why, bot.type, isLasting);
  if (bot.type === 'scheduled') return { status: input.stillRunning ? 'running' : 'scheduled', reason: why, health };
  const failures = bot.failures + 1;
  if (isLasting) return { status: 'failed', reason: why, failures, health };
  const nextAttemptAt = at + backoffMs(failures, input.random);
  return { status: 'backing_off', reason: why, failures, health, nextAttemptAt };
}
