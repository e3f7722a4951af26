import { toTimestamp } from '../../../contract/common.ts';
import type { BotStore } from '../control/bot-store.ts';
import type { EventStore } from '../control/event-store.ts';
import type { DuplicateOrder } from '../ledger/ledger-writer.ts';
import type { Journal } from './journal.ts';

/** Events among which one that was recorded before is looked for. */
const EVENTS_BACK = 100;

interface DuplicateOrderDeps {
  readonly bots: Pick<BotStore, 'get'>;
  readonly events: Pick<EventStore, 'list'>;
  readonly journal: Pick<Journal, 'change'>;
  readonly onError: (where: string, error: unknown) => void;
}

function messageOf([first, ...more]: readonly DuplicateOrder[]): string {
  if (first === undefined) return '';
  const { mode, client, first: before, side, symbol, decision, leg } = first;
  const part = leg === null ? '' : `, leg ${leg}`;
  const rest = more.length === 0 ? '' : `, and ${more.length} more ${more.length === 1 ? 'order' : 'orders'} like it`;
  return `Order ${client} repeats ${before}: ${side} ${symbol} for decision ${decision}${part} (${mode})${rest}`;
}

/**
 * Records in the journal that a bot has repeated orders: one event for all that came together, so that a bot in a loop does not
 * push everything else out. Returns true once it is recorded; the same orders may then come again, after a kill.
 */
export function recordDuplicateOrders(
  { bots, events, journal, onError }: DuplicateOrderDeps,
  botId: string,
  orders: readonly DuplicateOrder[],
): boolean {
  const [first] = orders;
  // The bot is gone, and with it whoever could be told.
  if (first === undefined || bots.get(botId) === null) return true;
  const why = {
    code: 'DUPLICATE_ORDER',
    message: messageOf(orders),
    hint: '`platform ledger orders` shows both orders. Cancel at your venue what should not be there, and stop the bot if it goes on.',
    at: toTimestamp(first.at),
  };
  try {
    const known = events.list(botId, EVENTS_BACK, undefined, 'duplicate_order');
    if (known.some(({ reason }) => reason?.message === why.message && reason.at === why.at)) return true;
    journal.change(botId, {}, { kind: 'duplicate_order', why });
    return true;
  } catch (error) {
    onError(`orders of ${botId} that it placed twice`, error);
    return false;
  }
}
