"""Whether this process only answers queries."""

import os

_serving = False


def start_serving() -> None:
    """From now on this process answers queries."""
    global _serving
    _serving = True


def is_read_only() -> bool:
    """Queries only read: in a query run, and in a process that serves queries, state cannot be written."""
    return _serving or bool(os.environ.get("QUERY_PATH"))
