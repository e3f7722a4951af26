"""Questions from outside. Handlers only read."""

import asyncio
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ._files import replace_file
from ._json import dumps
from ._mode import current_request, is_query_run, run_handler
from ._server import serve
from ._warm import is_waiting, receive, report
from .output import parse
from .state import ReadOnlyStateError as ReadOnlyStateError

Handler = Callable[["Request"], Any]

_handlers: dict[str, Handler] = {}


class Request:
    """What a handler gets: parameters are strings."""

    def __init__(self, path: str, params: Mapping[str, str]) -> None:
        self.path = path
        self.params = dict(params)

    def get(self, name: str, default: str | None = None) -> str | None:
        """A parameter as text, or `default` when it was not sent."""
        return self.params.get(name, default)

    def has(self, name: str) -> bool:
        """Whether a parameter was sent."""
        return name in self.params


QueryRequest = Request


def _paths() -> list[str]:
    return sorted(_handlers)


_BUILT_IN: dict[str, Handler] = {
    "/health": lambda request: {"status": "healthy"},
    "/info": lambda request: {"available_queries": _paths()},
}


def _answer(path: str, params: Mapping[str, str]) -> tuple[int, str]:
    """Runs the handler of a path and wraps its answer. Never raises."""
    handle = _handlers.get(path) or _BUILT_IN.get(path)
    if handle is None:
        return 404, dumps({"status": "error", "error": f"No handler for path: {path}", "available": _paths()})
    try:
        return 200, dumps({"status": "ok", "data": run_handler(_call(handle), Request(path, params))})
    except Exception as failure:  # a handler may fail in any way; the caller is told
        return 500, dumps({"status": "error", "error": str(failure) or type(failure).__name__})


def _call(handle: Handler) -> Handler:
    """The handler, awaited to its end where it is asynchronous."""

    def call(request: Request) -> Any:
        data = handle(request)

        async def resolved() -> Any:
            return await data

        return asyncio.run(resolved()) if inspect.isawaitable(data) else data

    return call


def _run_params() -> dict[str, str]:
    prefix = "QUERY_PARAM_"
    params = {name[len(prefix) :]: value for name, value in os.environ.items() if name.startswith(prefix)}
    for name, value in json.loads(os.environ.get("QUERY_PARAMS") or "{}").items():
        params[name] = value if isinstance(value, str) else dumps(value)
    return params


def _answer_run(path: str) -> tuple[int, str]:
    """Like _answer(), with the parameters of the environment."""
    try:
        params = _run_params()
    except (AttributeError, ValueError) as failure:
        return 400, dumps({"status": "error", "error": f"QUERY_PARAMS: {failure}"})
    return _answer(path, params)


def handler(path: str, function: Handler | None = None) -> Any:
    """Registers a function for a path such as `/status`; also as a decorator: `@query.handler("/status")`."""
    if not path.startswith("/"):
        raise ValueError("a query path begins with /")
    if function is None:

        def register(decorated: Handler) -> Handler:
            _handlers[path] = decorated
            return decorated

        return register
    _handlers[path] = function
    return function


def get_config() -> dict[str, Any]:
    """The bot's configuration, a dict. Raises like parse()."""
    return parse().config


def get_params() -> dict[str, str]:
    """The parameters of the query that is answered now, as texts by name; none outside of a handler."""
    request = current_request()
    return {} if request is None else dict(request.params)


def is_query_mode() -> bool:
    """Whether this program was started to answer one query, and ends with it.

    False where it serves queries beside a bot, and in the bot.
    """
    return is_query_run()


def run() -> None:
    """Answers the one query of a query run and ends the process (exit code 1 for an error), else serves queries until the process is told to stop."""
    path = os.environ.get("QUERY_PATH")
    warm = not path and is_waiting()
    if warm:
        path = receive()
    if path:
        code, body = _answer_run(path)
        replace_file(os.environ["QUERY_RESULT_FILE"], body.encode("utf-8", "replace"))
        if warm:
            report("done")
        sys.exit(0 if code == 200 else 1)
    serve(_answer)
