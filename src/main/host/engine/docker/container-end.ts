import type { ContainerInspectInfo } from 'dockerode';
import type { UnitExit } from '../engine.ts';
import { exitOf, LINUX_SIGNALS } from '../read-exit-code.ts';

/**
 * Returns the time at which a container ended by the engine's clock, in ms since the epoch; `fallback` if the engine
 * reports none.
 */
function endedAt(finished: string, fallback: number): number {
  const at = Date.parse(finished);
  // A container that never ran carries the year 1.
  return Number.isFinite(at) && at > 0 ? at : fallback;
}

/** Returns the end of a container as the engine reports it. */
export function endOf(
  { State, HostConfig }: Pick<ContainerInspectInfo, 'State' | 'HostConfig'>,
  now: number,
): UnitExit {
  const exit = exitOf(State.ExitCode, Math.min(now, endedAt(State.FinishedAt, now)), LINUX_SIGNALS);
  // The engine also sets this flag when only a child was ended and the bot went on.
  if (!State.OOMKilled || exit.signal !== 'SIGKILL') return exit;
  const allowed = Math.round((HostConfig.Memory ?? 0) / 1024 / 1024);
  return { ...exit, limit: `out of memory: allowed are ${allowed} MB` };
}
