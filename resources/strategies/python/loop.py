"""Looks again and again, until the bot is told to stop."""

import signal
import sys
import time

from platform_sdk import log


def stop(signum, frame):
    sys.exit(0)


def run_every(pause_ms, look):
    """Calls `look` every `pause_ms`. A look that fails is logged, and the next one follows as usual."""
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, stop)
    while True:
        try:
            look()
        except Exception as failure:
            log(f"Look failed: {failure}. Next try in {pause_ms} ms", "error")
        time.sleep(pause_ms / 1000)
