import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { exceptedBot } from '../excepted-from-isolation.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description:
    'Ends the exception of a bot of any user: it moves to an engine that isolates as much as the host demands. A running realtime bot restarts once; there is no way back. Owner only.',
  examples: ['platform isolation end "sma live"', 'platform isolation end bot_01kxyzabcdefgh -y'],
  async run({ client, out, confirm }, args) {
    const host = await client();
    const bot = await exceptedBot(host, args.positionals[0] ?? '');
    const whose = `${printable(bot.name)} of ${printable(bot.user)}`;
    if (!args.flag('yes') && !(await confirm(`Move ${whose} to an engine that isolates enough?`))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was changed', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    const result = await host.call('exceptions.end', { bot_id: bot.bot_id });
    out.data(result);
    out.line(`${whose} runs on engine ${result.engine} from now on.`);
    return 0;
  },
};
