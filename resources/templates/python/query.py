"""{{name}}: what the bot answers when asked. Handlers only read."""

from platform_sdk import query, state


@query.handler("/status")
def status(request):
    memory = state.get("bot_state", {"rounds": 0, "updated_at": None})
    return {"name": "{{name}}", "rounds": memory["rounds"], "updated_at": memory["updated_at"]}


query.run()
