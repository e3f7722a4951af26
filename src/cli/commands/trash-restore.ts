import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { printable } from '../terminal-text.ts';
import { trashedBot } from '../trashed-bot.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: { name: { type: 'string', value: 'NAME', help: 'Another name, where a bot has the old one by now' } },
  description:
    'Restores a deleted bot with its books, logs, state and files. It is stopped, and one that was armed has to be armed again.',
  examples: ['platform trash restore "sma live"', 'platform trash restore bot_01… --name "sma live 2"'],
  async run({ client, out, name: command }, args) {
    const host = await client();
    const { bot_id } = await trashedBot(host, args.positionals[0] ?? '');
    const name = args.text('name');
    const bot = await host.call('trash.restore', { bot_id, ...(name === undefined ? {} : { name }) });
    out.data(bot);
    out.line(`Restored ${printable(bot.name)} (${bot.bot_id}), stopped. ${typed(command, 'bot start', bot.bot_id)}`);
    return 0;
  },
};
