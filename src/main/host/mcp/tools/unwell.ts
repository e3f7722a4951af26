import type { Bot, HealthState } from '../../../../contract/bot.ts';
import type { BotActivity } from '../../../../contract/bot-activity.ts';

/** True for a bot that needs attention: it is unwell, or runs on and logs errors. */
export function isUnwell({ health }: Bot, activity: BotActivity | null): boolean {
  return health.state !== 'ok' || (activity?.errors ?? 0) > 0;
}

const HEALTH_ORDER: readonly HealthState[] = ['crash_looping', 'failing', 'recovering'];
const STATUS_ORDER: readonly Bot['status'][] = [
  'failed',
  'backing_off',
  'starting',
  'stopping',
  'running',
  'scheduled',
];

/** Place in a list: what fails first, then what logs errors, then the rest by its status; stopped bots last. */
export function rankOf(bot: Bot, activity: BotActivity | null): number {
  const health = HEALTH_ORDER.indexOf(bot.health.state);
  if (health >= 0) return health;
  if (isUnwell(bot, activity)) return HEALTH_ORDER.length;
  const status = STATUS_ORDER.indexOf(bot.status);
  return HEALTH_ORDER.length + 1 + (status < 0 ? STATUS_ORDER.length : status);
}
