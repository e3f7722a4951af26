import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['<bot>', '<guard>'],
  options: { symbol: { type: 'string', value: 'SYMBOL', help: 'Of a position_limit for one symbol' } },
  description: 'Removes a guard, by its kind or its id. No API key may do that.',
  examples: ['platform guards remove "sma live" daily_loss'],
  async run({ client, out }, { positionals: [name = '', which = ''], text }) {
    const host = await client();
    const bot_id = await host.botId(name);
    const { items } = await host.call('guards.list', { bot_id });
    const symbol = text('symbol') ?? null;
    const found = items.find(
      (one) => one.guard_id === which || (one.kind === which && (one.symbol ?? null) === symbol),
    );
    if (found === undefined) throw new PlatformError('GUARD_NOT_FOUND');
    out.data(await host.call('guards.remove', { bot_id, guard_id: found.guard_id }));
    out.line(`Removed the guard ${found.kind}.`);
    return 0;
  },
};
