import type { Bot } from '../../../contract/bot.ts';

/** The bots that are made of a custom bot, by name. */
export function botsOf(bots: Iterable<Bot>, name: string): Bot[] {
  return [...bots].filter((bot) => bot.type.split('/')[1] === name).sort((a, b) => a.name.localeCompare(b.name));
}

/** `1 bot`, `3 bots` */
export const countOf = (count: number): string => `${count} bot${count === 1 ? '' : 's'}`;
