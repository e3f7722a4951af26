"""Starts a bot written in Python:  python3 python_runner.py ENTRY

The bot's vendor folder and code come first on the path, the platform's own SDK last. If the entry defines `main`, it is
imported and `main` is called with as many of (bot_id, config) as it takes; else the file runs as a script. A returned
object becomes the result unless the bot has written one. An exception gives a traceback and exit code 1.
"""

import ast
import asyncio
import importlib.util
import inspect
import json
import logging
import os
import runpy
import sys
import traceback
from types import TracebackType
from typing import Any


def _defines_main(path: str) -> bool:
    """Whether the file has a function `main` of its own, without running it."""
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "main":
            return True
        if isinstance(node, ast.ImportFrom) and any((name.asname or name.name) == "main" for name in node.names):
            return True
        if isinstance(node, ast.Assign):
            if any(isinstance(target, ast.Name) and target.id == "main" for target in node.targets):
                return True
    return False


def _import_entry(path: str) -> Any:
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _call(main: Any) -> Any:
    arguments = [os.environ.get("BOT_ID", ""), json.loads(os.environ.get("BOT_CONFIG") or "{}")]
    try:
        kinds = [parameter.kind for parameter in inspect.signature(main).parameters.values()]
    except (TypeError, ValueError):
        kinds = []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    takes = 2 if inspect.Parameter.VAR_POSITIONAL in kinds else sum(kind in positional for kind in kinds)
    value = main(*arguments[:takes])

    async def wait() -> Any:
        return await value

    return asyncio.run(wait()) if inspect.isawaitable(value) else value


def _report(value: Any) -> None:
    if not isinstance(value, (dict, list)):
        return
    path = os.environ.get("RESULT_FILE") or os.path.join(os.environ.get("CODE_MOUNT_DIR") or ".", "result.json")
    if os.path.exists(path):
        return
    from platform_sdk import result

    result(value)


def _own_frames(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without this file and what it calls to start the bot: it begins where the bot's code does."""
    own = trace
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == __file__:
            own = trace.tb_next
        trace = trace.tb_next
    hidden = ("<frozen runpy>", "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
    while own is not None and own.tb_frame.f_code.co_filename in hidden:
        own = own.tb_next
    return own


def _show_logs() -> None:
    """What a bot logs and nobody set up is shown from INFO on, with its level. Its own logging.basicConfig() still decides."""
    if logging.lastResort is not None:
        logging.lastResort.setLevel(logging.INFO)
        logging.lastResort.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
        logging.root.setLevel(logging.INFO)


def _run(entry: str) -> None:
    path = os.path.abspath(entry)
    folders = [os.path.join(os.getcwd(), "vendor"), os.getcwd(), os.path.dirname(path)]
    sdk = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sdk", "python")
    rest = [one for one in sys.path[1:] if one not in folders]
    sys.path[:] = [*dict.fromkeys(folders), *rest, sdk]
    sys.argv[:] = [path, *sys.argv[2:]]
    if _defines_main(path):
        _show_logs()
        _report(_call(_import_entry(path).main))
    else:
        runpy.run_path(path, run_name="__main__")


def _main() -> None:
    if len(sys.argv) < 2:
        sys.exit("python_runner.py needs the path of the entry")
    try:
        _run(sys.argv[1])
    except Exception as failure:
        traceback.print_exception(type(failure), failure, _own_frames(failure.__traceback__))
        sys.exit(1)


if __name__ == "__main__":
    _main()
