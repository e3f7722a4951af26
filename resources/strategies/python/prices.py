"""Newest prices from a public chart API, as exact decimals."""

import json
import urllib.error
import urllib.parse
import urllib.request
from decimal import ROUND_HALF_UP, Decimal

TIMEOUT_SECONDS = 10
HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; paper-bot/1.0)", "Accept": "application/json"}
PRICE_UNIT = Decimal("0.0001")


def latest_price(base_url, symbol):
    """The newest known price of a symbol, with at most 4 decimals. Raises RuntimeError when there is none above zero."""
    path = f"/v8/finance/chart/{urllib.parse.quote(symbol, safe='')}?interval=1d&range=5d"
    request = urllib.request.Request(base_url.rstrip("/") + path, headers=HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            body = json.load(response, parse_float=Decimal)
        closes = body["chart"]["result"][0]["indicators"]["quote"][0]["close"]
    except urllib.error.HTTPError as failure:
        raise RuntimeError(f"the price source answered {failure.code} for {symbol}") from failure
    except (KeyError, IndexError, TypeError) as failure:
        raise RuntimeError(f"the price source sent no prices for {symbol}") from failure
    known = [close for close in closes if close is not None]
    price = Decimal(known[-1]).quantize(PRICE_UNIT, ROUND_HALF_UP) if known else Decimal(0)
    if price <= 0:
        raise RuntimeError(f"the price source knows no price of {symbol}")
    return price
