import { isActive, type KnownBot } from './bot-watch.ts';
import type { HostSupervisor } from './host-supervisor.ts';

/**
 * Returns the reason why an update cannot be installed now, for people; null if it can. `bots` is null while they are unknown.
 */
export function updateObstacle(
  { host, isOwn }: Pick<HostSupervisor, 'host' | 'isOwn'>,
  bots: readonly KnownBot[] | null,
): string | null {
  if (host === null) return 'No host is running, so it is unknown which bots still run. Start it first.';
  if (!isOwn) return 'The host that this app has joined was started elsewhere. Stop it first: platform stop.';
  if (bots === null) return 'The host has not yet said which bots run. Try again in a moment.';
  const running = bots.filter(({ status }) => isActive(status)).length;
  if (running === 0) return null;
  return `It is installed once no bot runs; ${running} ${running === 1 ? 'does' : 'do'}. Stop them first, or quit and stop them.`;
}
