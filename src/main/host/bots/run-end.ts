import type { BotRow } from '../control/bot-store.ts';
import type { RunEnd } from '../control/run-store.ts';
import type { UnitExit } from '../engine/engine.ts';
import { maskerOf } from '../logs/mask/masker.ts';
import { backoffMs, STEADY_MS } from './backoff.ts';
import { failedAgain, WELL } from './health.ts';
import type { LiveRun } from './live-run.ts';
import { endReason, heldReason, hookFailed, reason, resultFault } from './reasons.ts';
import { readResult } from './result-file.ts';

/** Returns the end of a program in a few words: its signal or its exit code. */
export function describeEnd(exit: Pick<UnitExit, 'exitCode' | 'signal'>): string {
  if (exit.signal !== null) return exit.signal;
  return exit.exitCode === null ? 'end not seen' : `exit code ${exit.exitCode}`;
}

/** Outcome of a run: exit code first, then the bot's own result. Results are masked. */
export async function runEnd(live: LiveRun, exit: UnitExit, timeoutSec: number): Promise<RunEnd> {
  const raw = await readResult(live.unit);
  const masker = maskerOf(live.secrets);
  const result =
    raw.kind === 'value' ? masker.maskJson(raw.value) : raw.kind === 'unreadable' ? { unreadable: raw.why } : null;
  const base = { endedAt: exit.endedAt, exitCode: exit.exitCode, signal: exit.signal, result };
  const at = exit.endedAt;
  if (live.intent === 'timeout') {
    const why = reason(
      'TIMED_OUT',
      `Ended after ${timeoutSec} s, the time-out of this bot`,
      'Raise options.timeout_sec or make the run shorter.',
      at,
    );
    return { ...base, status: 'timed_out', reason: why };
  }
  if (live.intent === 'stop') {
    const why = live.hookError === null ? null : hookFailed(masker.maskText(live.hookError), at);
    return { ...base, status: 'stopped', reason: why };
  }
  const found = endReason(exit, raw);
  const why = found === null ? null : { ...found, message: masker.maskText(found.message) };
  if (why === null) {
    return { ...base, status: 'succeeded', reason: raw.kind === 'unreadable' ? resultFault(raw.why, at) : null };
  }
  return { ...base, status: why.code === 'LOST' ? 'lost' : 'failed', reason: why };
}

/** Returns the change of the bot's record after the end of a run. */
export function afterRun(input: {
  readonly bot: BotRow;
  readonly run: Pick<LiveRun, 'epoch' | 'intent'>;
  readonly end: RunEnd;
  /** For how long the program ran, in ms. */
  readonly upMs: number;
  readonly now: number;
  readonly random: number;
  readonly stillRunning: boolean;
  readonly closing: boolean;
}): Partial<BotRow> {
  const { bot, run, end, now } = input;
  if (bot.type === 'scheduled') {
    const goesOn = bot.status === 'stopping' ? 'stopping' : 'running';
    const status = input.stillRunning ? goesOn : bot.enabled ? 'scheduled' : 'stopped';
    const why = end.status === 'succeeded' ? null : end.reason;
    // A run ended on request, or by the host, says nothing about the bot.
    if (end.status === 'stopped') return { status, reason: bot.reason };
    const health = end.status === 'succeeded' ? WELL : failedAgain(bot.health, end.reason, 'scheduled');
    return { status, reason: why, health };
  }
  if (run.intent === 'stop') {
    if (!input.closing) return { nextAttemptAt: null };
    // The host's own end must not hide why the bot stands.
    if (bot.hold !== null) return { status: 'stopped', reason: heldReason(bot.hold), nextAttemptAt: null };
    return {
      status: 'stopped',
      reason: reason('HOST_STOPPED', 'The host was stopped', 'It starts again with the host.', now),
    };
  }
  // An update or a restart has requested another start; the end of this run says nothing about that start.
  if (run.epoch !== bot.epoch) return { nextAttemptAt: null };
  if (end.status === 'succeeded') {
    // The stop may have been requested under an earlier host: the bot did not finish by itself.
    if (bot.status === 'stopping') return { nextAttemptAt: null };
    const why = reason('COMPLETED', 'The bot finished by itself', 'Start it again when you want another run.', now);
    return { status: 'stopped', reason: why, failures: 0, nextAttemptAt: null, health: WELL };
  }
  const steady = input.upMs >= STEADY_MS;
  const failures = steady ? 1 : bot.failures + 1;
  return {
    status: 'backing_off',
    reason: end.reason,
    failures,
    nextAttemptAt: now + backoffMs(failures, input.random),
    health: failedAgain(steady ? WELL : bot.health, end.reason, 'realtime'),
  };
}
