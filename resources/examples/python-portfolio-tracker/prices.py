"""Latest closing prices from a public chart API."""

import json
import urllib.error
import urllib.parse
import urllib.request
from decimal import Decimal

TIMEOUT_SECONDS = 10
HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; portfolio-tracker/1.0)", "Accept": "application/json"}


def latest_close(base_url, symbol):
    """The newest known daily close of a symbol. A day that just began has none yet and is passed over."""
    path = f"/v8/finance/chart/{urllib.parse.quote(symbol, safe='')}?interval=1d&range=5d"
    request = urllib.request.Request(base_url.rstrip("/") + path, headers=HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            body = json.load(response, parse_float=Decimal)
        closes = body["chart"]["result"][0]["indicators"]["quote"][0]["close"]
    except urllib.error.HTTPError as failure:
        raise RuntimeError(f"the price source answered {failure.code}") from failure
    except (KeyError, IndexError, TypeError) as failure:
        raise RuntimeError("the price source sent no closing prices") from failure
    known = [close for close in closes if close is not None]
    if not known:
        raise RuntimeError("the price source knows no close of the last five days")
    return Decimal(known[-1])
