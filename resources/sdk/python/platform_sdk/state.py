"""JSON values that outlive runs, by key."""

import builtins
import json
import os
import re
import stat
from typing import Any
from urllib.parse import unquote_to_bytes

from ._files import read_plain, replace_file
from ._json import dumps
from ._mode import is_read_only

_KEY_BYTES = 128
_VALUE_BYTES = 10 * 1024 * 1024
_SUFFIX = ".json"
# Keys that are written as they are.
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}")
_PLAIN_BYTE = re.compile(rb"[A-Za-z0-9_-]")


def _folder() -> str:
    folder = os.environ.get("STATE_DIR")
    if not folder:
        raise RuntimeError("STATE_DIR is not set: start the bot with the platform, or with `platform dev`")
    return folder


def _file_name(key: str) -> str:
    """Bytes outside A-Z a-z 0-9 _ . - and a leading dot are written as %XX."""
    if isinstance(key, str) and _PLAIN_KEY.fullmatch(key):
        return key + _SUFFIX
    # Half a surrogate pair has no UTF-8.
    raw = key.encode("utf-8", "ignore") if isinstance(key, str) else b""
    is_text = isinstance(key, str) and raw.decode("utf-8") == key
    if not is_text or not 1 <= len(raw) <= _KEY_BYTES or re.search(rb"[/\\\0]", raw) or key in (".", ".."):
        raise ValueError(f'{key!r} is no state key: use 1 to {_KEY_BYTES} bytes without / and \\, not "." or ".."')
    parts = [
        chr(byte) if _PLAIN_BYTE.match(bytes([byte])) or (byte == 0x2E and index > 0) else f"%{byte:02X}"
        for index, byte in enumerate(raw)
    ]
    return "".join(parts) + _SUFFIX


def _key_of(name: str) -> str | None:
    """The key of a file; None for one that the bot itself put into the folder and that is none of ours."""
    try:
        key = unquote_to_bytes(name[: -len(_SUFFIX)]).decode("utf-8")
        return key if _file_name(key) == name else None
    except ValueError:
        return None


class ReadOnlyStateError(PermissionError):
    """Raised where a query would change state."""


def _refuse_if_read_only() -> None:
    if is_read_only():
        raise ReadOnlyStateError("A query must not change state: write it in the bot, read it in the handler")


def get(key: str, default: Any = None) -> Any:
    """The value under a key; `default` when there is none.

    Raises ValueError for an invalid key (1 to 128 bytes, no / and \\, not "." or "..") and for a file that is not JSON.
    """
    try:
        text = read_plain(os.path.join(_folder(), _file_name(key)))
    except FileNotFoundError:
        return default
    try:
        return json.loads(text)
    except ValueError as cause:
        raise ValueError(f"the state under {dumps(key)} is not JSON: {cause}") from cause


def set(key: str, value: Any) -> None:
    """Stores a value that JSON can hold, of 10 MiB at most, under a key; readers see the old value or the new one, never a mix.

    Raises ValueError for an invalid key or a too large value, TypeError for what JSON cannot hold, ReadOnlyStateError in a query.
    """
    _refuse_if_read_only()
    name = _file_name(key)
    data = dumps(value).encode("utf-8", "replace")
    if len(data) > _VALUE_BYTES:
        raise ValueError(f"the value of {key} is {len(data)} bytes; at most {_VALUE_BYTES} fit")
    path = os.path.join(_folder(), name)
    try:
        replace_file(path, data)
    except (FileNotFoundError, NotADirectoryError):
        os.makedirs(_folder(), exist_ok=True)
        replace_file(path, data)


def remove(key: str) -> bool:
    """Removes a key; True when it was there. Raises ReadOnlyStateError in a query."""
    _refuse_if_read_only()
    try:
        os.unlink(os.path.join(_folder(), _file_name(key)))
    except FileNotFoundError:
        return False
    return True


def delete(key: str) -> bool:
    """Another name of remove()."""
    return remove(key)


def exists(key: str) -> bool:
    """Whether there is a value under a key."""
    try:
        return stat.S_ISREG(os.lstat(os.path.join(_folder(), _file_name(key))).st_mode)
    except FileNotFoundError:
        return False


def list() -> builtins.list[str]:
    """All keys, sorted."""
    try:
        entries = [entry for entry in os.scandir(_folder()) if entry.is_file(follow_symlinks=False)]
    except FileNotFoundError:
        return []
    names = [entry.name for entry in entries if entry.name.endswith(_SUFFIX) and not entry.name.startswith(".")]
    return sorted((key for name in names if (key := _key_of(name)) is not None), key=lambda key: key.encode())


def clear() -> None:
    """Removes all keys, one after the other: a reader meanwhile may see some of them.

    What the bot itself put beside them into the folder stays. Raises ReadOnlyStateError in a query.
    """
    _refuse_if_read_only()
    for key in list():
        remove(key)
