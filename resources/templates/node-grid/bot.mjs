import { error, log, price, signal, state } from '@bot-platform/sdk';
import { decimal, over, text, times } from './decimal.mjs';
import { runEvery } from './loop.mjs';
import { PaperAccount } from './paper.mjs';
import { latestPrice } from './prices.mjs';

const DEFAULTS = {
  symbol: 'AAPL',
  step_percent: 0.5,
  levels: 4,
  order_value: 500,
  start_cash: 10_000,
  fee_percent: 0.1,
  update_interval_ms: 5000,
  base_url: 'https://query1.finance.yahoo.com',
};
const ONE = decimal(1);

/** Price of a level, so many steps below the middle of the grid. */
function priceAt(number, center, stepPercent) {
  const step = over(decimal(stepPercent), decimal(100));
  return times(center, ONE - BigInt(number) * step);
}

/** Buys or sells at one level. Returns what to remember of it and, if it traded, its side and reason. */
function tradeLevel(number, level, memory, settings, account, nowPrice) {
  const { symbol, step_percent, levels, order_value } = settings;
  const held = decimal(level.quantity);
  const buyAt = priceAt(number, decimal(memory.center), step_percent);
  const sellAt = priceAt(number - 1, decimal(memory.center), step_percent);
  // The same for the same level and round, so that no restart makes it a second decision.
  const decision = `${symbol}-${memory.opened_at}-${number}-${level.rounds}`;
  if (held === 0n && number <= levels && nowPrice <= buyAt) {
    const quantity = account.affordable(decimal(order_value), nowPrice);
    const reason = `Level ${number} of the grid, ${text(buyAt)}`;
    if (quantity > 0n && account.trade(`${decision}-BUY`, 'BUY', symbol, quantity, nowPrice, reason)) {
      return [{ ...level, quantity: text(quantity) }, ['BUY', reason]];
    }
  } else if (held > 0n && nowPrice >= sellAt) {
    const reason = `One level above ${number}, ${text(sellAt)}`;
    if (account.trade(`${decision}-SELL`, 'SELL', symbol, held, nowPrice, reason)) {
      return [{ quantity: '0', rounds: level.rounds + 1 }, ['SELL', reason]];
    }
  }
  return [level, undefined];
}

/** One look at the price. The state has all that it needs, so that a restart changes nothing. */
async function look(settings, stop) {
  const { symbol } = settings;
  const nowPrice = await latestPrice(settings.base_url, symbol, stop);
  const saved = state.get('bot_state', {});
  const memory = saved[symbol] ?? { center: text(nowPrice), opened_at: new Date().toISOString(), levels: {} };
  const account = new PaperAccount(memory.paper, `paper-${symbol}`, settings.start_cash, settings.fee_percent);
  const levels = { ...memory.levels };
  const trades = [];
  // Levels that the settings no longer have sell what they hold.
  const highest = Math.max(settings.levels, ...Object.keys(levels).map(Number));
  for (let number = 1; number <= highest; number++) {
    const before = levels[number] ?? { quantity: '0', rounds: 0 };
    const [level, trade] = tradeLevel(number, before, memory, settings, account, nowPrice);
    levels[number] = level;
    if (trade !== undefined) trades.push(trade);
  }

  const shown = Number(text(nowPrice));
  const seen = { ...memory, levels, price: text(nowPrice), updated_at: new Date().toISOString() };
  price({ symbol, value: shown });
  account.send((paper) => state.set('bot_state', { ...saved, [symbol]: { ...seen, paper } }));
  account.report(new Map([[symbol, nowPrice]]));
  for (const [type, reason] of trades) {
    signal({ type, symbol, price: shown, reason });
    log(`${type} ${symbol} at ${text(nowPrice)}: ${reason}`);
  }
}

/** Called by the platform with the instance's id and configuration; returns when it is told to stop. */
export async function main(botId, config) {
  const settings = { ...DEFAULTS, ...config };
  if (decimal(settings.step_percent) <= 2n * decimal(settings.fee_percent)) {
    error('step_percent must be more than twice fee_percent: each round would lose money');
  }
  log(`${botId} ({{name}}) trades ${settings.symbol} on paper, ${settings.levels} levels down`);
  await runEvery(settings.update_interval_ms, (stop) => look(settings, stop));
}
