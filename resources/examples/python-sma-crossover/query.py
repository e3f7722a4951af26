"""Read-only views of what the bot has found: /status and /signals?limit=."""

from platform_sdk import query, state

MAX_LIMIT = 100


@query.handler("/status")
def status(request):
    saved = state.get("bot_state") or {}
    config = query.get_config()
    signals = saved.get("signals", [])
    return {
        "symbol": saved.get("symbol", config.get("symbol", "AAPL")),
        "last_price": saved.get("last_price"),
        "change_pct": saved.get("change_pct"),
        "short_sma": saved.get("short_sma"),
        "long_sma": saved.get("long_sma"),
        "short_period": saved.get("short_period", config.get("short_period", 5)),
        "long_period": saved.get("long_period", config.get("long_period", 20)),
        "last_signal": signals[0] if signals else None,
        "iterations": saved.get("iterations", 0),
        "updated_at": saved.get("updated_at"),
    }


@query.handler("/signals")
def signals(request):
    limit = request.get("limit", "10")
    if not limit.isascii() or not limit.isdigit() or not 1 <= int(limit) <= MAX_LIMIT:
        raise ValueError(f"limit must be a whole number from 1 to {MAX_LIMIT}")
    found = (state.get("bot_state") or {}).get("signals", [])
    return {"signals": found[: int(limit)], "total": len(found)}


query.run()
