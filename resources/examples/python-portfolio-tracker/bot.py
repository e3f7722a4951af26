"""Values a portfolio at the latest closing prices; one valuation per run."""

import math
from datetime import datetime, timezone

from platform_sdk import error, metric, state, success

from prices import latest_close

DEFAULTS = {"history_size": 500, "base_url": "https://query1.finance.yahoo.com"}


def round_half_up(value, decimals):
    scale = 10**decimals
    return math.floor(value * scale + 0.5) / scale


def value_position(base_url, symbol, quantity):
    try:
        price = latest_close(base_url, symbol)
    except Exception as failure:
        error(f"No price for {symbol}: {failure}. The portfolio was not valued")
    return {
        "symbol": symbol,
        "quantity": quantity,
        "price": round_half_up(price, 2),
        "value": round_half_up(price * quantity, 2),
    }


def main(bot_id, config):
    """Called by the platform once per scheduled run."""
    settings = {**DEFAULTS, **config}
    positions = [
        value_position(settings["base_url"], symbol, quantity)
        for symbol, quantity in settings["holdings"].items()
    ]
    value = round_half_up(sum(position["value"] for position in positions), 2)

    history = state.get("portfolio_history", [])
    previous = history[-1]["value"] if history else value
    change = round_half_up(value - previous, 2)
    change_pct = round_half_up((value / previous - 1) * 100, 3)
    metric(
        "portfolio_value",
        {"value": value, "change": change, "change_pct": change_pct, "positions": len(positions)},
    )

    at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    history.append({"at": at, "value": value, "change": change, "change_pct": change_pct, "positions": positions})
    state.set("portfolio_history", history[-settings["history_size"] :])
    success(f"Portfolio value {value:,.2f} USD, {change_pct:+.3f} % since the last run")
