import type { Reason } from '../contract/bot.ts';

/** Code of the reason of bots that wait because their folder was copied or moved. */
export const COPIED = 'COPIED';

/** Code of the reason of bots that wait because their host was restored from a backup. */
export const RESTORED = 'RESTORED';

/** Code of the reason of bots that wait until a person arms them, and of starts that were refused for that (docs/arming.md). */
export const NEEDS_ARMING = 'NEEDS_ARMING';

/** True when a restore or a copy made the bot wait for a person, or hid a run's end: the bot did not fail. */
export function isBrought(reason: Reason | null): reason is Reason {
  return reason?.code === COPIED || reason?.code === RESTORED;
}
