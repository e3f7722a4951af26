"""Starts a bot written in Python:  python3 python_runner.py ENTRY

The bot's vendor folder and code come first on the path, the platform's own SDK last. If the entry defines or imports
`main`, it is imported, so that `__name__` is not "__main__", and `main` is called with those of bot_id and config that it
takes, unless the file has called it itself; without `main` the file runs as a script. A returned object becomes the result unless the bot has written one. An exception
gives a traceback and exit code 1. docs/writing-bots.md has the table of all cases.
"""

import ast
import asyncio
import importlib.util
import inspect
import json
import logging
import os
import runpy
import symtable
import sys
import threading
import traceback
from types import CodeType, FrameType, TracebackType
from typing import Any, NoReturn

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class _Name(str):
    """The `__name__` of an entry of which only its run shows whether it has a function `main`.

    `stars` are the lines of its `from x import *`, each of which may bring `main`.
    """

    __hash__ = str.__hash__

    def __new__(cls, name: str, namespace: dict[str, Any], stars: list[int]) -> "_Name":
        made = super().__new__(cls, name)
        made.namespace = namespace
        made.stars = stars
        made.heard_yes = False
        made.asked_early = False
        return made

    def __eq__(self, other: object) -> bool:
        if other != "__main__":
            return str.__eq__(self, other)
        if callable(self.namespace.get("main")):
            return False
        if self._is_early():
            self.asked_early = True
            return False
        self.heard_yes = True
        return True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)

    def _is_early(self) -> bool:
        """Whether a `from x import *` stands below the line that the file has reached."""
        frame = sys._getframe(1)
        while frame is not None and not (frame.f_globals is self.namespace and frame.f_code.co_name == "<module>"):
            frame = frame.f_back
        return frame is not None and any(line > frame.f_lineno for line in self.stars)


def _read(path: str) -> tuple[bool, list[int]]:
    """Whether the compiler finds a name `main` in the file, and the lines that may bring more names: `from x import *`."""
    with open(path, "rb") as file:
        source = file.read()
    tree = ast.parse(source, path)
    table = symtable.symtable(source, path, "exec")
    symbol = table.lookup("main") if "main" in table.get_identifiers() else None
    announced = symbol is not None and (symbol.is_assigned() or symbol.is_imported() or symbol.is_declared_global())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return announced, [node.lineno for node in imports if node.names[0].name == "*"]


class _Calls:
    """Tells whether the entry calls its function `main` while it is loaded, and warns of that.

    Watching makes code slow, and the top level of a bot may last as long as the bot: it ends after a second.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.namespace: dict[str, Any] = {}
        self.codes: set[CodeType] = set()
        self.is_over = False
        self.timer = threading.Timer(1, self.end)
        self.timer.daemon = True

    def __enter__(self) -> "_Calls":
        self.timer.start()
        threading.setprofile(self)
        sys.setprofile(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        self.timer.cancel()
        self.end()

    def end(self) -> None:
        if not self.is_over and self.has_main():
            _warn(
                f"{self.name} has called its own function at its top level, with the settings given there; it is not called "
                'again. Call it there only behind if __name__ == "__main__":, or not at all'
            )
        self.is_over = True

    def has_main(self) -> bool:
        return _code_of(self.namespace.get("main")) in self.codes

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if self.is_over:
            sys.setprofile(None)
        elif event == "call" and "main" in self.namespace and frame.f_code is _code_of(self.namespace["main"]):
            self.codes.add(frame.f_code)


def _code_of(main: Any) -> Any:
    """The code that runs when `main` is called, also behind a decorator; None for what has no code of its own."""
    return getattr(inspect.unwrap(main) if callable(main) else main, "__code__", None)


def _import_entry(path: str, stars: list[int] | None, calls: _Calls) -> Any:
    """The entry as a module; with `stars`, its run shows whether it has a function `main`."""
    stem = os.path.splitext(os.path.basename(path))[0]
    # A file of that name would take itself for the program.
    name = "bot" if stem == "__main__" else stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    if stars is not None:
        module.__name__ = _Name(name, module.__dict__, stars)
    sys.modules[name] = module
    calls.namespace = module.__dict__
    with calls:
        spec.loader.exec_module(module)
    return module


def _load(path: str) -> Any:
    """Loads the entry; its function `main`, or None when the file was the program itself or has called `main` itself."""
    announced, stars = _read(path)
    if not announced and not stars:
        runpy.run_path(path, run_name="__main__")
        return None
    _show_logs()
    name = os.path.basename(path)
    calls = _Calls(name)
    module = _import_entry(path, None if announced else stars, calls)
    main = getattr(module, "main", None)
    if callable(main):
        if getattr(module.__name__, "heard_yes", False):
            _fail(
                f'{name} asked for __name__ == "__main__" before it had a function main, and has started itself with '
                "settings of its own; it was ended. Import main by its name, above that question"
            )
        return None if calls.has_main() else main
    if announced:
        _fail(f"{name} has a name main that is no function: define main(bot_id, config), or give it another name")
    if getattr(module.__name__, "asked_early", False):
        _fail(
            f'{name} asks for __name__ == "__main__" above a `from … import *`, which might have brought a function '
            "main. Put that import above the question, or import by name"
        )
    return None


def _arguments(signature: inspect.Signature) -> inspect.BoundArguments:
    """Id and config, by their names or in their order; a parameter of another name that has a default keeps it."""
    values = {"bot_id": os.environ.get("BOT_ID", ""), "config": json.loads(os.environ.get("BOT_CONFIG") or "{}")}
    one = {name: each for name, each in signature.parameters.items() if each.kind not in _MANY}
    in_order = [value for name, value in values.items() if name not in one]
    given = signature.bind_partial()
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if name in values and name in one:
            given.arguments[name] = values[name]
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL and len(given.arguments) == index:
            given.arguments[name] = tuple(in_order)
        elif parameter.kind in _POSITIONAL and parameter.default is parameter.empty and in_order:
            given.arguments[name] = in_order.pop(0)
    return given


def _call(main: Any) -> Any:
    try:
        signature = inspect.signature(main)
    except (TypeError, ValueError):
        signature = inspect.Signature()
    given = _arguments(signature)
    kept = [
        name
        for name, one in signature.parameters.items()
        if one.kind in _POSITIONAL and name not in given.arguments and one.default is not one.empty
    ]
    if kept and not any(isinstance(value, dict) for value in given.arguments.values()):
        _warn(
            f"main is not given the configuration: {', '.join(kept)} has a default, which it keeps. Name the parameter "
            "config, or read the configuration by parse()"
        )
    # By position: what stands behind a decorator may take no names.
    given.apply_defaults()
    value = main(*given.args, **given.kwargs)

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


def _fail(message: str) -> NoReturn:
    from platform_sdk import error

    error(message)


def _warn(message: str) -> None:
    from platform_sdk import log

    log(message, "warn")


def _own_frames(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without this runner's frames: it begins with the bot's code."""
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
    """Shows logging of a bot without its own set-up from INFO on, with levels. Its own logging.basicConfig() still decides."""
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
    main = _load(path)
    if main is not None:
        _report(_call(main))


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
