"""{{name}}: buys for the same amount once in each period."""

from datetime import datetime, timezone

from platform_sdk import error, price, signal, state, success

from decimals import exact, text
from paper import CURRENCY, PaperAccount
from periods import period_of
from prices import latest_price

DEFAULTS = {
    "symbol": "AAPL",
    "amount": 100,
    "every": "day",
    "start_cash": 10_000,
    "fee_percent": 0.1,
    "base_url": "https://query1.finance.yahoo.com",
}


def main(bot_id, config):
    """Called by the platform once per scheduled run."""
    settings = {**DEFAULTS, **config}
    symbol, amount = settings["symbol"], exact(settings["amount"])
    period = period_of(settings["every"], datetime.now(timezone.utc))
    saved = state.get("bot_state", {})
    memory = saved.get(symbol, {})
    account = PaperAccount(
        memory.get("paper"), f"paper-{symbol}", settings["start_cash"], settings["fee_percent"]
    )
    # The period is the decision: a run that is repeated or late makes it once more, and the account knows it.
    decision = f"{symbol}-{period}"
    if decision not in account.decisions and account.cash < amount:
        error(f"{text(account.cash)} {CURRENCY} of paper money are left, {text(amount)} were to be spent")
    try:
        now_price = latest_price(settings["base_url"], symbol)
    except Exception as failure:
        error(f"No price for {symbol}: {failure}. Nothing was bought for {period}")

    quantity = account.affordable(amount, now_price)
    reason = f"Purchase of {period}"
    bought = quantity > 0 and account.trade(decision, "BUY", symbol, quantity, now_price, reason)
    seen = {**memory, "period": period, "price": text(now_price)}
    price(symbol=symbol, value=float(now_price))
    account.send(lambda paper: state.set("bot_state", {**saved, symbol: {**seen, "paper": paper}}))
    account.report({symbol: now_price})
    if bought:
        signal(type="BUY", symbol=symbol, price=float(now_price), reason=reason)
        success(f"Bought {text(quantity)} {symbol} at {text(now_price)} {CURRENCY} for {period}")
    else:
        success(f"{period} was bought before; nothing was traded")
