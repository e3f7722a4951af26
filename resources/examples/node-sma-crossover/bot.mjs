import { setTimeout as sleep } from 'node:timers/promises';
import { error, log, metric, state } from '@bot-platform/sdk';
import { fetchCloses } from './chart.mjs';
import { decimal } from './decimal.mjs';
import { PaperAccount } from './paper.mjs';
import { changePercent, confidence, crossover, round, sma } from './sma.mjs';

const DEFAULTS = {
  symbol: 'AAPL',
  short_period: 5,
  long_period: 20,
  update_interval_ms: 60_000,
  base_url: 'https://query1.finance.yahoo.com',
};
const KEPT_SIGNALS = 100;
/** Paper money with which a symbol begins. */
const START_CASH = 10_000;

/** What an earlier run left. Other averages start afresh; the paper account of a symbol stays. */
function remembered({ symbol, short_period, long_period }) {
  const saved = state.get('bot_state', null);
  const accounts = saved?.accounts ?? {};
  if (saved?.symbol === symbol && saved.short_period === short_period && saved.long_period === long_period)
    return { ...saved, accounts };
  return { symbol, short_period, long_period, iterations: 0, signals: [], accounts };
}

function announce(type, symbol, price, averages, settings) {
  const direction = type === 'BUY' ? 'above' : 'below';
  const reason = `SMA(${settings.short_period}) crossed ${direction} SMA(${settings.long_period})`;
  const signal = { type, symbol, price, confidence: confidence(averages), reason };
  metric('signal', signal);
  log(`${type} ${symbol} at ${price}: ${reason}`);
  return { ...signal, at: new Date().toISOString() };
}

/** Buys for all cash, or sells all units. The trade is final once the account is stored. */
function follow({ type, symbol, reason, at }, account, price) {
  const quantity = type === 'BUY' ? account.affordable(account.cash, price) : account.quantity(symbol);
  if (quantity > 0n) account.trade(`${symbol}-${type}-${at}`, type, symbol, quantity, price, reason);
}

/** One look at the price. Stores and returns what to remember: `memory` itself when there are too few prices. */
async function look(settings, memory, signal) {
  const { symbol, short_period, long_period } = settings;
  const prices = await fetchCloses(settings.base_url, symbol, signal);
  if (prices.length < long_period) {
    log(`Only ${prices.length} of ${long_period} prices for ${symbol}: waiting for more`);
    return memory;
  }

  const price = round(prices.at(-1), 2);
  const change_pct = round(changePercent(prices), 3);
  const averages = { short_sma: sma(prices, short_period), long_sma: sma(prices, long_period) };
  metric('price', { symbol, value: price, change_pct });
  metric('sma', { symbol, ...averages, short_period, long_period });

  const type = memory.iterations > 0 ? crossover(memory, averages) : undefined;
  const fresh = type === undefined ? [] : [announce(type, symbol, price, averages, settings)];
  const paperPrice = decimal(price);
  const account = new PaperAccount(memory.accounts[symbol], `paper-${symbol}`.slice(0, 64), START_CASH);
  for (const found of fresh) follow(found, account, paperPrice);
  const seen = {
    ...memory,
    ...averages,
    iterations: memory.iterations + 1,
    last_price: price,
    change_pct,
    signals: [...fresh, ...memory.signals].slice(0, KEPT_SIGNALS),
    updated_at: new Date().toISOString(),
  };
  // One value holds averages and account: a restart finds both from before a trade, or both from after it.
  account.send((paper) => {
    seen.accounts = { ...memory.accounts, [symbol]: paper };
    state.set('bot_state', seen);
  });
  account.report(new Map([[symbol, paperPrice]]));
  return seen;
}

/** Called by the platform with the instance's id and configuration; returns when it is told to stop. */
export async function main(botId, config) {
  const settings = { ...DEFAULTS, ...config };
  const { symbol, short_period, long_period, update_interval_ms } = settings;
  if (short_period >= long_period) {
    error(`short_period (${short_period}) must be smaller than long_period (${long_period})`);
  }
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => stop.abort());

  log(`${botId} watches ${symbol}: SMA(${short_period}) and SMA(${long_period}) every ${update_interval_ms} ms`);
  let memory = remembered(settings);
  while (!stop.signal.aborted) {
    try {
      memory = await look(settings, memory, stop.signal);
    } catch (failure) {
      if (stop.signal.aborted) break;
      const cause = failure.cause?.message ? ` (${failure.cause.message})` : '';
      log(`Iteration failed: ${failure.message}${cause}. Next try in ${update_interval_ms} ms`, 'error');
    }
    await sleep(update_interval_ms, undefined, { signal: stop.signal }).catch(() => stop.abort());
  }
  log(`${botId} stopped`);
}
