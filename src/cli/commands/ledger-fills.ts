import type { LedgerEntry } from '../../contract/ledger.ts';
import type { Command } from '../command.ts';
import { LEDGER_OPTIONS, ledgerBots } from '../ledger-bots.ts';
import { ledgerPages, PAGE_OPTIONS } from '../ledger-pages.ts';
import { tellLedger } from '../ledger-table.ts';

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
    ...PAGE_OPTIONS,
  },
  description: 'Lists fills, adjustments and flows of cash as they are booked, newest first.',
  examples: [
    'platform ledger fills',
    'platform ledger fills --bot "sma live" -n 20',
    'platform ledger fills --all --csv',
  ],
  async run({ client, out }, args) {
    const host = await client();
    const found: { name: string; entry: LedgerEntry }[] = [];
    for (const { bot_id, name } of await ledgerBots(host, args)) {
      const pages = await ledgerPages(args, (page) => host.call('ledger.entries', { bot_id, ...page }));
      for (const { entries } of pages) found.push(...entries.map((entry) => ({ name, entry })));
    }
    found.sort((a, b) => Date.parse(b.entry.at) - Date.parse(a.entry.at) || b.entry.seq - a.entry.seq);
    out.data({ items: found.map(({ entry }) => entry) });
    const rows = found.map(({ name, entry }) => row(name, entry));
    tellLedger(out, args, { head: HEAD, rows, none: 'Nothing is booked yet.', spare: ['ID', 'MODE', 'FEE OR CASH'] });
    return 0;
  },
};
