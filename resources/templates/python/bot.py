"""{{name}}: what the bot does each round."""

import signal
import sys
import time
from datetime import datetime, timezone

from platform_sdk import log, metric, state

DEFAULTS = {"symbol": "AAPL", "interval_ms": 5000}


def work(settings, memory):
    """One round. Returns what to remember."""
    rounds = memory["rounds"] + 1
    metric("round", {"symbol": settings["symbol"], "rounds": rounds})
    return {"rounds": rounds, "updated_at": datetime.now(timezone.utc).isoformat()}


def stop(signum, frame):
    sys.exit(0)


def main(bot_id, config):
    """Called by the platform with the instance's id and configuration; runs until it is told to stop."""
    settings = {**DEFAULTS, **config}
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop)

    log(f"{bot_id} ({{name}}) starts with {settings['symbol']}")
    memory = state.get("bot_state", {"rounds": 0})
    try:
        while True:
            try:
                memory = work(settings, memory)
                state.set("bot_state", memory)
            except Exception as failure:
                log(f"Round failed: {failure}", "error")
            time.sleep(settings["interval_ms"] / 1000)
    finally:
        log(f"{bot_id} stopped")
