import type { UnitExit } from '../engine/engine.ts';
import type { BotRow } from '../store/bot-store.ts';
import type { RunEnd } from '../store/run-store.ts';
import { maskerOf } from '../telemetry/mask/masker.ts';
import { backoffMs, STEADY_MS } from './backoff.ts';
import type { LiveRun } from './live-run.ts';
import { endReason, reason, resultFault } from './reasons.ts';
import { readResultFile } from './result-file.ts';

/** How a program ended, in a few words. */
export function describeEnd(exit: UnitExit): string {
  if (exit.signal !== null) return exit.signal;
  return exit.exitCode === null ? 'end not seen' : `exit code ${exit.exitCode}`;
}

/** Outcome of a run: exit code first, then what the bot itself reported (wire.md section 4). Results are masked. */
export async function runEnd(live: LiveRun, exit: UnitExit, timeoutSec: number): Promise<RunEnd> {
  const raw = await readResultFile(live.unit.resultFile);
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
  if (live.intent === 'stop') return { ...base, status: 'stopped', reason: null };
  const found = endReason(exit, raw);
  const why = found === null ? null : { ...found, message: masker.maskText(found.message) };
  if (why === null) {
    return { ...base, status: 'succeeded', reason: raw.kind === 'unreadable' ? resultFault(raw.why, at) : null };
  }
  return { ...base, status: why.code === 'LOST' ? 'lost' : 'failed', reason: why };
}

/** What the end of a run makes of the instance's record (wire.md section 3). */
export function afterRun(input: {
  readonly bot: BotRow;
  readonly live: LiveRun;
  readonly end: RunEnd;
  readonly now: number;
  readonly random: number;
  readonly stillRunning: boolean;
  readonly closing: boolean;
}): Partial<BotRow> {
  const { bot, live, end, now } = input;
  if (bot.type === 'scheduled') {
    const goesOn = bot.status === 'stopping' ? 'stopping' : 'running';
    const status = input.stillRunning ? goesOn : bot.enabled ? 'scheduled' : 'stopped';
    const why = end.status === 'succeeded' ? null : end.reason;
    return { status, reason: end.status === 'stopped' ? bot.reason : why };
  }
  if (live.intent === 'stop') {
    if (!input.closing) return { nextAttemptAt: null };
    return {
      status: 'stopped',
      reason: reason('HOST_STOPPED', 'The host was stopped', 'It starts again with the host.', now),
    };
  }
  // Another start was asked for, by an update or a restart: how the run from before it ended says nothing of that one.
  if (live.generation !== bot.generation) return { nextAttemptAt: null };
  if (end.status === 'succeeded') {
    // Its end was asked for, and may be a host ago: it did not finish by itself.
    if (bot.status === 'stopping') return { nextAttemptAt: null };
    const why = reason('COMPLETED', 'The bot finished by itself', 'Start it again when you want another run.', now);
    return { status: 'stopped', reason: why, failures: 0, nextAttemptAt: null };
  }
  const steady = end.endedAt - (live.unit.startedAt ?? end.endedAt) >= STEADY_MS;
  const failures = steady ? 1 : bot.failures + 1;
  return {
    status: 'backing_off',
    reason: end.reason,
    failures,
    nextAttemptAt: now + backoffMs(failures, input.random),
  };
}
