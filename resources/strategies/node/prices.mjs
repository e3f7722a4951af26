import { decimal, rounded } from './decimal.mjs';

const TIMEOUT_MS = 10_000;

/**
 * The newest known price of a symbol, a decimal with at most 4 places. Rejects when there is none above zero, and when `stop`
 * ends the request.
 */
export async function latestPrice(baseUrl, symbol, stop = new AbortController().signal) {
  const path = `/v8/finance/chart/${encodeURIComponent(symbol)}?interval=1d&range=5d`;
  const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
    headers: { 'User-Agent': 'Mozilla/5.0 (compatible; paper-bot/1.0)', Accept: 'application/json' },
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stop]),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`the price source answered ${response.status} for ${symbol}`);
  const quote = JSON.parse(body)?.chart?.result?.[0]?.indicators?.quote?.[0];
  if (!Array.isArray(quote?.close)) throw new Error(`the price source sent no prices for ${symbol}`);
  const close = quote.close.findLast((one) => one !== null);
  const price = close === undefined ? 0n : rounded(decimal(close), 4);
  if (price <= 0n) throw new Error(`the price source knows no price of ${symbol}`);
  return price;
}
