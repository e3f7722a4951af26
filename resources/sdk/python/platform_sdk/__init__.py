"""SDK for bots on Bot Platform: identity, metrics, log lines, results, state and queries."""

from . import query, state
from ._control import on_stop
from .output import Parsed, current_timestamp, error, log, metric, parse, result, sleep, success
from .query import QueryRequest
from .reserved import adjustment, cash_flow, equity, fill, order, position, price, rate

# Not in __all__: `import *` must not replace the module of the standard library that many bots import.
from .reserved import signal as signal
from .state import ReadOnlyStateError

__all__ = [
    "Parsed",
    "QueryRequest",
    "ReadOnlyStateError",
    "adjustment",
    "cash_flow",
    "current_timestamp",
    "equity",
    "error",
    "fill",
    "log",
    "metric",
    "on_stop",
    "order",
    "parse",
    "position",
    "price",
    "query",
    "rate",
    "result",
    "sleep",
    "state",
    "success",
]
