"""Signals BUY or SELL when the short moving average of a symbol crosses the long one, and follows it on paper."""

import signal
import sys
import time

from platform_sdk import error, log, metric, state

from chart import fetch_closes
from decimals import exact
from paper import PaperAccount, now
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
# Paper money with which a symbol begins.
START_CASH = 10_000


def remembered(settings):
    """What an earlier run left. Other averages start afresh; the paper account of a symbol stays."""
    identity = {key: settings[key] for key in IDENTITY}
    saved = state.get("bot_state") or {}
    accounts = saved.get("accounts", {})
    if all(saved.get(key) == value for key, value in identity.items()):
        return {**saved, "accounts": accounts}
    return {**identity, "iterations": 0, "signals": [], "accounts": accounts}


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


def follow(kind, account, symbol, price, reason):
    """Buys for all cash, or sells all units. The trade is final once the account is stored."""
    quantity = account.affordable(account.cash, price) if kind == "BUY" else account.quantity(symbol)
    if quantity > 0:
        account.trade(f"{symbol}-{kind}-{now()}", kind, symbol, quantity, price, reason)


def look(settings, memory):
    """One look at the price. Stores and returns what to remember: `memory` itself when there are too few prices."""
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

    paper_price = exact(price)
    account = PaperAccount(memory["accounts"].get(symbol), f"paper-{symbol}"[:64], START_CASH)
    signals = memory["signals"]
    if memory["iterations"] > 0:
        kind = crossover((memory["short_sma"], memory["long_sma"]), (short_sma, long_sma))
        if kind:
            found = announce(kind, price, short_sma, long_sma, settings)
            signals = [found, *signals][:KEPT_SIGNALS]
            follow(kind, account, symbol, paper_price, found["reason"])
    seen = {
        **memory,
        **averages,
        "iterations": memory["iterations"] + 1,
        "last_price": price,
        "change_pct": change_pct,
        "signals": signals,
        "updated_at": now(),
    }

    def remember(paper):
        seen["accounts"] = {**memory["accounts"], symbol: paper}
        state.set("bot_state", seen)

    # One value holds averages and account: a restart finds both from before a trade, or both from after it.
    account.send(remember)
    account.report({symbol: paper_price})
    return seen


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
            memory = look(settings, memory)
        except Exception as failure:
            log(f"Iteration failed: {failure}. Next try in {pause} ms", "error")
        time.sleep(pause / 1000)
