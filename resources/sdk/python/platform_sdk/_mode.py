"""Whether the code that runs now answers a query."""

import os
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

_handling: ContextVar[bool] = ContextVar("handling", default=False)


def run_handler(handle: Callable[[Any], Any], request: Any) -> Any:
    """Runs a query handler; what it does may not write state."""
    token = _handling.set(True)
    try:
        return handle(request)
    finally:
        _handling.reset(token)


def is_read_only() -> bool:
    """Queries only read: in a query run, and inside a handler, state cannot be written."""
    # One that waits for its question has no QUERY_PATH yet.
    return _handling.get() or bool(os.environ.get("QUERY_PATH") or os.environ.get("QUERY_RESULT_FILE"))
