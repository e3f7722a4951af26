import type { Command } from '../command.ts';
import { botLines } from '../show-bot.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {},
  description: 'Shows a bot: status with its reason, schedule, last run, config.',
  examples: ['platform bot get "sma live"'],
  async run({ client, out }, { positionals: [name = ''] }) {
    const host = await client();
    const bot = await host.call('bots.get', { bot_id: await host.botId(name) });
    out.data(bot);
    for (const line of botLines(bot, Date.now(), out.colours)) out.line(line);
    return 0;
  },
};
