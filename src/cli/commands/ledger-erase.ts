import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description:
    'Erases the books of a bot for good: fills, orders, profit and equity of all modes. No API key may do that. Its log and earlier backups keep what they have.',
  examples: ['platform ledger erase "sma live"'],
  async run({ client, out, confirm }, args) {
    const host = await client();
    const { name, bot_id } = await host.call('bots.get', { bot_id: await host.botId(args.positionals[0] ?? '') });
    const question = `Erase all fills, orders, profit and equity of "${printable(name)}" from the ledger, for good?`;
    if (!args.flag('yes') && !(await confirm(question)))
      throw new PlatformError('INVALID_REQUEST', 'Nothing was erased', {
        hint: 'Confirm with y, or pass -y in a script. `platform ledger fills --csv` saves them first.',
      });
    const answer = await host.call('ledger.erase', { bot_id });
    out.data(answer);
    out.line(`Erased the ledger of ${printable(name)}: ${answer.rows} ${answer.rows === 1 ? 'row' : 'rows'}.`);
    return 0;
  },
};
