import type { BotHold } from '../contract/bot.ts';

/** Code of the reason of a bot that a hold keeps stopped. */
export const HELD = 'HELD';

/** Who holds a bot, in a few words that begin with a small letter. */
export function holdWords({ by }: Pick<BotHold, 'by'>): string {
  return by === 'guard' ? 'held by a guard' : 'held since a panic';
}
