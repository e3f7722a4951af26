"""What a bot says: metrics, log lines and the result of its run."""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from ._files import replace_file
from ._json import dumps

_LEVELS = {
    "debug": "debug",
    "info": "info",
    "warn": "warn",
    "warning": "warn",
    "error": "error",
    "critical": "error",
    "fatal": "error",
}
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
    replace_file(path, dumps(value).encode("utf-8", "replace"))


class Parsed(NamedTuple):
    """The bot's id and configuration: `bot_id, config = parse()`, or by name. `id` is the same as `bot_id`."""

    bot_id: str
    config: dict[str, Any]

    @property
    def id(self) -> str:
        return self.bot_id


def parse() -> Parsed:
    """The bot's id and configuration (the effective one, with defaults filled in).

    Raises ValueError when BOT_ID or BOT_CONFIG is not set, or BOT_CONFIG is not a JSON object: a bot never goes on without
    the settings that its owner gave.
    """
    bot_id = os.environ.get("BOT_ID")
    if not bot_id:
        raise ValueError("BOT_ID is not set: start the bot with the platform, or with `platform dev`")
    text = os.environ.get("BOT_CONFIG")
    if not text:
        raise ValueError("BOT_CONFIG is not set: start the bot with the platform, or with `platform dev`")
    try:
        config = json.loads(text)
    except ValueError as cause:
        raise ValueError(f"BOT_CONFIG is not JSON: {cause}") from cause
    if not isinstance(config, dict):
        raise ValueError("BOT_CONFIG is no JSON object")
    return Parsed(bot_id, config)


def metric(type: str, data: Mapping[str, Any] | None = None) -> None:
    """Emits a metric: a line of JSON on stdout with `_metric`, the data and `timestamp`.

    `data` is shown and charted under `type`; a `timestamp` in it (ms since 1970, or RFC 3339) is the time of the metric,
    else it is now. Raises TypeError when `type` is not a text or is empty, or when JSON cannot hold the data.
    """
    if not isinstance(type, str) or not type:
        raise TypeError("the type of a metric must be a text")
    given = dict(data or {})
    given.pop("_metric", None)
    timestamp = given.pop("timestamp", None)
    now = current_timestamp() if timestamp is None else timestamp
    _write_line(1, dumps({"_metric": type, **given, "timestamp": now}))


def log(message: object, data_or_level: Any = None, level: str | None = None, *, data: Any = None) -> None:
    """Writes a log line to stderr: log(message), log(message, level), log(message, data) or log(message, data, level).

    `level` is debug, info, warn (warning) or error (critical, fatal), in any case; any other is info. Without data the
    line is text. With data it is a JSON object whose keys are shown as fields of the line; `level`, `message` and
    `_metric` in data are left out, a `timestamp` is the time of the line, and data that is not a mapping stands under
    `data`. `data` and `level` may also be given by name.
    """
    if isinstance(data_or_level, str) and level is None:
        level = data_or_level
    elif data_or_level is not None:
        data = data_or_level
    word = _LEVELS.get(str(level or "info").lower(), "info")
    if data is None:
        _write_line(2, str(message) if word == "info" else f"{word.upper()} {message}")
        return
    fields = data if isinstance(data, Mapping) else {"data": data}
    kept = {key: value for key, value in fields.items() if key not in ("level", "message", "_metric")}
    _write_line(2, dumps({"level": word, "message": str(message), **kept}))


def _outcome(status: str, message: object, data: Any) -> dict[str, Any]:
    return {"status": status, "message": str(message), **({} if data is None else {"data": data})}


def success(message: object, data: Any = None) -> None:
    """Reports that a scheduled run went well.

    The result becomes {"status": "success", "message"}, with `data` if it is given. The last report of a run wins. Raises
    OSError when the file cannot be written, TypeError when JSON cannot hold the data.
    """
    _write_result(_outcome("success", message, data))


def error(message: object, data: Any = None) -> NoReturn:
    """Reports a failure, with `data` if it is given, logs the message as an error and ends the process with exit code 1."""
    log(message, data, "error")
    _write_result(_outcome("error", message, data))
    if threading.current_thread() is threading.main_thread():
        sys.exit(1)
    # In another thread an exception would end only that thread.
    sys.stdout.flush()
    os._exit(1)


def result(data: Any) -> None:
    """Gives out a result of the bot's own: any value that JSON can hold. Raises TypeError for any other."""
    _write_result(data)


def sleep(seconds: float) -> None:
    """Waits for so many **seconds** (Node's sleep takes milliseconds). Raises ValueError for a negative time."""
    time.sleep(seconds)


def current_timestamp() -> int:
    """The time now in milliseconds since 1970, as metrics have it."""
    return int(time.time() * 1000)
