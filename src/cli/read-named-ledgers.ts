import type { Ledger, LedgerQuery } from '../contract/ledger.ts';
import type { Arguments, Client } from './command.ts';
import { ledgerBots } from './ledger-bots.ts';

/** The books of a bot, with its name. */
export interface NamedLedger {
  readonly name: string;
  readonly ledger: Ledger;
}

/** The books of the bot of --bot, or of all bots; only of those that have any. */
export async function readNamedLedgers(
  host: Client,
  args: Arguments,
  range: Omit<LedgerQuery, 'bot_id'> = {},
): Promise<readonly NamedLedger[]> {
  const bots = await ledgerBots(host, args);
  const [first] = bots;
  if (args.text('bot') !== undefined && first !== undefined) {
    const ledger = await host.call('ledger.get', { bot_id: first.bot_id, ...range });
    return ledger.books.length === 0 ? [] : [{ name: first.name, ledger }];
  }
  const names = new Map(bots.map(({ bot_id, name }) => [bot_id, name]));
  const { items } = await host.call('ledger.list', range);
  // A bot may have been deployed after the names were read.
  return items.map((ledger) => ({ name: names.get(ledger.bot_id) ?? ledger.bot_id, ledger }));
}
