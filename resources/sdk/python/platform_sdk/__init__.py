"""SDK for bots on Bot Platform: identity, metrics, log lines, results, state and queries."""

from . import query, state
from .output import error, log, metric, parse, result, success

__all__ = ["error", "log", "metric", "parse", "query", "result", "state", "success"]
