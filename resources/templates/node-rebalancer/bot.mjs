import { error, price, signal, state, success } from '@bot-platform/sdk';
import { cutOff, decimal, over, rounded, text, times } from './decimal.mjs';
import { PaperAccount } from './paper.mjs';
import { latestPrice } from './prices.mjs';

const DEFAULTS = {
  threshold_percent: 1,
  min_order: 10,
  start_cash: 10_000,
  fee_percent: 0.1,
  base_url: 'https://query1.finance.yahoo.com',
};
const PERCENT = decimal('0.01');
const sizeOf = (value) => (value < 0n ? -value : value);

/** Prices of all symbols; without one of them nothing is traded. */
async function allPrices(baseUrl, symbols) {
  const prices = new Map();
  for (const symbol of symbols) {
    const one = await latestPrice(baseUrl, symbol).catch((failure) =>
      error(`No price for ${symbol}: ${failure.message}. Nothing was traded`),
    );
    prices.set(symbol, one);
  }
  return prices;
}

/** Sells what is too much, then buys what is missing. Returns the trades as [side, symbol]. */
function rebalance(account, targets, prices, settings) {
  const value = account.value(prices);
  const at = new Date().toISOString();
  const missing = [...prices].map(([symbol, one]) => {
    const wanted = times(times(value, targets.get(symbol) ?? 0n), PERCENT);
    return [symbol, wanted - times(account.quantity(symbol), one)];
  });
  const most = times(times(value, decimal(settings.threshold_percent)), PERCENT);
  if (missing.every(([, money]) => sizeOf(money) <= most)) return [];
  // Sales bring the cash that purchases need.
  missing.sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
  const trades = [];
  for (const [symbol, money] of missing) {
    const one = prices.get(symbol);
    const held = account.quantity(symbol);
    const side = money < 0n ? 'SELL' : 'BUY';
    let quantity = side === 'BUY' ? account.affordable(money, one) : cutOff(over(-money, one), 6);
    if (side === 'SELL' && (quantity > held || !targets.has(symbol))) quantity = held;
    const isWorthIt = times(quantity, one) >= decimal(settings.min_order) || !targets.has(symbol);
    const reason = `Share of ${text(targets.get(symbol) ?? 0n)} %`;
    if (quantity > 0n && isWorthIt && account.trade(`${at}-${symbol}`, side, symbol, quantity, one, reason)) {
      trades.push([side, symbol]);
    }
  }
  return trades;
}

/** Called by the platform once per scheduled run. */
export async function main(_botId, config) {
  const settings = { ...DEFAULTS, ...config };
  const targets = new Map(Object.entries(settings.targets).map(([symbol, share]) => [symbol, decimal(share)]));
  const together = [...targets.values()].reduce((sum, share) => sum + share, 0n);
  if (together > decimal(100)) {
    error(`The targets are ${text(together)} % together; at most 100 % can be held`);
  }
  const saved = state.get('bot_state', {});
  const account = new PaperAccount(saved.paper, 'paper', settings.start_cash, settings.fee_percent);
  const held = [...account.held].filter(([, quantity]) => quantity !== 0n).map(([symbol]) => symbol);
  const prices = await allPrices(settings.base_url, [...new Set([...targets.keys(), ...held])].sort());
  const trades = rebalance(account, targets, prices, settings);

  const value = text(rounded(account.value(prices), 2));
  const shown = Object.fromEntries([...prices].map(([symbol, one]) => [symbol, text(one)]));
  const seen = { ...saved, value, prices: shown, updated_at: new Date().toISOString() };
  for (const symbol of prices.keys()) price({ symbol, value: Number(shown[symbol]) });
  account.send((paper) => state.set('bot_state', { ...seen, paper }));
  account.report(prices);
  for (const [type, symbol] of trades) {
    signal({ type, symbol, price: Number(shown[symbol]), reason: 'Share of the portfolio' });
  }
  const done = trades.map((trade) => trade.join(' ')).join(', ') || 'in balance, nothing was traded';
  success(`Portfolio value ${value} USD: ${done}`);
}
