"""A query run that is started before its question is known, and waits for it."""

import json
import os
import re
import sys

from ._json import dumps

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_waiting() -> bool:
    """Whether this program was started to wait: PLATFORM_QUERY_WARM is the file descriptor to which it reports."""
    return bool(os.environ.get("PLATFORM_QUERY_WARM"))


def report(word: str) -> None:
    """Tells the host how far this program is."""
    os.write(int(os.environ["PLATFORM_QUERY_WARM"]), f"{word}\n".encode())


def _without_half_pairs(text: str) -> str:
    """An environment cannot hold half a surrogate pair."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def receive() -> str:
    """Waits for the one question, puts it into the environment, where a plain query run has it, and gives its path.

    Ends the process when no question comes any more.
    """
    report("ready")
    with open(0, "rb", closefd=False) as stdin:
        line = stdin.readline()
    if not line.endswith(b"\n"):
        sys.exit(0)
    question = json.loads(line)
    for name, value in question["params"].items():
        if _NAME.fullmatch(name) and "\0" not in value:
            os.environ[f"QUERY_PARAM_{name}"] = _without_half_pairs(value)
    os.environ["QUERY_PARAMS"] = dumps(question["params"])
    os.environ["QUERY_PATH"] = question["path"]
    return question["path"]
