import { nextDue, parseSchedule } from '../../../shared/schedule.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { RunEnd, RunRow } from '../control/run-store.ts';
import { CATCH_UP_MS } from '../schedule/due.ts';
import { reason } from './reasons.ts';

/**
 * A due time during a restart of the host is not missed: its run may begin this late, even where missed due times are not
 * caught up.
 */
const LATE_MS = 60_000;

/** True when the scheduler is about to decide a later due time, which this run would keep from running. */
function isOvertaken(bot: BotRow, scheduledAt: number, now: number): boolean {
  const { enabled, options, schedule, timezone, scheduledFrom } = bot;
  if (!enabled || options.overlap === 'allow' || schedule === null) return false;
  const next = nextDue(parseSchedule(schedule, timezone), Math.max(scheduledAt, scheduledFrom ?? scheduledAt));
  return next !== null && next <= now;
}

/**
 * Decides the end of a run that an earlier host decided and never began: null, to make up for its due time, unless it
 * is too old by now, or a later one has come, which runs in its place. Any other run ends as it is.
 */
export function endOfUnstarted(bot: BotRow, run: RunRow, now: number): RunEnd | null {
  const late = bot.options.catch_up === 'skip' ? LATE_MS : CATCH_UP_MS;
  const overtaken = run.scheduledAt !== null && isOvertaken(bot, run.scheduledAt, now);
  if (run.scheduledAt !== null && now - run.scheduledAt < late && !overtaken) return null;
  const instead = overtaken ? 'a later due time has come since' : 'the bot did not run';
  const why = reason('NOT_STARTED', `The host ended before this run began; ${instead}`, null, now);
  const status = run.scheduledAt === null ? 'lost' : 'skipped';
  return { status, endedAt: now, exitCode: null, signal: null, result: null, reason: why };
}
