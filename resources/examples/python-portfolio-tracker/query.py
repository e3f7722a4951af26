"""Read-only views of the portfolio: /summary and /history?limit=."""

from platform_sdk import query, state

MAX_LIMIT = 500


@query.handler("/summary")
def summary(request):
    history = state.get("portfolio_history", [])
    latest = history[-1] if history else {}
    values = [entry["value"] for entry in history]
    return {
        "value": latest.get("value"),
        "change": latest.get("change"),
        "change_pct": latest.get("change_pct"),
        "highest": max(values, default=None),
        "lowest": min(values, default=None),
        "positions": latest.get("positions", []),
        "valuations": len(history),
        "updated_at": latest.get("at"),
    }


@query.handler("/history")
def history(request):
    limit = request.get("limit", "20")
    if not limit.isascii() or not limit.isdigit() or not 1 <= int(limit) <= MAX_LIMIT:
        raise ValueError(f"limit must be a whole number from 1 to {MAX_LIMIT}")
    entries = state.get("portfolio_history", [])
    newest = [{"at": entry["at"], "value": entry["value"]} for entry in reversed(entries[-int(limit) :])]
    return {"history": newest, "total": len(entries)}


query.run()
