import type { LedgerEquityCurve } from '../../contract/ledger.ts';
import type { Command } from '../command.ts';
import { LEDGER_OPTIONS, ledgerBots } from '../ledger-bots.ts';
import { tellLedger } from '../ledger-table.ts';

const HEAD = ['TIME', 'BOT', 'MODE', 'ACCOUNT', 'CURRENCY', 'EQUITY', 'LOWEST', 'HIGHEST'];
const MOST_POINTS = 2000;

export const command: Command = {
  positionals: [],
  options: {
    ...LEDGER_OPTIONS,
    from: { type: 'string', value: 'TIME', help: 'From this time on: 2026-01-31T00:00:00Z' },
    to: { type: 'string', value: 'TIME', help: 'Up to this time' },
    points: { type: 'string', value: 'N', help: 'At most so many of each account (default 500)' },
  },
  description: 'Lists the equity that bots wrote, each row for a stretch of time, oldest first.',
  examples: ['platform ledger equity --bot "sma live"', 'platform ledger equity --points 30 --csv'],
  async run({ client, out }, args) {
    const range = { from: args.text('from'), to: args.text('to'), points: args.integer('points', 2, MOST_POINTS) };
    const host = await client();
    const items: (LedgerEquityCurve & { readonly bot_id: string })[] = [];
    const rows: string[][] = [];
    for (const { bot_id, name } of await ledgerBots(host, args)) {
      const { curves } = await host.call('ledger.equity', { bot_id, ...range });
      items.push(...curves.map((curve) => ({ bot_id, ...curve })));
      for (const { mode, venue, account, currency, points } of curves) {
        const place = [venue, account].filter((text) => text !== null).join(' ');
        const of = [name, mode, place, currency ?? 'unknown'];
        rows.push(...points.map(({ at, value, low, high }) => [at, ...of, value, low, high]));
      }
    }
    out.data({ items });
    tellLedger(out, args, { head: HEAD, rows, none: 'No bot has reported equity.', spare: ['ACCOUNT', 'MODE'] });
    return 0;
  },
};
