import type { Reason } from '../contract/bot.ts';

/** Code of the reason of bots that wait because their folder was copied or moved. */
export const COPIED = 'COPIED';

/** Code of the reason of bots that wait because their host was restored from a backup. */
export const RESTORED = 'RESTORED';

/** Code of the reason of bots that wait until a person arms them, and of starts that were refused for that (docs/arming.md). */
export const NEEDS_ARMING = 'NEEDS_ARMING';

/** Codes of the reasons for which a bot could not be started because its engine lacked something, which it may have later. */
export const LACKS_OF_ENGINES: ReadonlySet<string> = new Set(['ENGINE_UNAVAILABLE', 'ISOLATION_REQUIRED']);

/** True for a bot that is started by itself once its engine has what it lacks: the bot did not crash. */
export function waitsForEngine({
  status,
  reason,
}: {
  readonly status: string;
  readonly reason: Reason | null;
}): boolean {
  return status === 'backing_off' && LACKS_OF_ENGINES.has(reason?.code ?? '');
}

/** True when a restore or a copy made the bot wait for a person, or hid a run's end: the bot did not fail. */
export function isBrought(reason: Reason | null): reason is Reason {
  return reason?.code === COPIED || reason?.code === RESTORED;
}
