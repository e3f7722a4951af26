import { toTimestamp } from '../../../contract/common.ts';
import type {
  LedgerEquity,
  LedgerEquityCurve,
  LedgerEquityQuery,
  LedgerOrder,
  LedgerOrders,
  LedgerOrdersQuery,
} from '../../../contract/ledger.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { damage } from '../../../node/storage-error.ts';
import { decimalText } from '../ledger/decimal.ts';
import type { LedgerReader, StoredOrder } from '../ledger/ledger-reader.ts';
import { readRow } from '../ledger/read-row.ts';
import type { Order } from '../ledger/vocabulary.ts';
import type { BotMasker } from './create-bot-masker.ts';
import { booksOf, named, placeBefore, shown } from './read-ledger.ts';

/** Rows of an order that are shown. */
const MOST_STATUSES = 50;
const EQUITY_POINTS = 500;

/** Reads a row of an order that was taken before. */
function orderOf(text: string, seq: number): Order {
  const { row } = readRow('order', text, seq);
  if (row?.type !== 'order') throw damage('a row of an order is not as it was stored');
  return row;
}

function wireOrder(reader: LedgerReader, stored: StoredOrder, masker: BotMasker): LedgerOrder {
  const order = orderOf(stored.text, stored.newest);
  const { venue, account, symbol, orderType, decisionId, leg, reason, id } = order;
  const masked = shown(masker, {
    ...{ venue: named(venue), account: named(account), symbol, type: orderType, leg, reason },
    ...{ client_order_id: id, decision_id: decisionId, duplicate_of: stored.first },
  });
  const history = reader.statuses(stored, MOST_STATUSES).map(({ seq, at, text }) => {
    const row = orderOf(text, seq);
    return { seq, at: toTimestamp(at), status: row.status, ...shown(masker, { reason: row.reason }) };
  });
  return {
    ...masked,
    client_order_id: masked.client_order_id ?? '',
    symbol: masked.symbol ?? '',
    mode: stored.mode,
    seq: stored.seq,
    at: toTimestamp(stored.at),
    side: order.side,
    quantity: decimalText(order.quantity),
    price: order.price === null ? null : decimalText(order.price),
    currency: order.currency,
    status: order.status,
    history,
  };
}

/** Orders of a bot, the last first. Null: the host has no ledger yet. */
export function readLedgerOrders(
  reader: LedgerReader | null,
  masker: BotMasker,
  { bot_id, mode, before, open = false, limit = LIMITS.logsDefault }: LedgerOrdersQuery,
): LedgerOrders {
  if (reader === null) return { bot_id, orders: [], older_before: null };
  return reader.atOnce(() => {
    const place = placeBefore(before);
    const found = booksOf(reader, bot_id, mode).flatMap((book) => reader.orders(book, place, limit + 1, open));
    const page = found.sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, limit);
    const last = page.at(-1);
    return {
      bot_id,
      orders: page.map((order) => wireOrder(reader, order, masker)),
      older_before: found.length > limit && last !== undefined ? `${last.at}-${last.seq}` : null,
    };
  });
}

/** Curves of the equity that a bot wrote, one for each mode, account and currency. Null: the host has no ledger yet. */
export function readLedgerEquity(
  reader: LedgerReader | null,
  masker: BotMasker,
  { bot_id, mode, from, to, points = EQUITY_POINTS }: LedgerEquityQuery,
): LedgerEquity {
  const [first, last] = [from, to].map((time) => (time === undefined ? null : Date.parse(time)));
  const curves = new Map<string, LedgerEquityCurve>();
  for (const book of booksOf(reader, bot_id, mode)) {
    for (const { venue, account, currency, at, since, ...amounts } of reader?.equity(
      book.id,
      first ?? null,
      last ?? null,
      points,
    ) ?? []) {
      const key = JSON.stringify([book.mode, venue, account, currency]);
      let curve = curves.get(key);
      if (curve === undefined) {
        const place = shown(masker, { venue: named(venue), account: named(account) });
        curve = { mode: book.mode, ...place, currency: named(currency), points: [] };
        curves.set(key, curve);
      }
      const before = since === undefined ? {} : { since: toTimestamp(since) };
      curve.points.push({ at: toTimestamp(at), ...amounts, ...before });
    }
  }
  return { bot_id, curves: [...curves.values()] };
}
