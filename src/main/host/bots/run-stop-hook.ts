import { LIMITS } from '../../../contract/limits.ts';
import type { StopReason } from '../../../contract/stop-reason.ts';
import type { LiveRun } from './live-run.ts';
import type { SupervisorParts } from './supervisor-types.ts';

/**
 * Has a program run its stop hook, if it has one, and tells its log what came of it. Never rejects: whatever goes wrong, the
 * program is ended next.
 */
export async function runStopHook(
  { telemetry, onError }: Pick<SupervisorParts, 'telemetry' | 'onError'>,
  live: LiveRun,
  reason: StopReason,
): Promise<void> {
  const { botId, run, unit } = live;
  try {
    const end = await unit.runStopHook?.(reason, LIMITS.stopHookMs);
    if (end?.is === 'failed') {
      live.hookError = end.error;
      telemetry.hostLine(botId, 'error', `The stop hook failed (${reason}): ${end.error}`, run.runId);
    }
    if (end?.is === 'late') {
      const message = `The stop hook took over ${LIMITS.stopHookMs / 1000} s (${reason}): the host ends the program`;
      telemetry.hostLine(botId, 'warn', message, run.runId);
    }
  } catch (error) {
    onError(`stop hook of ${botId}`, error);
  }
}
