"""{{name}}: what the bot answers when asked. Handlers only read."""

from platform_sdk import query, state


@query.handler("/status")
def status(request):
    symbol = query.get_config().get("symbol", "AAPL")
    memory = state.get("bot_state", {}).get(symbol, {})
    return {
        "symbol": symbol,
        "price": memory.get("price"),
        "moved_from": memory.get("moved_from"),
        "alerts": memory.get("alerts", [])[:10],
        "updated_at": memory.get("updated_at"),
    }


query.run()
