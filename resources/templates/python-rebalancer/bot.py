"""{{name}}: keeps each holding at its share of the portfolio."""

from decimal import ROUND_DOWN

from platform_sdk import error, price, signal, state, success

from decimals import exact, text
from paper import CENT, CURRENCY, UNIT, PaperAccount, now
from prices import latest_price

DEFAULTS = {
    "threshold_percent": 1,
    "min_order": 10,
    "start_cash": 10_000,
    "fee_percent": 0.1,
    "base_url": "https://query1.finance.yahoo.com",
}


def all_prices(base_url, symbols):
    """Prices of all symbols; without one of them nothing is traded."""
    prices = {}
    for symbol in symbols:
        try:
            prices[symbol] = latest_price(base_url, symbol)
        except Exception as failure:
            error(f"No price for {symbol}: {failure}. Nothing was traded")
    return prices


def rebalance(account, targets, prices, settings):
    """Sells what is too much, then buys what is missing. Returns the trades as (side, symbol)."""
    value, trades, at = account.value(prices), [], now()
    missing = {
        symbol: value * targets.get(symbol, 0) / 100 - account.quantity(symbol) * one
        for symbol, one in prices.items()
    }
    if all(abs(money) * 100 <= value * exact(settings["threshold_percent"]) for money in missing.values()):
        return trades
    smallest = exact(settings["min_order"])
    # Sales bring the cash that purchases need.
    for symbol, money in sorted(missing.items(), key=lambda one: one[1]):
        one = prices[symbol]
        side, reason = ("SELL" if money < 0 else "BUY"), f"Share of {text(exact(targets.get(symbol, 0)))} %"
        if money < 0:
            held = account.quantity(symbol)
            quantity = held if symbol not in targets else min(held, (-money / one).quantize(UNIT, ROUND_DOWN))
        else:
            quantity = account.affordable(money, one)
        if quantity > 0 and (quantity * one >= smallest or symbol not in targets):
            if account.trade(f"{at}-{symbol}", side, symbol, quantity, one, reason):
                trades.append((side, symbol))
    return trades


def main(bot_id, config):
    """Called by the platform once per scheduled run."""
    settings = {**DEFAULTS, **config}
    targets = {symbol: exact(share) for symbol, share in settings["targets"].items()}
    if sum(targets.values()) > 100:
        error(f"The targets are {text(sum(targets.values()))} % together; at most 100 % can be held")
    saved = state.get("bot_state", {})
    account = PaperAccount(saved.get("paper"), "paper", settings["start_cash"], settings["fee_percent"])
    held = [symbol for symbol, quantity in account.held.items() if quantity]
    prices = all_prices(settings["base_url"], sorted({*targets, *held}))
    trades = rebalance(account, targets, prices, settings)

    value = text(account.value(prices).quantize(CENT))
    shown = {symbol: text(one) for symbol, one in prices.items()}
    seen = {**saved, "value": value, "prices": shown, "updated_at": now()}
    for symbol, one in prices.items():
        price(symbol=symbol, value=float(one))
    account.send(lambda paper: state.set("bot_state", {**seen, "paper": paper}))
    account.report(prices)
    for side, symbol in trades:
        signal(type=side, symbol=symbol, price=float(prices[symbol]), reason="Share of the portfolio")
    done = ", ".join(f"{side} {symbol}" for side, symbol in trades) or "in balance, nothing was traded"
    success(f"Portfolio value {value} {CURRENCY}: {done}")
