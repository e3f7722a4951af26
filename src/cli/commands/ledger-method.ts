import { LedgerMethod } from '../../contract/ledger.ts';
import type { Command } from '../command.ts';
import { tellRebuilt } from '../tell-rebuilt.ts';
import { UsageError } from '../usage-error.ts';

export const command: Command = {
  positionals: ['<bot>', '<method>'],
  options: {},
  description:
    'Chooses what a sale of a bot closes: its oldest units (fifo, as without a choice), or units of all lots at their average cost (average). The host rebuilds its books from the start.',
  examples: ['platform ledger method "sma live" average', 'platform ledger method "sma live" fifo'],
  async run({ client, out }, { positionals: [name = '', wanted = ''] }) {
    const method = LedgerMethod.safeParse(wanted).data;
    if (method === undefined)
      throw new UsageError(`A method is one of ${LedgerMethod.options.join(', ')}, not ${wanted}.`, 'ledger method');
    const host = await client();
    const answer = await host.call('ledger.method', { bot_id: await host.botId(name), method });
    out.data(answer);
    tellRebuilt(out, answer);
    return 0;
  },
};
