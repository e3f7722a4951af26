"""Signals BUY or SELL when the short moving average of a symbol crosses the long one."""

import signal
import sys
import time
from datetime import datetime, timezone

from platform_sdk import error, log, metric, state

from chart import fetch_closes
from sma import change_percent, confidence, crossover, round_half_up, sma

DEFAULTS = {
    "symbol": "AAPL",
    "short_period": 5,
    "long_period": 20,
    "update_interval_ms": 60_000,
    "base_url": "https://query1.finance.yahoo.com",
}
IDENTITY = ("symbol", "short_period", "long_period")
KEPT_SIGNALS = 100


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def remembered(settings):
    """What an earlier run left, if it was about the same averages; otherwise a fresh start."""
    identity = {key: settings[key] for key in IDENTITY}
    saved = state.get("bot_state")
    if saved and all(saved.get(key) == value for key, value in identity.items()):
        return saved
    return {**identity, "iterations": 0, "signals": []}


def announce(kind, price, short_sma, long_sma, settings):
    symbol = settings["symbol"]
    direction = "above" if kind == "BUY" else "below"
    found = {
        "type": kind,
        "symbol": symbol,
        "price": price,
        "confidence": confidence(short_sma, long_sma),
        "reason": f"SMA({settings['short_period']}) crossed {direction} SMA({settings['long_period']})",
    }
    metric("signal", found)
    log(f"{kind} {symbol} at {price}: {found['reason']}")
    return {**found, "at": now()}


def look(settings, memory):
    """One look at the price. Returns what to remember: `memory` itself when there are too few prices."""
    symbol, short_period, long_period = (settings[key] for key in IDENTITY)
    prices = fetch_closes(settings["base_url"], symbol)
    if len(prices) < long_period:
        log(f"Only {len(prices)} of {long_period} prices for {symbol}: waiting for more")
        return memory

    price = round_half_up(prices[-1], 2)
    change_pct = round_half_up(change_percent(prices), 3)
    short_sma, long_sma = sma(prices, short_period), sma(prices, long_period)
    averages = {"short_sma": short_sma, "long_sma": long_sma}
    metric("price", {"symbol": symbol, "value": price, "change_pct": change_pct})
    metric("sma", {"symbol": symbol, **averages, "short_period": short_period, "long_period": long_period})

    signals = memory["signals"]
    if memory["iterations"] > 0:
        kind = crossover((memory["short_sma"], memory["long_sma"]), (short_sma, long_sma))
        if kind:
            signals = [announce(kind, price, short_sma, long_sma, settings), *signals][:KEPT_SIGNALS]
    return {
        **memory,
        **averages,
        "iterations": memory["iterations"] + 1,
        "last_price": price,
        "change_pct": change_pct,
        "signals": signals,
        "updated_at": now(),
    }


def stop(signum, frame):
    """Ends the bot wherever it is; state files are replaced as a whole, so none is left half written."""
    sys.exit(0)


def main(bot_id, config):
    """Called by the platform with the instance's id and configuration; runs until it is told to stop."""
    settings = {**DEFAULTS, **config}
    symbol, short_period, long_period = (settings[key] for key in IDENTITY)
    if short_period >= long_period:
        error(f"short_period ({short_period}) must be smaller than long_period ({long_period})")
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop)

    pause = settings["update_interval_ms"]
    log(f"{bot_id} watches {symbol}: SMA({short_period}) and SMA({long_period}) every {pause} ms")
    memory = remembered(settings)
    while True:
        try:
            found = look(settings, memory)
            if found is not memory:
                memory = found
                state.set("bot_state", memory)
        except Exception as failure:
            log(f"Iteration failed: {failure}. Next try in {pause} ms", "error")
        time.sleep(pause / 1000)
