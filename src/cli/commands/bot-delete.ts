import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description:
    'Stops and disarms a bot and puts it into the trash. For 7 days it can be restored with its books, logs and state; its name is free at once.',
  examples: ['platform bot delete "sma live"', 'platform bot delete bot_01… -y'],
  async run({ client, out, confirm, name }, args) {
    const host = await client();
    const bot = await host.call('bots.get', { bot_id: await host.botId(args.positionals[0] ?? '') });
    const question = `Delete "${printable(bot.name)}" (${bot.status})? It can be restored for 7 days.`;
    if (!args.flag('yes') && !(await confirm(question))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was deleted', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    const answer = await host.call('bots.delete', { bot_id: bot.bot_id });
    out.data(answer);
    out.line(`Deleted ${printable(bot.name)} (${bot.bot_id}).`);
    out.line(`Until ${answer.restorable_until}: ${typed(name, 'trash restore', bot.bot_id)}`);
    return 0;
  },
};
