/** The arithmetic of the bot, without any I/O. */

const MAX_CONFIDENCE = 0.95;

/** Rounds half up to a number of decimals; the result stays a number. */
export function round(value, decimals) {
  const scale = 10 ** decimals;
  return Math.floor(value * scale + 0.5) / scale;
}

/** Average of the newest `period` prices. */
export function sma(prices, period) {
  let sum = 0;
  for (const price of prices.slice(-period)) sum += price;
  return sum / period;
}

/** Change from the last but one price to the last, in percent. */
export function changePercent(prices) {
  const [previous, last] = prices.slice(-2);
  return (last / previous - 1) * 100;
}

/** Compares two pairs of averages: 'BUY', 'SELL', or undefined when they did not change places. */
export function crossover(previous, current) {
  if (previous.short_sma <= previous.long_sma && current.short_sma > current.long_sma) return 'BUY';
  if (previous.short_sma >= previous.long_sma && current.short_sma < current.long_sma) return 'SELL';
  return undefined;
}

/** How far apart the averages are, in percent of the long one, at most 0.95. */
export function confidence({ short_sma, long_sma }) {
  return Math.min((Math.abs(short_sma - long_sma) / long_sma) * 100, MAX_CONFIDENCE);
}
