import type { Bot } from '../../../contract/bot.ts';

/** What every tab is given. */
export interface TabProps {
  readonly bot: Bot;
}
