import type { LedgerPosition } from '../../contract/ledger.ts';
import type { Command } from '../command.ts';
import { LEDGER_OPTIONS } from '../ledger-bots.ts';
import { tellLedger } from '../ledger-table.ts';
import { readNamedLedgers } from '../read-named-ledgers.ts';

const HEAD = [
  'BOT',
  'MODE',
  'SYMBOL',
  'SIDE',
  'QUANTITY',
  'AVERAGE PRICE',
  'COST',
  'PRICE',
  'UNREALISED',
  'CURRENCY',
  'ACCOUNT',
  'SINCE',
  'NOTE',
];

function row(bot: string, mode: string, one: LedgerPosition): string[] {
  return [
    ...[bot, mode, one.symbol, one.side === 'net' ? '' : one.side, one.quantity],
    ...[
      one.average_price ?? 'unknown',
      one.cost ?? 'unknown',
      one.price ?? '',
      one.unrealised ?? '',
      one.currency ?? 'unknown',
      one.account ?? '',
      one.since ?? '',
      one.difference ?? '',
    ],
  ];
}

export const command: Command = {
  positionals: [],
  options: LEDGER_OPTIONS,
  description: 'Lists what bots hold by their fills and adjustments.',
  examples: ['platform ledger positions', 'platform ledger positions --bot "sma live"'],
  async run({ client, out }, args) {
    const host = await client();
    const rows: string[][] = [];
    const notes: string[] = [];
    const items: (LedgerPosition & { readonly bot_id: string; readonly mode: string })[] = [];
    for (const { name, ledger } of await readNamedLedgers(host, args)) {
      const { bot_id, books } = ledger;
      for (const { mode, positions, differences } of books) {
        items.push(...positions.map((one) => ({ bot_id, mode, ...one })));
        rows.push(...positions.map((one) => row(name, mode, one)));
        for (const { symbol, reported } of differences)
          notes.push(`${name} (${mode}): it says that it holds ${reported} ${symbol}, and its fills say nothing.`);
      }
    }
    out.data({ items });
    tellLedger(out, args, {
      head: HEAD,
      rows,
      none: 'Nothing is held.',
      spare: ['SINCE', 'ACCOUNT', 'SIDE', 'COST', 'NOTE'],
    });
    for (const note of notes) out.note(note);
    return 0;
  },
};
