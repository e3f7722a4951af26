import { LIMITS } from '../../contract/limits.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  positionals: [],
  options: {
    limit: { type: 'string', short: 'n', value: 'N', help: 'Entries (default 100)' },
    by: { type: 'string', value: 'WHO', help: 'person, assistant, or a key by its name or id' },
    bot: { type: 'string', value: 'BOT', help: 'What was done to a bot, by its name or id; also to one that is gone' },
    action: { type: 'string', value: 'WORD', help: 'A verb such as delete, or an operation such as bots.update' },
    range: { type: 'string', value: 'A/B', help: 'Days or instants: 2026-01-01/2026-01-31; or since: --range=-2h' },
  },
  description: 'Lists what was done with your account, newest first.',
  examples: [
    'platform audit -n 20',
    'platform audit --by claude-code --action delete',
    'platform audit --bot "sma live" --range=-1d',
  ],
  async run({ client, out }, args) {
    const host = await client();
    const wanted = {
      by: args.text('by'),
      bot: args.text('bot'),
      action: args.text('action'),
      date_range: args.text('range'),
    };
    const answer = await host.call('audit.list', { limit: args.integer('limit', 1, LIMITS.logsMax), ...wanted });
    out.data(answer);
    if (answer.items.length === 0) {
      const isAny = Object.values(wanted).every((value) => value === undefined);
      out.line(isAny ? 'Nothing yet.' : 'Nothing that this holds for.');
      return 0;
    }
    out.table(
      ['AT', 'WHO', 'WHAT', 'OUTCOME', 'CLIENT'],
      answer.items.map((one) => [one.at, one.by, one.deed, one.outcome, one.client ?? '']),
    );
    return 0;
  },
};
