const TIMEOUT_MS = 10_000;

/**
 * Fetches a year of daily closing prices, oldest first. Days without a close (holidays, the day that just began) are
 * dropped.
 */
export async function fetchCloses(baseUrl, symbol, signal) {
  const path = `/v8/finance/chart/${encodeURIComponent(symbol)}?interval=1d&range=1y`;
  const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
    headers: { 'User-Agent': 'Mozilla/5.0 (compatible; sma-crossover/1.0)', Accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the price source answered ${response.status} for ${symbol}`);
  const quote = JSON.parse(text)?.chart?.result?.[0]?.indicators?.quote?.[0];
  if (!Array.isArray(quote?.close)) throw new Error(`the price source sent no closing prices for ${symbol}`);
  return quote.close.filter((close) => close !== null);
}
