"""Values a portfolio at the latest closing prices; one valuation per run."""

from datetime import datetime, timezone
from decimal import ROUND_HALF_UP, Decimal

from platform_sdk import equity, error, position, state, success

from prices import latest_close

DEFAULTS = {"history_size": 500, "base_url": "https://query1.finance.yahoo.com"}
CURRENCY = "USD"


def rounded(value, decimals):
    """Rounds half up to a number of decimals, to a number that charts can show."""
    return float(value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def value_position(base_url, symbol, quantity):
    try:
        price = latest_close(base_url, symbol)
    except Exception as failure:
        error(f"No price for {symbol}: {failure}. The portfolio was not valued")
    # The shortest text of a number has the digits that a person typed.
    value = rounded(price * Decimal(str(quantity)), 2)
    return {"symbol": symbol, "quantity": quantity, "price": rounded(price, 2), "value": value}


def main(bot_id, config):
    """Called by the platform once per scheduled run."""
    settings = {**DEFAULTS, **config}
    positions = [
        value_position(settings["base_url"], symbol, quantity)
        for symbol, quantity in settings["holdings"].items()
    ]
    total = sum(Decimal(str(one["value"])) for one in positions)
    value = rounded(total, 2)

    history = state.get("portfolio_history", [])
    previous = Decimal(str(history[-1]["value"])) if history else total
    change = rounded(total - previous, 2)
    change_pct = rounded((total / previous - 1) * 100, 3) if previous else 0.0
    for one in positions:
        position(**one, currency=CURRENCY)
    equity(value=value, currency=CURRENCY)

    at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    history.append({"at": at, "value": value, "change": change, "change_pct": change_pct, "positions": positions})
    state.set("portfolio_history", history[-settings["history_size"] :])
    success(f"Portfolio value {value:,.2f} USD, {change_pct:+.3f} % since the last run")
