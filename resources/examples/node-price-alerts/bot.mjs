import { setTimeout as sleep } from 'node:timers/promises';
import { log, metric, state } from '@bot-platform/sdk';
import { latestClose } from './price.mjs';

const DEFAULTS = { update_interval_ms: 60_000, base_url: 'https://query1.finance.yahoo.com' };
const KEPT_ALERTS = 100;

const round = (value, decimals) => Math.floor(value * 10 ** decimals + 0.5) / 10 ** decimals;

/** Which thresholds a price is beyond: 'above', 'below', both or none. */
function beyond(price, { above, below }) {
  const sides = [];
  if (above !== undefined && price > above) sides.push('above');
  if (below !== undefined && price < below) sides.push('below');
  return sides;
}

function announce(symbol, side, price, threshold) {
  const reason = `${symbol} is ${side} ${threshold} at ${price}`;
  const alert = { symbol, type: side.toUpperCase(), price, threshold, reason };
  metric('alert', alert);
  log(reason, 'warn');
  return { ...alert, at: new Date().toISOString() };
}

/**
 * One look at one symbol. An alert is raised when a threshold is passed, not again while the price stays beyond it.
 * Returns the new memory.
 */
async function look(symbol, thresholds, settings, memory, signal) {
  const price = round(await latestClose(settings.base_url, symbol, signal), 2);
  metric('price', { symbol, value: price });
  const now = beyond(price, thresholds);
  const before = memory.active[symbol] ?? [];
  const raised = now
    .filter((side) => !before.includes(side))
    .map((side) => announce(symbol, side, price, thresholds[side]));
  return {
    active: { ...memory.active, [symbol]: now },
    prices: { ...memory.prices, [symbol]: price },
    alerts: [...raised, ...memory.alerts].slice(0, KEPT_ALERTS),
  };
}

/** What an earlier run left, without the symbols that are no longer watched. */
function remembered(thresholds) {
  const saved = state.get('alert_state', null) ?? { active: {}, prices: {}, alerts: [] };
  const watched = (table) => Object.fromEntries(Object.entries(table).filter(([symbol]) => symbol in thresholds));
  return { active: watched(saved.active), prices: watched(saved.prices), alerts: saved.alerts };
}

/** Called by the platform with the instance's id and configuration; returns when it is told to stop. */
export async function main(botId, config) {
  const settings = { ...DEFAULTS, ...config };
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => stop.abort());

  log(`${botId} watches ${Object.keys(settings.thresholds).join(', ')} every ${settings.update_interval_ms} ms`);
  let memory = remembered(settings.thresholds);
  while (!stop.signal.aborted) {
    for (const [symbol, thresholds] of Object.entries(settings.thresholds)) {
      if (stop.signal.aborted) break;
      try {
        memory = await look(symbol, thresholds, settings, memory, stop.signal);
        state.set('alert_state', memory);
      } catch (failure) {
        if (stop.signal.aborted) break;
        const cause = failure.cause?.message ? ` (${failure.cause.message})` : '';
        log(
          `No price for ${symbol}: ${failure.message}${cause}. Next try in ${settings.update_interval_ms} ms`,
          'error',
        );
      }
    }
    await sleep(settings.update_interval_ms, undefined, { signal: stop.signal }).catch(() => stop.abort());
  }
  log(`${botId} stopped`);
}
