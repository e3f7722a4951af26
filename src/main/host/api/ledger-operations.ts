import type { Ledger } from '../../../contract/ledger.ts';
import type { LEDGER_OPERATIONS } from '../../../contract/ledger-operations.ts';
import type { Rebuilt } from '../ledger/ledger-writer.ts';
import { type Handlers, principalOf } from './handler-types.ts';
import { ownBot, type Reach, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

type LedgerOperations = Extract<keyof typeof LEDGER_OPERATIONS, keyof Handlers>;

/** The books of bots. */
export function ledgerOperations(s: Services): Pick<Handlers, LedgerOperations> {
  const { bots, telemetry } = s;
  const own = (who: Reach, botId: string) => ownBot(bots, who, botId);
  const rebuilt = async (bot_id: string, { rows, added, changedDays, method }: Rebuilt) => ({
    ...{ bot_id, method, rows, added, changed_days: changedDays },
  });
  return {
    'ledger.list': async (input, caller) => {
      const items: Ledger[] = [];
      for (const { botId } of bots.list(caller.userId)) {
        if (caller.signal?.aborted === true) break;
        if (!reaches(caller, botId)) continue;
        // One after another, so that other reads have their turn in between.
        const ledger = await telemetry.ledger({ ...input, bot_id: botId });
        if (ledger.books.length > 0) items.push(ledger);
      }
      return { items };
    },
    'ledger.get': (input, caller) => {
      own(caller, input.bot_id);
      return telemetry.ledger(input);
    },
    'ledger.entries': (input, caller) => {
      own(caller, input.bot_id);
      return telemetry.ledgerEntries(input);
    },
    'ledger.problems': (input, caller) => {
      own(caller, input.bot_id);
      return telemetry.ledgerProblems(input);
    },
    'ledger.orders': (input, caller) => {
      own(caller, input.bot_id);
      return telemetry.ledgerOrders(input);
    },
    'ledger.equity': (input, caller) => {
      own(caller, input.bot_id);
      return telemetry.ledgerEquity(input);
    },
    'ledger.summary': (_, caller) => {
      const ids = bots.list(caller.userId).flatMap(({ botId }) => (reaches(caller, botId) ? [botId] : []));
      return telemetry.ledgerSummaries(ids, caller.signal);
    },
    'ledger.conflicts': (input, caller) => {
      own(caller, input.bot_id);
      return telemetry.ledgerConflicts(input);
    },
    'ledger.method': async ({ bot_id, method }, caller) => {
      own(caller, bot_id);
      return rebuilt(bot_id, await telemetry.setLedgerMethod(bot_id, method));
    },
    'ledger.rebuild': async ({ bot_id, from }, caller) => {
      own(caller, bot_id);
      return rebuilt(bot_id, await telemetry.rebuildLedger(bot_id, from === undefined ? null : Date.parse(from)));
    },
    'ledger.erase': async ({ bot_id }, caller) => {
      own(caller, bot_id);
      const by = { at: s.now(), user: principalOf(caller).userId };
      return { bot_id, rows: await telemetry.eraseLedger(bot_id, by) };
    },
  };
}
