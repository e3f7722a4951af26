import { LIMITS } from '../../contract/limits.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: { limit: { type: 'string', short: 'n', value: 'N', help: 'Changes (default 100)' } },
  description: 'Lists the changes of state of a bot with their reasons, newest first.',
  examples: ['platform bot events "sma live"'],
  async run({ client, out }, args) {
    const host = await client();
    const bot_id = await host.botId(args.positionals[0] ?? '');
    const answer = await host.call('bots.events', { bot_id, limit: args.integer('limit', 1, LIMITS.logsMax) });
    out.data(answer);
    out.table(
      ['AT', 'CHANGE', 'STATUS', 'REASON'],
      answer.items.map((one) => [
        one.at,
        one.kind,
        one.status ?? '',
        one.changes.map(({ message }) => message).join('; ') || (one.reason?.message ?? ''),
      ]),
    );
    return 0;
  },
};
