"""{{name}}: what the bot answers when asked. Handlers only read."""

from platform_sdk import query, state


@query.handler("/status")
def status(request):
    symbol = query.get_config().get("symbol", "AAPL")
    memory = state.get("bot_state", {}).get(symbol, {})
    paper = memory.get("paper", {})
    return {
        "symbol": symbol,
        "price": memory.get("price"),
        "cash": paper.get("cash"),
        "quantity": paper.get("held", {}).get(symbol, "0"),
        "newest_decisions": paper.get("decisions", [])[-10:],
    }


query.run()
