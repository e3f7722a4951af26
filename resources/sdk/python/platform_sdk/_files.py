"""Files that are replaced as a whole."""

import itertools
import os

_counter = itertools.count(1)


def replace_file(path: str, text: str) -> None:
    """Whoever reads the file sees the old text or the new one, never a mix, also after a power cut."""
    temporary = os.path.join(os.path.dirname(path), f".tmp-{os.getpid()}-{next(_counter)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            getattr(os, "fdatasync", os.fsync)(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def read_plain(path: str) -> bytes:
    """Reads a file without following a link at its end."""
    if not hasattr(os, "O_NOFOLLOW") and os.path.islink(path):
        raise OSError(f"{path} is a link")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return file.read()
