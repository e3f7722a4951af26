"""{{name}}: tells once when a price passes a line or has moved."""

from datetime import datetime, timezone

from platform_sdk import log, metric, price, state

from decimals import exact, text
from loop import run_every
from prices import latest_price

DEFAULTS = {
    "symbol": "AAPL",
    "move_percent": 0.5,
    "rearm_percent": 0.2,
    "update_interval_ms": 5000,
    "base_url": "https://query1.finance.yahoo.com",
}
KEPT_ALERTS = 100


def passed(kind, settings, told, now_price):
    """Whether a line is passed, as ("ABOVE" or "BELOW", its number) or None, and whether it stays told."""
    if settings.get(kind) is None:
        return None, False
    line, back = exact(settings[kind]), exact(settings["rearm_percent"]) / 100
    beyond = now_price > line if kind == "above" else now_price < line
    returned = now_price <= line * (1 - back) if kind == "above" else now_price >= line * (1 + back)
    fresh = (kind.upper(), f"{settings['symbol']} is {kind} {text(line)} at {text(now_price)}") if beyond and not told else None
    return fresh, beyond or (told and not returned)


def look(settings):
    """One look at the price. Alerts wait in the state until they were told, so that a kill loses none."""
    symbol = settings["symbol"]
    now_price = latest_price(settings["base_url"], symbol)
    saved = state.get("bot_state", {})
    memory = saved.get(symbol) or {"moved_from": text(now_price), "told": {}, "alerts": [], "waiting": []}
    found, told, moved_from = [], {}, memory["moved_from"]
    for kind in ("above", "below"):
        fresh, told[kind] = passed(kind, settings, memory["told"].get(kind, False), now_price)
        if fresh:
            found.append(fresh)
    percent = (now_price / exact(moved_from) - 1) * 100
    if abs(percent) >= exact(settings["move_percent"]):
        found.append(("MOVE", f"{symbol} moved by {percent:+.2f} % to {text(now_price)}"))
        moved_from = text(now_price)

    at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    alerts = [
        {"alert_id": f"{symbol}-{kind}-{at}", "symbol": symbol, "type": kind, "price": float(now_price), "reason": reason}
        for kind, reason in found
    ]
    waiting = [*memory["waiting"], *alerts]
    seen = {
        **memory,
        "moved_from": moved_from,
        "told": told,
        "alerts": [*reversed(alerts), *memory["alerts"]][:KEPT_ALERTS],
        "price": text(now_price),
        "updated_at": at,
    }
    price(symbol=symbol, value=float(now_price))
    state.set("bot_state", {**saved, symbol: {**seen, "waiting": waiting}})
    for alert in waiting:
        metric("alert", alert)
        log(alert["reason"], "warn")
    if waiting:
        state.set("bot_state", {**saved, symbol: {**seen, "waiting": []}})


def main(bot_id, config):
    """Called by the platform with the instance's id and configuration; runs until it is told to stop."""
    settings = {**DEFAULTS, **config}
    log(f"{bot_id} ({{name}}) watches {settings['symbol']}")
    run_every(settings["update_interval_ms"], lambda: look(settings))
