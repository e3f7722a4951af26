"""Daily closing prices from a public chart API."""

import json
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT_SECONDS = 10
HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; sma-crossover/1.0)", "Accept": "application/json"}


def fetch_closes(base_url, symbol):
    """A year of closing prices, oldest first.

    Days without a close (holidays, the day that just began) are dropped.
    """
    path = f"/v8/finance/chart/{urllib.parse.quote(symbol, safe='')}?interval=1d&range=1y"
    request = urllib.request.Request(base_url.rstrip("/") + path, headers=HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            body = json.load(response)
    except urllib.error.HTTPError as failure:
        raise RuntimeError(f"the price source answered {failure.code} for {symbol}") from failure
    try:
        closes = body["chart"]["result"][0]["indicators"]["quote"][0]["close"]
    except (KeyError, IndexError, TypeError) as failure:
        raise RuntimeError(f"the price source sent no closing prices for {symbol}") from failure
    return [float(close) for close in closes if close is not None]
