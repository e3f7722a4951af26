"""{{name}}: buys at each step down, and sells what it bought one step up."""

from platform_sdk import error, log, price, signal, state

from decimals import exact, text
from loop import run_every
from paper import PaperAccount, now
from prices import latest_price

DEFAULTS = {
    "symbol": "AAPL",
    "step_percent": 0.5,
    "levels": 4,
    "order_value": 500,
    "start_cash": 10_000,
    "fee_percent": 0.1,
    "update_interval_ms": 5000,
    "base_url": "https://query1.finance.yahoo.com",
}
EMPTY = {"quantity": "0", "rounds": 0}


def trade_level(number, level, memory, settings, account, now_price):
    """Buys or sells at one level. Returns what to remember of it and, if it traded, its side and reason."""
    symbol, step = settings["symbol"], exact(settings["step_percent"]) / 100
    center, held = exact(memory["center"]), exact(level["quantity"])
    buy_at, sell_at = center * (1 - number * step), center * (1 - (number - 1) * step)
    # The same for the same level and round, so that no restart makes it a second decision.
    decision = f"{symbol}-{memory['opened_at']}-{number}-{level['rounds']}"
    if held == 0 and number <= settings["levels"] and now_price <= buy_at:
        quantity = account.affordable(exact(settings["order_value"]), now_price)
        reason = f"Level {number} of the grid, {text(buy_at)}"
        if quantity > 0 and account.trade(f"{decision}-BUY", "BUY", symbol, quantity, now_price, reason):
            return {**level, "quantity": text(quantity)}, ("BUY", reason)
    elif held > 0 and now_price >= sell_at:
        reason = f"One level above {number}, {text(sell_at)}"
        if account.trade(f"{decision}-SELL", "SELL", symbol, held, now_price, reason):
            return {"quantity": "0", "rounds": level["rounds"] + 1}, ("SELL", reason)
    return level, None


def look(settings):
    """One look at the price. The state has all that it needs, so that a restart changes nothing."""
    symbol = settings["symbol"]
    now_price = latest_price(settings["base_url"], symbol)
    saved = state.get("bot_state", {})
    memory = saved.get(symbol) or {"center": text(now_price), "opened_at": now(), "levels": {}}
    account = PaperAccount(
        memory.get("paper"), f"paper-{symbol}", settings["start_cash"], settings["fee_percent"]
    )
    levels, trades = dict(memory["levels"]), []
    # Levels that the settings no longer have sell what they hold.
    for number in range(1, max([settings["levels"], *map(int, levels)]) + 1):
        level, trade = trade_level(
            number, levels.get(str(number), EMPTY), memory, settings, account, now_price
        )
        levels[str(number)] = level
        if trade:
            trades.append(trade)

    seen = {**memory, "levels": levels, "price": text(now_price), "updated_at": now()}
    price(symbol=symbol, value=float(now_price))
    account.send(lambda paper: state.set("bot_state", {**saved, symbol: {**seen, "paper": paper}}))
    account.report({symbol: now_price})
    for side, reason in trades:
        signal(type=side, symbol=symbol, price=float(now_price), reason=reason)
        log(f"{side} {symbol} at {text(now_price)}: {reason}")


def main(bot_id, config):
    """Called by the platform with the instance's id and configuration; runs until it is told to stop."""
    settings = {**DEFAULTS, **config}
    if exact(settings["step_percent"]) <= 2 * exact(settings["fee_percent"]):
        error("step_percent must be more than twice fee_percent: each round would lose money")
    log(f"{bot_id} ({{name}}) trades {settings['symbol']} on paper, {settings['levels']} levels down")
    run_every(settings["update_interval_ms"], lambda: look(settings))
