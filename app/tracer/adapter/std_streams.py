"""The standard streams of the process: file descriptors, and streams of C."""

import ctypes
import os
from collections.abc import Callable

from app.tracer.adapter.calls import patch

_LINE_BUFFERED = 1
"""`_IOLBF` of glibc and musl (stdio.h)."""


def buffer_lines_of_c() -> None:
    """Let C's stdout write each line at its end, as on a terminal. C's stdout would otherwise write to a pipe only at `exit`."""
    libc = ctypes.CDLL(None)  # not at import, because `record()` also runs on systems without a libc
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, _LINE_BUFFERED, 0)


def flush_streams_of_c() -> None:
    """Flush C's streams, because `os._exit` does not."""
    ctypes.CDLL(None).fflush(None)


def patch_write(take: Callable[[int, bytes], None]) -> Callable[[], None]:
    """Let `os.write` call `take(fd, written)` for descriptors 1 and 2 instead of writing. Returns a function that restores
    `os.write`.

    If the program has redirected a descriptor to another file, `os.write` writes normally.
    """
    files = {fd: _file(fd) for fd in (1, 2)}

    def wrap(original: Callable[..., int]) -> Callable[..., int]:
        def write(fd: int, data: bytes, /) -> int:
            if type(fd) is not int or fd not in files or _file(fd) != files[fd]:
                return original(fd, data)
            try:
                written = bytes(memoryview(data).cast("B"))
            except TypeError:
                return original(fd, data)  # `original` raises an error that names the accepted types
            take(fd, written)
            return len(written)

        write.__doc__ = original.__doc__
        return write

    return patch(os, "write", wrap)


def _file(fd: int) -> tuple[int, int] | None:
    try:
        stat = os.fstat(fd)
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
