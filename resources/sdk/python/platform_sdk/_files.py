"""Files that are replaced as a whole."""

import contextlib
import itertools
import os

_counter = itertools.count(1)


def _open_temporary(folder: str) -> tuple[str, int]:
    """A new file of our own: a crash may have left one of this name behind."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = os.path.join(folder, f".tmp-{os.getpid()}-{next(_counter)}")
        try:
            return path, os.open(path, flags, 0o600)
        except FileExistsError:
            continue


def replace_file(path: str, text: str) -> None:
    """Readers of the file see the old text or the new one, never a mix, also after a power cut."""
    temporary, descriptor = _open_temporary(os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            getattr(os, "fdatasync", os.fsync)(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        # If a signal ends the program right after the rename, the temporary file is gone: raise the original error.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def read_plain(path: str) -> bytes:
    """Reads a file without following a link at its end."""
    if not hasattr(os, "O_NOFOLLOW") and os.path.islink(path):
        raise OSError(f"{path} is a link")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return file.read()
