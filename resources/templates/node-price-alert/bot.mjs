import { log, metric, price, state } from '@bot-platform/sdk';
import { decimal, over, text, times } from './decimal.mjs';
import { runEvery } from './loop.mjs';
import { latestPrice } from './prices.mjs';

const DEFAULTS = {
  symbol: 'AAPL',
  move_percent: 0.5,
  rearm_percent: 0.2,
  update_interval_ms: 5000,
  base_url: 'https://query1.finance.yahoo.com',
};
const KEPT_ALERTS = 100;
const ONE = decimal(1);
const share = (percent) => over(decimal(percent), decimal(100));
const sizeOf = (value) => (value < 0n ? -value : value);

/** Whether a line is passed for the first time, as [type, reason], and whether it stays told. */
function passed(kind, settings, told, nowPrice) {
  if (settings[kind] === undefined) return [undefined, false];
  const line = decimal(settings[kind]);
  const back = share(settings.rearm_percent);
  const beyond = kind === 'above' ? nowPrice > line : nowPrice < line;
  const returned = kind === 'above' ? nowPrice <= times(line, ONE - back) : nowPrice >= times(line, ONE + back);
  const reason = `${settings.symbol} is ${kind} ${text(line)} at ${text(nowPrice)}`;
  return [beyond && !told ? [kind.toUpperCase(), reason] : undefined, beyond || (told && !returned)];
}

/** One look at the price. Alerts wait in the state until they were told, so that a kill loses none. */
async function look(settings, stop) {
  const { symbol } = settings;
  const nowPrice = await latestPrice(settings.base_url, symbol, stop);
  const saved = state.get('bot_state', {});
  const memory = saved[symbol] ?? { moved_from: text(nowPrice), told: {}, alerts: [], waiting: [] };
  const found = [];
  const told = {};
  for (const kind of ['above', 'below']) {
    const [fresh, stays] = passed(kind, settings, memory.told[kind] ?? false, nowPrice);
    told[kind] = stays;
    if (fresh !== undefined) found.push(fresh);
  }
  let { moved_from } = memory;
  const moved = over(nowPrice, decimal(moved_from)) - ONE;
  if (sizeOf(moved) >= share(settings.move_percent)) {
    const percent = Number(text(moved * 100n)).toFixed(2);
    found.push(['MOVE', `${symbol} moved by ${moved > 0n ? '+' : ''}${percent} % to ${text(nowPrice)}`]);
    moved_from = text(nowPrice);
  }

  const at = new Date().toISOString();
  const shown = Number(text(nowPrice));
  const alerts = found.map(([type, reason]) => {
    return { alert_id: `${symbol}-${type}-${at}`, symbol, type, price: shown, reason };
  });
  const waiting = [...memory.waiting, ...alerts];
  const seen = {
    ...memory,
    moved_from,
    told,
    alerts: [...alerts.toReversed(), ...memory.alerts].slice(0, KEPT_ALERTS),
    price: text(nowPrice),
    updated_at: at,
  };
  price({ symbol, value: shown });
  state.set('bot_state', { ...saved, [symbol]: { ...seen, waiting } });
  if (waiting.length === 0) return;
  for (const alert of waiting) {
    metric('alert', alert);
    log(alert.reason, 'warn');
  }
  state.set('bot_state', { ...saved, [symbol]: { ...seen, waiting: [] } });
}

/** Called by the platform with the instance's id and configuration; returns when it is told to stop. */
export async function main(botId, config) {
  const settings = { ...DEFAULTS, ...config };
  log(`${botId} ({{name}}) watches ${settings.symbol}`);
  await runEvery(settings.update_interval_ms, (stop) => look(settings, stop));
}
