const TIMEOUT_MS = 10_000;

/** The newest known daily close of a symbol. A day that just began has none yet and is passed over. */
export async function latestClose(baseUrl, symbol, signal) {
  const path = `/v8/finance/chart/${encodeURIComponent(symbol)}?interval=1d&range=5d`;
  const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
    headers: { 'User-Agent': 'Mozilla/5.0 (compatible; price-alerts/1.0)', Accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the price source answered ${response.status}`);
  const closes = JSON.parse(text)?.chart?.result?.[0]?.indicators?.quote?.[0]?.close;
  const close = Array.isArray(closes) ? closes.findLast((price) => price !== null) : undefined;
  if (close === undefined) throw new Error('the price source knows no close of the last five days');
  return close;
}
