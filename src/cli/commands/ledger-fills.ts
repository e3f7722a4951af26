import type { LedgerEntry } from '../../contract/ledger.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Command } from '../command.ts';
import { csvText } from '../csv-text.ts';
import { LEDGER_OPTIONS, ledgerBots } from '../ledger-bots.ts';
import { tellZone } from '../show-output.ts';

const HEAD = ['TIME', 'BOT', 'MODE', 'WHAT', 'SYMBOL', 'QUANTITY', 'PRICE', 'REALISED', 'FEE OR CASH', 'ID', 'NOTE'];

const amount = (digits: string | null, currency: string | null): string =>
  digits === null ? '' : currency === null ? digits : `${digits} ${currency}`;

function row(bot: string, entry: LedgerEntry): string[] {
  const note = entry.problem === null ? (entry.difference ?? '') : `not booked: ${entry.problem}`;
  return [
    ...[entry.at, bot, entry.mode, entry.side ?? entry.kind ?? '', entry.symbol ?? ''],
    ...[entry.quantity ?? '', entry.price ?? '', amount(entry.realised, entry.realised_currency)],
    ...[amount(entry.charge, entry.charge_currency), entry.id, note],
  ];
}

export const command: Command = {
  positionals: [],
  options: {
    ...LEDGER_OPTIONS,
    limit: { type: 'string', short: 'n', value: 'N', help: 'Entries of each bot (default 100)' },
  },
  description: 'Lists fills, adjustments and flows of cash as they are booked, newest first.',
  examples: ['platform ledger fills', 'platform ledger fills --bot "sma live" -n 20'],
  async run({ client, out }, args) {
    const limit = args.integer('limit', 1, LIMITS.logsMax);
    const host = await client();
    const found: { name: string; entry: LedgerEntry }[] = [];
    for (const { bot_id, name } of await ledgerBots(host, args)) {
      const { entries } = await host.call('ledger.entries', { bot_id, limit });
      found.push(...entries.map((entry) => ({ name, entry })));
    }
    found.sort((a, b) => Date.parse(b.entry.at) - Date.parse(a.entry.at) || b.entry.seq - a.entry.seq);
    out.data({ items: found.map(({ entry }) => entry) });
    const rows = found.map(({ name, entry }) => row(name, entry));
    if (args.flag('csv'))
      out.raw(
        csvText(
          HEAD.map((word) => word.toLowerCase()),
          rows,
        ),
      );
    else if (rows.length === 0) out.line('Nothing is booked yet.');
    else {
      tellZone(out);
      out.table(HEAD, rows, ['ID', 'MODE', 'FEE OR CASH']);
    }
    return 0;
  },
};
