"""What a bot says: metrics, log lines and the result of its run."""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from ._files import replace_file
from ._json import dumps

_LEVELS = {"debug", "warn", "error"}
# A handler of signals may log while the line that it interrupts is written.
_lock = threading.RLock()


def _write_line(fd: int, text: str) -> None:
    rest = (text + "\n").encode("utf-8", "replace")
    with _lock:
        # What the bot has printed itself comes first.
        (sys.stdout if fd == 1 else sys.stderr).flush()
        while rest:
            rest = rest[os.write(fd, rest) :]


def _write_result(value: Any) -> None:
    path = os.environ.get("RESULT_FILE") or os.path.join(os.environ.get("CODE_MOUNT_DIR") or ".", "result.json")
    replace_file(path, dumps(value))


def parse() -> tuple[str, dict[str, Any]]:
    """The bot's id and configuration."""
    bot_id = os.environ.get("BOT_ID")
    if not bot_id:
        raise RuntimeError("BOT_ID is not set: start the bot with the platform, or with `platform dev`")
    text = os.environ.get("BOT_CONFIG")
    if not text:
        raise RuntimeError("BOT_CONFIG is not set: start the bot with the platform, or with `platform dev`")
    try:
        config = json.loads(text)
    except ValueError as cause:
        raise RuntimeError(f"BOT_CONFIG is not JSON: {cause}") from cause
    if not isinstance(config, dict):
        raise RuntimeError("BOT_CONFIG is no JSON object")
    return bot_id, config


def metric(type: str, data: Mapping[str, Any] | None = None) -> None:
    """Emits a metric: `data` is shown and charted under its type."""
    if not isinstance(type, str) or not type:
        raise TypeError("the type of a metric must be a text")
    given = dict(data or {})
    given.pop("_metric", None)
    timestamp = given.pop("timestamp", None)
    now = int(time.time() * 1000) if timestamp is None else timestamp
    _write_line(1, dumps({"_metric": type, **given, "timestamp": now}))


def log(message: object, level: str | None = None) -> None:
    """Writes a log line. `level` is debug, warn or error; without it the line is info."""
    _write_line(2, f"{level.upper()} {message}" if level in _LEVELS else str(message))


def success(message: object) -> None:
    """Reports that a scheduled run went well."""
    _write_result({"status": "success", "message": str(message)})


def error(message: object) -> NoReturn:
    """Reports a failure and ends the process with exit code 1."""
    log(message, "error")
    _write_result({"status": "error", "message": str(message)})
    if threading.current_thread() is threading.main_thread():
        sys.exit(1)
    # In another thread an exception would end only that thread.
    sys.stdout.flush()
    os._exit(1)


def result(data: Any) -> None:
    """Gives out a result of the bot's own."""
    _write_result(data)
