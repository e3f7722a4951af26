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


_sync = getattr(os, "fdatasync", os.fsync)


def replace_file(path: str, data: bytes) -> None:
    """Readers of the file see the old bytes or the new ones, never a mix, also after a power cut."""
    temporary, descriptor = _open_temporary(os.path.dirname(path))
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            _sync(descriptor)
        finally:
            os.close(descriptor)
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
