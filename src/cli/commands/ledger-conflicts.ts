import type { LedgerConflict } from '../../contract/ledger-upkeep.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Command } from '../command.ts';
import { LEDGER_OPTIONS, ledgerBots } from '../ledger-bots.ts';
import { tellLedger } from '../ledger-table.ts';

const HEAD = ['TIME', 'BOT', 'MODE', 'TYPE', 'ID', 'SYMBOL', 'DIFFERS IN', 'COUNTS', 'DOES NOT COUNT'];

function row(bot: string, { mode, type, id, symbol, fields, counts, other }: LedgerConflict): string[] {
  return [other.at, bot, mode, type, id, symbol ?? '', fields.join(', '), counts.row, other.row];
}

export const command: Command = {
  positionals: [],
  options: {
    ...LEDGER_OPTIONS,
    limit: { type: 'string', short: 'n', value: 'N', help: 'Conflicts of each bot (default 100)' },
  },
  description:
    'Lists rows that have the id of an earlier one and say something else, beside that one. The earlier one counts.',
  examples: ['platform ledger conflicts', 'platform ledger conflicts --bot "sma live" --json'],
  async run({ client, out }, args) {
    const limit = args.integer('limit', 1, LIMITS.logsMax);
    const host = await client();
    const items: (LedgerConflict & { readonly bot_id: string })[] = [];
    const rows: string[][] = [];
    for (const { bot_id, name } of await ledgerBots(host, args)) {
      const { conflicts } = await host.call('ledger.conflicts', { bot_id, limit });
      items.push(...conflicts.map((conflict) => ({ bot_id, ...conflict })));
      rows.push(...conflicts.map((conflict) => row(name, conflict)));
    }
    out.data({ items });
    tellLedger(out, args, {
      head: HEAD,
      rows,
      none: 'No two rows have the same id and say different things.',
      spare: ['MODE', 'TYPE'],
    });
    return 0;
  },
};
