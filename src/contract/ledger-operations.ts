import {
  Ledger,
  LedgerEntries,
  LedgerEntriesQuery,
  LedgerEquity,
  LedgerEquityQuery,
  LedgerOrders,
  LedgerOrdersQuery,
  LedgerProblems,
  LedgerProblemsQuery,
  LedgerQuery,
  LedgerSummaries,
  LedgerSummaryQuery,
} from './ledger.ts';
import { LedgerList, LedgerListQuery } from './ledger-list.ts';
import {
  LedgerChanges,
  LedgerConflicts,
  LedgerConflictsQuery,
  LedgerErased,
  LedgerMethodRequest,
  LedgerRebuildRequest,
  LedgerRebuilt,
} from './ledger-upkeep.ts';
import { call, callWithPin, type Operation, stream } from './operation.ts';
import { NO_BOT, none, ofBot } from './operation-fields.ts';

const LEDGER = 'docs/ledger.md#rows';
const UPKEEP = 'docs/ledger.md#upkeep';

/** Rows of the operation table: the books of bots. */
export const LEDGER_OPERATIONS = {
  'ledger.list': call(
    ['GET', '/api/v1/ledger'],
    'read',
    'What each bot earned, paid and holds, of all bots that have books',
    LedgerListQuery,
    LedgerList,
    { namedBots: true, docs: LEDGER },
  ),
  'ledger.get': call(
    ['GET', '/api/v1/bots/{bot_id}/ledger'],
    'read',
    'What a bot earned, paid and holds, by mode and currency',
    LedgerQuery,
    Ledger,
    { errors: NO_BOT, docs: LEDGER },
  ),
  'ledger.entries': call(
    ['GET', '/api/v1/bots/{bot_id}/ledger/entries'],
    'read',
    'Fills, flows of cash and adjustments as they are booked, newest first',
    LedgerEntriesQuery,
    LedgerEntries,
    { errors: NO_BOT, docs: LEDGER },
  ),
  'ledger.problems': call(
    ['GET', '/api/v1/bots/{bot_id}/ledger/problems'],
    'read',
    'Rows that are in no sum, and why; newest first',
    LedgerProblemsQuery,
    LedgerProblems,
    { errors: NO_BOT, docs: LEDGER },
  ),
  'ledger.orders': call(
    ['GET', '/api/v1/bots/{bot_id}/ledger/orders'],
    'read',
    'Orders with all their statuses, newest first',
    LedgerOrdersQuery,
    LedgerOrders,
    { errors: NO_BOT, docs: LEDGER },
  ),
  'ledger.equity': call(
    ['GET', '/api/v1/bots/{bot_id}/ledger/equity'],
    'read',
    'Curves of the equity that a bot wrote, by mode, account and currency',
    LedgerEquityQuery,
    LedgerEquity,
    { errors: NO_BOT, docs: LEDGER },
  ),
  'ledger.summary': call(
    ['GET', '/api/v1/ledger/summary'],
    'read',
    'The books of all bots in short: profit of today, positions, the last fill and signal',
    LedgerSummaryQuery,
    LedgerSummaries,
    { namedBots: true, docs: LEDGER },
  ),
  'ledger.stream': stream(
    ['GET', '/api/v1/ledger/events'],
    'read',
    'Which books have changed, live; what they say now is for the reader to ask',
    none,
    LedgerChanges,
    { namedBots: true, docs: 'docs/ledger.md#live' },
  ),
  'ledger.conflicts': call(
    ['GET', '/api/v1/bots/{bot_id}/ledger/conflicts'],
    'read',
    'Rows that have the id of another one and say something else, each beside the one that counts; newest first',
    LedgerConflictsQuery,
    LedgerConflicts,
    { errors: NO_BOT, docs: 'docs/ledger.md#corrections' },
  ),
  'ledger.method': call(
    ['PUT', '/api/v1/bots/{bot_id}/ledger/method'],
    'operate',
    'Choose whether a sale closes the oldest units, or each at the average cost; the books are rebuilt from the start',
    LedgerMethodRequest,
    LedgerRebuilt,
    {
      docs: UPKEEP,
      cost: 'heavy',
      errors: NO_BOT,
      audit: ['changed', 'change', 'how the ledger[ of bot {bot}] counts[ to {method}]'],
    },
  ),
  'ledger.rebuild': call(
    ['POST', '/api/v1/bots/{bot_id}/ledger/rebuild'],
    'operate',
    'Rebuild the books of a bot from the rows that they hold, and add older ones of its log',
    LedgerRebuildRequest,
    LedgerRebuilt,
    {
      docs: UPKEEP,
      cost: 'heavy',
      errors: NO_BOT,
      audit: ['rebuilt', 'rebuild', 'the ledger[ of bot {bot}][ with rows of its log from {from} on]'],
    },
  ),
  'ledger.erase': callWithPin(
    ['DELETE', '/api/v1/bots/{bot_id}/ledger'],
    'operate',
    'Erase the books of a bot for good',
    ofBot,
    LedgerErased,
    {
      docs: UPKEEP,
      effect: 'destructive',
      errors: NO_BOT,
      auditedFirst: true,
      audit: ['erased', 'erase', 'the ledger[ of bot {bot}]'],
    },
  ),
} as const satisfies Record<string, Operation>;
