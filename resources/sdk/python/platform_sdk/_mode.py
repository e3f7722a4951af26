"""Whether the code that runs now answers a query."""

import os
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

_request: ContextVar[Any] = ContextVar("request", default=None)


def run_handler(handle: Callable[[Any], Any], request: Any) -> Any:
    """Runs a query handler, which may not write state."""
    token = _request.set(request)
    try:
        return handle(request)
    finally:
        _request.reset(token)


def current_request() -> Any:
    """The request of the handler that runs now; None outside of handlers."""
    return _request.get()


def is_query_run() -> bool:
    """Whether this program was started to answer one query."""
    # One that waits for its question has no QUERY_PATH yet.
    return bool(os.environ.get("QUERY_PATH") or os.environ.get("QUERY_RESULT_FILE"))


def is_read_only() -> bool:
    """Queries only read: in a query run, and inside a handler, state cannot be written."""
    return current_request() is not None or is_query_run()
