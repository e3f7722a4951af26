import { type BotHold, RESULT_UNREADABLE, type Reason } from '../../../contract/bot.ts';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { HELD } from '../../../shared/hold-words.ts';
import { LACKS_OF_ENGINES } from '../../../shared/waiting-reasons.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { UnitExit } from '../engine/engine.ts';
import { startedAgain } from './health.ts';
import { type BotResult, saysError } from './result-file.ts';

/** A program of the bot may run and could not be taken over. */
export const NOT_ADOPTED = 'NOT_ADOPTED';
/** The bot waits until its engine has what it needs, e.g. an image. */
export const PREPARING = 'PREPARING';
/** The engine of the bot does not answer, so the state of the bot is unknown. */
const ENGINE_LOST = 'ENGINE_LOST';

/** True for a bot that may not start because one of its programs may still run. */
export function isStuck(bot: Pick<BotRow, 'status' | 'reason'>): boolean {
  return bot.status === 'failed' && bot.reason?.code === NOT_ADOPTED;
}

/** Builds the reason of a bot whose state is unknown because its engine does not answer. */
export function engineLost(engine: string, at: number): Reason {
  const message = `Engine ${engine} does not answer, so nobody can tell whether this bot still runs`;
  return reason(ENGINE_LOST, message, 'What happened is looked up as soon as the engine is back. Start it again.', at);
}

/** The change of a bot's record when its engine returns: a bot that only waited for it is tried again at once. */
export function revived(bot: BotRow): Partial<BotRow> | null {
  if (bot.reason?.code === ENGINE_LOST) return { reason: null };
  // Every step of a stuck bot asks whether its old program runs.
  if (!LACKS_OF_ENGINES.has(bot.reason?.code ?? '') || isStuck(bot)) return null;
  const waits = bot.status === 'failed' || bot.status === 'backing_off';
  const status = waits && bot.enabled ? ({ status: 'starting' } as const) : {};
  const health = startedAgain(bot.health, bot.type);
  return { ...status, reason: null, failures: 0, nextAttemptAt: null, health };
}

/** The reason of a bot that a hold keeps stopped. */
export function heldReason({ message, since }: BotHold): Reason {
  return { code: HELD, message, hint: 'Only a person can start it again: `platform bot start`.', at: since };
}

/** A stopped run whose stop hook failed. */
export const STOP_HOOK_FAILED = 'STOP_HOOK_FAILED';

/** Why a run did not stop as its author meant it; `error` are the words of the hook. */
export function hookFailed(error: string, at: number): Reason {
  const hint = 'Check your exchange: the hook may not have done its work there. The log has its traceback.';
  return reason(STOP_HOOK_FAILED, `The stop hook failed: ${error}`, hint, at);
}

/** Why a guard fired, or says that it cannot be computed (GUARD_UNKNOWN). */
export function guardFired(message: string, at: number, code: 'GUARD_FIRED' | 'GUARD_UNKNOWN' = 'GUARD_FIRED'): Reason {
  const hint = 'Look at your exchange: positions stay open. Start the bot again once you know why the guard fired.';
  return reason(code, message, hint, at);
}

/** Builds a reason; `at` is milliseconds since the epoch. */
export function reason(code: string, message: string, hint: string | null, at: number): Reason {
  return { code, message, hint, at: toTimestamp(at) };
}

/**
 * True for failures that last until the user changes something: a missing program, an invalid config. Shortage of
 * processes or memory, a full disk or a fault of the host passes, and the host tries the bot again.
 */
export function isLasting(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.retryAfter !== undefined) return false;
  return error.code !== 'INTERNAL' && error.code !== 'STORAGE_FULL';
}

/** After how many ms the engine of a bot may have what it lacked for this start; null for any other failure. */
export function engineWaitOf(error: unknown): number | null {
  if (!(error instanceof PlatformError) || !LACKS_OF_ENGINES.has(error.code)) return null;
  return error.retryAfter === undefined ? null : error.retryAfter * 1000;
}

/** Converts the error that keeps a bot from starting into a reason. */
export function startFailure(error: unknown, at: number): Reason {
  if (error instanceof PlatformError) return reason(error.code, error.message, error.hint, at);
  const text = error instanceof Error ? error.message : String(error);
  return reason('START_FAILED', `The bot could not be started: ${text}`, 'See the bot log, then start it again.', at);
}

const LOG_HINT = 'The last lines of its log show where.';

/** Exit code of resources/runners/container.sh for unreadable files; a bot may end with it as well. */
const UNREADABLE = 125;
const UNREADABLE_HINT = `A bot in a container ends so when the container could not read the bot's files: \`platform doctor\`, or deploy it without a container (options.engine). Else the last lines of its log show where.`;

/**
 * Reason of a successful run whose result is unreadable: the reason carries the fault, because a result may be any
 * JSON.
 */
export function resultFault(why: string, at: number): Reason {
  const hint = `Write one JSON text of at most ${LIMITS.resultBytes} bytes, as result({…}) does.`;
  return reason(RESULT_UNREADABLE, why, hint, at);
}

/** The reason of an execution's unrequested end; null if it ended well. */
export function endReason(exit: UnitExit, result: BotResult): Reason | null {
  const at = exit.endedAt;
  if (exit.limit !== undefined)
    return reason('LIMIT', `Ended by the engine: ${exit.limit}`, 'Raise the limit or use less.', at);
  if (saysError(result)) {
    const text = typeof result.value.message === 'string' ? result.value.message : 'the bot reported an error';
    return reason('BOT_ERROR', text, LOG_HINT, at);
  }
  if (exit.exitCode === 0) return null;
  if (exit.signal !== null) return reason('KILLED', `Ended by ${exit.signal}`, LOG_HINT, at);
  if (exit.exitCode === null)
    return reason('LOST', 'Ended unobserved, so its outcome is unknown', 'The machine or the program was cut off.', at);
  const hint = exit.exitCode === UNREADABLE ? UNREADABLE_HINT : LOG_HINT;
  return reason('EXIT_CODE', `Ended with exit code ${exit.exitCode}`, hint, at);
}
