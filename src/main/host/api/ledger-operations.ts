import { invalid } from '../../../contract/errors.ts';
import type { Ledger, LedgerModeSummary, LedgerRate } from '../../../contract/ledger.ts';
import type { LEDGER_OPERATIONS } from '../../../contract/ledger-operations.ts';
import { resolveTimeZone } from '../../../shared/time-zone.ts';
import { convertSums } from '../ledger/convert-sums.ts';
import type { Rebuilt } from '../ledger/ledger-writer.ts';
import { type Handlers, principalOf } from './handler-types.ts';
import { ownBot, type Reach, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

/** Rates of one mode: amounts of paper and of real money have nothing to do with each other. */
const of = (rates: readonly LedgerRate[], mode: LedgerRate['mode']): LedgerRate[] =>
  rates.filter((rate) => rate.mode === mode);

/** Profits of today in another currency. */
function todayIn(today: LedgerModeSummary['today'], currency: string, rates: readonly LedgerRate[]) {
  const sums = today.map((profit) => ({ ...profit, day: null, venue: null, account: null, fees: '0', flows: {} }));
  const { sums: converted, conversion } = convertSums(sums, currency, rates);
  return {
    today: converted.map(({ currency, symbol, realised, net }) => ({ currency, symbol, realised, net })),
    conversion,
  };
}

/** The time zone that a request names, under its one name. Throws INVALID_REQUEST for one that this host does not know. */
function zoneOf(name: string | undefined): string {
  const zone = name === undefined ? 'UTC' : resolveTimeZone(name);
  if (zone !== null) return zone;
  const message = `${JSON.stringify(name)} is not the name of a time zone`;
  const hint = 'Write a name of the tz database such as "Europe/Berlin" or "America/New_York"; left out it is UTC.';
  throw invalid('INVALID_REQUEST', [{ path: 'zone', message, hint }]);
}

type LedgerOperations = Extract<keyof typeof LEDGER_OPERATIONS, keyof Handlers>;

/** The books of bots. */
export function ledgerOperations(s: Services): Pick<Handlers, LedgerOperations> {
  const { bots, telemetry } = s;
  const own = (who: Reach, botId: string) => ownBot(bots, who, botId);
  const rebuilt = async (bot_id: string, { rows, added, changedDays, method }: Rebuilt) => ({
    ...{ bot_id, method, rows, added, changed_days: changedDays },
  });
  const reached = (caller: Reach): string[] =>
    bots.list(caller.userId).flatMap(({ botId }) => (reaches(caller, botId) ? [botId] : []));
  /** The books of a bot, converted if a currency is given. */
  const booksIn = (ledger: Ledger, currency: string | undefined, rates: readonly LedgerRate[]): Ledger => {
    if (currency === undefined) return ledger;
    const books = ledger.books.map((book) => ({ ...book, ...convertSums(book.sums, currency, of(rates, book.mode)) }));
    return { ...ledger, books };
  };
  return {
    'ledger.list': async ({ in: currency, zone: name, ...input }, caller) => {
      const items: Ledger[] = [];
      const zone = zoneOf(name);
      const ids = reached(caller);
      const rates = await telemetry.ledgerRates(ids);
      for (const botId of ids) {
        if (caller.signal?.aborted === true) break;
        // One after another, so that other reads have their turn in between.
        const ledger = await telemetry.ledger({ ...input, zone, bot_id: botId });
        if (ledger.books.length > 0) items.push(booksIn(ledger, currency, rates));
      }
      return { items, rate_currencies: [...new Set(rates.flatMap(({ base, quote }) => [base, quote]))].sort() };
    },
    'ledger.get': async ({ in: currency, zone: name, ...input }, caller) => {
      own(caller, input.bot_id);
      const zone = zoneOf(name);
      const rates = currency === undefined ? [] : await telemetry.ledgerRates(reached(caller));
      return booksIn(await telemetry.ledger({ ...input, zone }), currency, rates);
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
    'ledger.summary': async ({ in: currency, zone: name }, caller) => {
      const zone = zoneOf(name);
      const ids = reached(caller);
      const summaries = await telemetry.ledgerSummaries(ids, zone, caller.signal);
      if (currency === undefined) return summaries;
      const rates = await telemetry.ledgerRates(ids);
      const items = summaries.items.map(({ bot_id, ledger }) => {
        const converted = ledger?.map((one) => ({ ...one, ...todayIn(one.today, currency, of(rates, one.mode)) }));
        return { bot_id, ledger: converted ?? null };
      });
      return { ...summaries, items };
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
