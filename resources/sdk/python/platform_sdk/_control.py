"""The control channel: its host tells a bot that it is stopped, and why, before SIGTERM."""

import asyncio
import contextlib
import hashlib
import hmac
import inspect
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from ._files import read_plain
from ._json import dumps

StopHandler = Callable[[str], Any]

_REASONS = ("requested", "guard", "panic", "update", "shutdown")
_POLL_SECONDS = 0.1
_HOOK_BYTES = 4096
_ERROR_CHARS = 500

# Taken out of the environment: programs that the bot starts are not told of its stop.
_folder = os.environ.pop("CONTROL_DIR", "")
_digest = os.environ.pop("CONTROL_TOKEN_SHA256", "")

_handlers: dict[str, StopHandler] = {}
_lock = threading.Lock()
_watching = False


def on_stop(reason: str, handler: StopHandler | None = None) -> Any:
    """Registers a function that runs before the host ends this bot; also as a decorator: `@on_stop("any")`.

    `reason` is requested, guard, panic, update, shutdown, or any for those without a handler of their own. The handler is
    called once, with the reason, in a thread of its own, while the rest of the bot goes on. It may write state and has 10
    seconds, then SIGTERM follows. No query and no other program can call it. In a query program, in a program that the bot has
    started, and without a host it is never called. Raises ValueError for another reason.
    """
    if reason != "any" and reason not in _REASONS:
        raise ValueError(f"{reason!r} is no reason to stop: use {', '.join(_REASONS)} or any")
    if handler is None:

        def register(decorated: StopHandler) -> StopHandler:
            on_stop(reason, decorated)
            return decorated

        return register
    global _watching
    with _lock:
        _handlers[reason] = handler
        if not _folder:
            return handler
        _tell(None)
        if not _watching:
            _watching = True
            threading.Thread(target=_watch, name="platform-stop", daemon=True).start()
    return handler


def _tell(ended: dict[str, Any] | None) -> None:
    """Writes in place, into space that the host has reserved: this works on a full disk."""
    line = dumps({"reasons": list(_handlers), "ended": ended}).encode("utf-8", "replace")
    file = os.open(os.path.join(_folder, "hook"), os.O_WRONLY)
    try:
        os.write(file, line.ljust(_HOOK_BYTES))
    finally:
        os.close(file)


def _asked() -> str | None:
    """The reason of the stop that the host asks for; None while there is none, or another program has written it."""
    try:
        asked = json.loads(read_plain(os.path.join(_folder, "stop")))
        token, reason = str(asked["token"]), str(asked["reason"])
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if not hmac.compare_digest(hashlib.sha256(token.encode()).hexdigest(), _digest):
        return None
    return reason


def _watch() -> None:
    while (reason := _asked()) is None:
        time.sleep(_POLL_SECONDS)
    # Not a daemon: a bot that ends meanwhile waits for its hook.
    threading.Thread(target=_run, args=(reason,), name="platform-stop-hook").start()


def _run(reason: str) -> None:
    with _lock:
        handle = _handlers.get(reason) or _handlers.get("any")
    error = None
    try:
        value = handle(reason) if handle is not None else None

        async def resolved() -> Any:
            return await value

        if inspect.isawaitable(value):
            asyncio.run(resolved())
    except BaseException as failure:  # the host is told of any end
        traceback.print_exc()
        error = (str(failure) or type(failure).__name__)[:_ERROR_CHARS]
    sys.stdout.flush()
    with _lock, contextlib.suppress(OSError):
        _tell({"error": error})
