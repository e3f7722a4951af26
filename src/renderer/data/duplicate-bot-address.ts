import type { Bot } from '../../contract/bot.ts';

/** Address of the form that deploys another bot with the version, settings, schedule and options of this one. */
export function duplicateBotAddress({ bot_id, type, version }: Pick<Bot, 'bot_id' | 'type' | 'version'>): string {
  return `/deploy?${new URLSearchParams({ custom_bot: type.split('/')[1] ?? '', version, like: bot_id })}`;
}
