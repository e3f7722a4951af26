import { LIMITS } from '../../contract/limits.ts';
import type { Command } from '../command.ts';
import { LEDGER_OPTIONS, ledgerBots } from '../ledger-bots.ts';
import { tellZone } from '../show-bot-output.ts';

export const command: Command = {
  positionals: [],
  options: {
    bot: LEDGER_OPTIONS.bot,
    limit: { type: 'string', short: 'n', value: 'N', help: 'Rows of each bot (default 100)' },
  },
  description: 'Lists rows that are in no sum, and why: they cannot be booked, or another row has the same id.',
  examples: ['platform ledger problems', 'platform ledger problems --bot "sma live"'],
  async run({ client, out }, args) {
    const limit = args.integer('limit', 1, LIMITS.logsMax);
    const host = await client();
    const items: unknown[] = [];
    const rows: string[][] = [];
    for (const { bot_id, name } of await ledgerBots(host, args)) {
      const { problems } = await host.call('ledger.problems', { bot_id, limit });
      items.push(...problems.map((problem) => ({ bot_id, ...problem })));
      rows.push(...problems.map(({ at, mode, type, message, row }) => [at, name, mode, type, message, row]));
    }
    out.data({ items });
    if (rows.length === 0) out.line('Every row is booked.');
    else {
      tellZone(out);
      out.table(['TIME', 'BOT', 'MODE', 'TYPE', 'WHY', 'ROW'], rows, ['MODE']);
    }
    return 0;
  },
};
