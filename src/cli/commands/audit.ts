import { LIMITS } from '../../contract/limits.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  positionals: [],
  options: { limit: { type: 'string', short: 'n', value: 'N', help: 'Entries (default 100)' } },
  description: 'Lists what was done with your account, newest first.',
  examples: ['platform audit -n 20'],
  async run({ client, out }, args) {
    const host = await client();
    const answer = await host.call('audit.list', { limit: args.integer('limit', 1, LIMITS.logsMax) });
    out.data(answer);
    out.table(
      ['AT', 'WHO', 'WHAT', 'OUTCOME', 'CLIENT'],
      answer.items.map((one) => [one.at, one.by, one.deed, one.outcome, one.client ?? '']),
    );
    return 0;
  },
};
