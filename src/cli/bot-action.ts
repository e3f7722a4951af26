import type { Bot } from '../contract/bot.ts';
import type { Client, Command } from './command.ts';
import { statusText } from './show-bot.ts';
import { printable } from './terminal-text.ts';

/** A command that does one thing to one bot and shows the result. */
export function botAction(
  ask: (host: Client, botId: string) => Promise<Bot>,
  words: string,
  description: string,
): Command {
  return {
    positionals: ['<bot>'],
    options: {},
    description,
    examples: [`platform ${words} "sma live"`],
    async run({ client, out }, { positionals: [name = ''] }) {
      const host = await client();
      const bot: Bot = await ask(host, await host.botId(name));
      out.data(bot);
      out.line(`${printable(bot.name)}: ${statusText(bot, out.colours)}`);
      return 0;
    },
  };
}
