import { error, price, signal, state, success } from '@bot-platform/sdk';
import { decimal, text } from './decimal.mjs';
import { PaperAccount } from './paper.mjs';
import { periodOf } from './periods.mjs';
import { latestPrice } from './prices.mjs';

const DEFAULTS = {
  symbol: 'AAPL',
  amount: 100,
  every: 'day',
  start_cash: 10_000,
  fee_percent: 0.1,
  base_url: 'https://query1.finance.yahoo.com',
};

/** Called by the platform once per scheduled run. */
export async function main(_botId, config) {
  const settings = { ...DEFAULTS, ...config };
  const { symbol } = settings;
  const amount = decimal(settings.amount);
  const period = periodOf(settings.every, new Date());
  const saved = state.get('bot_state', {});
  const memory = saved[symbol] ?? {};
  const account = new PaperAccount(memory.paper, `paper-${symbol}`, settings.start_cash, settings.fee_percent);
  // The period is the decision: a run that is repeated or late makes it once more, and the account knows it.
  const decision = `${symbol}-${period}`;
  if (!account.decisions.includes(decision) && account.cash < amount) {
    error(`${text(account.cash)} USD of paper money are left, ${text(amount)} were to be spent`);
  }
  const nowPrice = await latestPrice(settings.base_url, symbol).catch((failure) =>
    error(`No price for ${symbol}: ${failure.message}. Nothing was bought for ${period}`),
  );

  const quantity = account.affordable(amount, nowPrice);
  const reason = `Purchase of ${period}`;
  const bought = quantity > 0n && account.trade(decision, 'BUY', symbol, quantity, nowPrice, reason);
  const seen = { ...memory, period, price: text(nowPrice) };
  const shown = Number(text(nowPrice));
  price({ symbol, value: shown });
  account.send((paper) => state.set('bot_state', { ...saved, [symbol]: { ...seen, paper } }));
  account.report(new Map([[symbol, nowPrice]]));
  if (bought) {
    signal({ type: 'BUY', symbol, price: shown, reason });
    success(`Bought ${text(quantity)} ${symbol} at ${text(nowPrice)} USD for ${period}`);
  } else {
    success(`${period} was bought before; nothing was traded`);
  }
}
