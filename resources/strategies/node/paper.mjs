import { cash_flow, equity, error, fill, order, position } from '@bot-platform/sdk';
import { cutOff, decimal, over, rounded, text, times } from './decimal.mjs';

const CURRENCY = 'USD';
const UNIT = decimal('0.000001');
const KEPT_DECISIONS = 1000;
const EMIT = { cash_flow, order, fill };

/**
 * A paper account: cash and holdings in exact decimals, and the rows by which the ledger books them.
 *
 * Every trade has the id of the decision behind it, and the account remembers those ids: a decision that is made again,
 * after a restart or by a repeated run, trades nothing. Rows wait in the account until they are printed. `send` stores the
 * account first, so a program that is killed meanwhile prints the same rows at its next look, and the ledger knows them by
 * their ids.
 */
export class PaperAccount {
  /** Goes on with an account as `saved()` gave it, or opens one with `startCash` when `saved` is undefined. */
  constructor(saved, name, startCash, feePercent = 0) {
    if (process.env.PLATFORM_MODE === 'live') {
      error('This bot trades on paper only, and was started to trade live. Nothing was traded');
    }
    this.name = name;
    this.feePercent = decimal(feePercent);
    const { cash, held, decisions, rows } = saved ?? opened(name, startCash);
    this.cash = decimal(cash);
    this.held = new Map(Object.entries(held).map(([symbol, quantity]) => [symbol, decimal(quantity)]));
    this.decisions = [...decisions];
    this.rows = [...rows];
  }

  /** The account as JSON can hold it. */
  saved() {
    return {
      cash: text(this.cash),
      held: Object.fromEntries([...this.held].map(([symbol, quantity]) => [symbol, text(quantity)])),
      decisions: this.decisions.slice(-KEPT_DECISIONS),
      rows: this.rows,
    };
  }

  quantity(symbol) {
    return this.held.get(symbol) ?? 0n;
  }

  fee(amount) {
    return rounded(over(times(amount, this.feePercent), decimal(100)), 8);
  }

  /** The largest quantity that `money`, at most all cash, pays for, with the fee. */
  affordable(money, price) {
    const limit = money < this.cash ? money : this.cash;
    if (limit <= 0n || price <= 0n) return 0n;
    const cost = (quantity) => times(quantity, price) + this.fee(times(quantity, price));
    let quantity = cutOff(over(limit, price + this.fee(price)), 6);
    while (quantity > 0n && cost(quantity) > limit) quantity -= UNIT;
    return quantity;
  }

  /**
   * Fills an order at `price`. Returns false, and trades nothing, for a decision that was carried out before. Throws a
   * RangeError when cash or units do not suffice.
   */
  trade(decision_id, side, symbol, quantity, price, reason) {
    if (this.decisions.includes(decision_id)) return false;
    const amount = times(quantity, price);
    const fee = this.fee(amount);
    const held = this.quantity(symbol);
    if (side === 'BUY' && this.cash < amount + fee) {
      throw new RangeError(`${text(this.cash)} ${CURRENCY} do not pay for ${text(quantity)} ${symbol}`);
    }
    if (side === 'SELL' && held < quantity) {
      throw new RangeError(`${text(held)} ${symbol} are held, ${text(quantity)} were to be sold`);
    }
    this.cash += side === 'BUY' ? -amount - fee : amount - fee;
    this.held.set(symbol, side === 'BUY' ? held + quantity : held - quantity);
    this.decisions.push(decision_id);

    const trade = { client_order_id: decision_id, symbol, side, quantity: text(quantity) };
    const shared = { currency: CURRENCY, account: this.name, time: new Date().toISOString() };
    const placed = { ...trade, decision_id, type: 'market', reason, ...shared };
    const filled = { ...trade, fill_id: `${decision_id}-1`, price: text(price), ...shared };
    if (fee !== 0n) Object.assign(filled, { fee: text(fee), fee_currency: CURRENCY });
    this.rows.push(
      ['order', { ...placed, status: 'new' }],
      ['fill', filled],
      ['order', { ...placed, status: 'filled', price: text(price) }],
    );
    return true;
  }

  /** Stores the account by `save(saved)`, prints the rows that wait, and stores that they were printed. */
  send(save) {
    save(this.saved());
    if (this.rows.length === 0) return;
    for (const [type, fields] of this.rows) EMIT[type](fields);
    this.rows = [];
    save(this.saved());
  }

  /** What cash and units are worth at the prices of a Map. */
  value(prices) {
    let value = this.cash;
    for (const [symbol, quantity] of this.held) {
      if (quantity !== 0n) value += times(quantity, prices.get(symbol));
    }
    return value;
  }

  /** Prints positions and equity at the prices of a Map, as numbers, which charts can show. */
  report(prices) {
    const shown = (value, decimals) => Number(text(rounded(value, decimals)));
    const shared = { currency: CURRENCY, account: this.name };
    for (const [symbol, price] of prices) {
      const quantity = this.quantity(symbol);
      const value = shown(times(quantity, price), 2);
      position({ symbol, quantity: shown(quantity, 6), price: shown(price, 6), value, ...shared });
    }
    equity({ value: shown(this.value(prices), 2), ...shared });
  }
}

function opened(account, startCash) {
  const time = new Date().toISOString();
  const amount = String(startCash);
  const deposit = { flow_id: `start-${time}`, amount, currency: CURRENCY, kind: 'deposit', account, time };
  return { cash: amount, held: {}, decisions: [], rows: [['cash_flow', deposit]] };
}
