import type { Statements } from '../../../node/statements.ts';
import { decimalText } from './decimal.ts';
import type { Order } from './vocabulary.ts';

/** A row of an order. `at` is its time, in ms since the epoch. */
export interface OrderRow {
  readonly order: Order;
  readonly seq: number;
  readonly at: number;
  readonly text: string;
}

interface Known {
  readonly seq: number;
  readonly newest: number;
  readonly newest_at: number;
}

/** Decisions are for one symbol, side and leg: one decision may place an order for each. */
function decisionOf({ decisionId, symbol, side, leg }: Order): string | null {
  return decisionId === null ? null : JSON.stringify([decisionId, symbol, side, leg ?? '']);
}

/** What a row says, so that one that is sent again is known: a bot may write all its orders at each start. */
function contentOf({
  status,
  quantity,
  price,
  orderType,
  decisionId,
  leg,
  reason,
  currency,
  time,
  side,
}: Order): string {
  const numbers = [quantity, price].map((value) => (value === null ? null : decimalText(value)));
  return JSON.stringify([status, side, ...numbers, orderType, decisionId, leg, reason, currency, time]);
}

/** Keeps the orders of one book inside the caller's transaction: of each its rows, and whether it repeats another one. */
export class OrderBook {
  readonly #statements: Statements;
  readonly #id: number;

  constructor(statements: Statements, id: number) {
    this.#statements = statements;
    this.#id = id;
  }

  /** Takes a row. `isOld`: it was written long ago, so that nobody is told of a duplicate any more. */
  take({ order, seq, at, text }: OrderRow, isOld: boolean): void {
    const { venue, account, symbol, id, status } = order;
    const key = JSON.stringify([venue, account, symbol, id]);
    const known = this.#statements.get<Known>(
      'select seq, newest, newest_at from bot_order where book = ? and key = ?',
      this.#id,
      key,
    );
    const first = known?.seq ?? seq;
    const { changes } = this.#statements.run(
      'insert or ignore into order_status(book, first, seq, at, status, content, text) values(?, ?, ?, ?, ?, ?, ?)',
      ...[this.#id, first, seq, at, status, contentOf(order), text],
    );
    if (changes === 0) return;
    const decision = decisionOf(order);
    if (known === undefined) {
      const other = this.#earlier(decision, id, seq);
      this.#statements.run(
        `insert into bot_order(book, seq, key, client, at, newest, newest_at, status, decision, duplicate_of, told)
          values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[this.#id, seq, key, id, at, seq, at, status, decision, other, other === null || isOld ? 1 : 0],
      );
      return;
    }
    // A row that comes late does not undo what is known since.
    if (at < known.newest_at || (at === known.newest_at && seq < known.newest)) return;
    this.#statements.run(
      'update bot_order set newest = ?, newest_at = ?, status = ? where book = ? and seq = ?',
      ...[seq, at, status, this.#id, first],
    );
    this.#learnDecision(first, decision, id, isOld);
  }

  /** An order may name its decision only in a later row. */
  #learnDecision(first: number, decision: string | null, client: string, isOld: boolean): void {
    if (decision === null) return;
    const lacks = this.#statements.get(
      'select 1 from bot_order where book = ? and seq = ? and decision is null',
      this.#id,
      first,
    );
    if (lacks === undefined) return;
    const other = this.#earlier(decision, client, first);
    this.#statements.run(
      'update bot_order set decision = ?, duplicate_of = ?, told = ? where book = ? and seq = ?',
      ...[decision, other, other === null || isOld ? 1 : 0, this.#id, first],
    );
  }

  /** Seq of the first order for a decision that has another client id; null if there is none. */
  #earlier(decision: string | null, client: string, but: number): number | null {
    if (decision === null) return null;
    const found = this.#statements.get<{ seq: number }>(
      `select seq from bot_order indexed by bot_order_decision
        where book = ? and decision = ? and decision is not null and client <> ? and seq <> ? order by seq limit 1`,
      ...[this.#id, decision, client, but],
    );
    return found?.seq ?? null;
  }
}
