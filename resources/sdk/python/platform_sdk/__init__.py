"""SDK for bots on Bot Platform: identity, metrics, log lines, results, state and queries."""

from . import query, state
from .output import Parsed, current_timestamp, error, log, metric, parse, result, sleep, success
from .query import QueryRequest
from .state import ReadOnlyStateError

__all__ = [
    "Parsed",
    "QueryRequest",
    "ReadOnlyStateError",
    "current_timestamp",
    "error",
    "log",
    "metric",
    "parse",
    "query",
    "result",
    "sleep",
    "state",
    "success",
]
