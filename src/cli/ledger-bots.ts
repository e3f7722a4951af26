import type { Arguments, Client, OptionSpec } from './command.ts';

/** A bot whose books are asked for. */
export interface LedgerBot {
  readonly bot_id: string;
  readonly name: string;
}

/** Options of every command that shows the ledger. */
export const LEDGER_OPTIONS = {
  bot: { type: 'string', value: 'BOT', help: 'Of this bot only, by id or name; else of all your bots' },
  csv: { type: 'boolean', help: 'As CSV, for a spreadsheet' },
} satisfies Readonly<Record<string, OptionSpec>>;

/** The bot of --bot, or all bots. */
export async function ledgerBots(host: Client, args: Arguments): Promise<readonly LedgerBot[]> {
  const wanted = args.text('bot');
  const bot_id = wanted === undefined ? null : await host.botId(wanted);
  const { items } = await host.call('bots.list', {});
  if (bot_id === null) return items;
  // The host says of a bot that the caller does not have that there is none.
  return [items.find((bot) => bot.bot_id === bot_id) ?? { bot_id, name: wanted ?? '' }];
}
