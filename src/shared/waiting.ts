import type { Reason } from '../contract/bot.ts';

/** Code of the reason of bots that wait because their folder was copied or moved. */
export const COPIED = 'COPIED';

/** Code of the reason of bots that wait because their host was restored from a backup. */
export const RESTORED = 'RESTORED';

/**
 * Whether a restore or a copy is why a bot waits for a person, or why a run's end was not observed: the bot did not
 * fail.
 */
export function isBrought(reason: Reason | null): reason is Reason {
  return reason?.code === COPIED || reason?.code === RESTORED;
}
