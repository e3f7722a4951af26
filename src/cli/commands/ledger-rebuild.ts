import type { Command } from '../command.ts';
import { tellRebuilt } from '../tell-rebuilt.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {
    from: { type: 'string', value: 'DAY', help: 'Add rows that its log still has, from this UTC day on: 2026-01-31' },
  },
  description:
    'Rebuilds the books of a bot from the rows that they hold. --from adds older rows of its log, except those that were erased.',
  examples: ['platform ledger rebuild "sma live"', 'platform ledger rebuild "sma live" --from 2026-01-01'],
  async run({ client, out }, { positionals: [name = ''], text }) {
    const host = await client();
    const from = text('from');
    const answer = await host.call('ledger.rebuild', {
      bot_id: await host.botId(name),
      ...(from === undefined ? {} : { from }),
    });
    out.data(answer);
    tellRebuilt(out, answer);
    return 0;
  },
};
