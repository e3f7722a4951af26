import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<name>'],
  options: {},
  description: 'Lists the bots whose configuration refers to a secret.',
  examples: ['platform secrets used-by KRAKEN_KEY'],
  async run({ client, out }, { positionals: [name = ''] }) {
    const host = await client();
    const answer = await host.call('secrets.used_by', { name });
    out.data(answer);
    if (answer.items.length === 0) out.line(`No bot uses ${answer.name}.`);
    else
      out.table(
        ['BOT', 'NAME'],
        answer.items.map((bot) => [bot.bot_id, printable(bot.name)]),
      );
    return 0;
  },
};
