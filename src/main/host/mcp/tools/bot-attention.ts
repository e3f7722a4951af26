import type { Bot, HealthState } from '../../../../contract/bot.ts';
import type { BotActivity } from '../../../../contract/bot-activity.ts';

/** This many warnings in an hour mean that a bot does not do its work, e.g. because an exchange refuses all its requests. */
export const MANY_WARNINGS = 20;

/** True for a bot that needs attention: it is unwell, or runs on and logs errors or many warnings. */
export function isUnwell({ health }: Bot, activity: BotActivity | null): boolean {
  if (health.state !== 'ok') return true;
  return activity !== null && (activity.errors > 0 || activity.warnings >= MANY_WARNINGS);
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

/**
 * Rank in a list: failing bots first, then bots that log errors or many warnings, then the rest by status; stopped bots last.
 */
export function rankOf(bot: Bot, activity: BotActivity | null): number {
  const health = HEALTH_ORDER.indexOf(bot.health.state);
  if (health >= 0) return health;
  if (isUnwell(bot, activity)) return HEALTH_ORDER.length;
  const status = STATUS_ORDER.indexOf(bot.status);
  return HEALTH_ORDER.length + 1 + (status < 0 ? STATUS_ORDER.length : status);
}
