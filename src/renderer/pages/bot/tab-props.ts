import type { Bot } from '../../../contract/bot.ts';

/** Properties of every tab of a bot. */
export interface TabProps {
  readonly bot: Bot;
}
