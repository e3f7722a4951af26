import type { LedgerOrder } from '../../contract/ledger.ts';
import type { Command } from '../command.ts';
import { LEDGER_OPTIONS, ledgerBots } from '../ledger-bots.ts';
import { ledgerPages, PAGE_OPTIONS } from '../ledger-pages.ts';
import { tellLedger } from '../ledger-table.ts';

const HEAD = ['TIME', 'BOT', 'MODE', 'SIDE', 'SYMBOL', 'QUANTITY', 'PRICE', 'STATUS', 'ID', 'DECISION', 'NOTE'];

function row(bot: string, order: LedgerOrder): string[] {
  const notes = [
    ...(order.duplicate_of === null ? [] : [`repeats order ${order.duplicate_of}`]),
    ...(order.reason === null ? [] : [order.reason]),
  ];
  return [
    ...[order.at, bot, order.mode, order.side, order.symbol, order.quantity, order.price ?? order.type ?? ''],
    ...[order.status, order.client_order_id, order.decision_id ?? '', notes.join('; ')],
  ];
}

export const command: Command = {
  positionals: [],
  options: {
    ...LEDGER_OPTIONS,
    open: { type: 'boolean', help: 'Only orders that can still be filled' },
    ...PAGE_OPTIONS,
  },
  description: 'Lists orders with their newest status, newest first. With --json each has all its statuses.',
  examples: ['platform ledger orders', 'platform ledger orders --bot "sma live" --open'],
  async run({ client, out }, args) {
    const open = args.flag('open') ? { open: true } : {};
    const host = await client();
    const found: { bot_id: string; name: string; order: LedgerOrder }[] = [];
    for (const { bot_id, name } of await ledgerBots(host, args)) {
      const pages = await ledgerPages(args, (page) => host.call('ledger.orders', { bot_id, ...page, ...open }));
      for (const { orders } of pages) found.push(...orders.map((order) => ({ bot_id, name, order })));
    }
    found.sort((a, b) => Date.parse(b.order.at) - Date.parse(a.order.at) || b.order.seq - a.order.seq);
    out.data({ items: found.map(({ bot_id, order }) => ({ bot_id, ...order })) });
    const rows = found.map(({ name, order }) => row(name, order));
    tellLedger(out, args, {
      head: HEAD,
      rows,
      none: 'No bot has reported an order.',
      spare: ['DECISION', 'ID', 'MODE'],
    });
    return 0;
  },
};
