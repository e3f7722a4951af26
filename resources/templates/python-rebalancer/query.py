"""{{name}}: what the bot answers when asked. Handlers only read."""

from platform_sdk import query, state


@query.handler("/status")
def status(request):
    memory = state.get("bot_state", {})
    paper = memory.get("paper", {})
    return {
        "value": memory.get("value"),
        "cash": paper.get("cash"),
        "held": paper.get("held", {}),
        "prices": memory.get("prices", {}),
        "newest_decisions": paper.get("decisions", [])[-10:],
        "updated_at": memory.get("updated_at"),
    }


query.run()
