"""The process's own streams, as descriptors and as C sees them."""

import ctypes
import os
from collections.abc import Callable

from app.tracer.adapter.calls import patch

_LINE_BUFFERED = 1
"""`_IOLBF` of glibc and musl (stdio.h)."""


def buffer_lines_of_c() -> None:
    """Have C's own stdout put out each line as it ends, as on a terminal: into a pipe it would put out nothing before `exit`."""
    libc = ctypes.CDLL(None)  # not at the import: the library half runs where there is none
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, _LINE_BUFFERED, 0)


def flush_streams_of_c() -> None:
    """Put out what C's streams hold: `os._exit` would drop it."""
    ctypes.CDLL(None).fflush(None)


def patch_write(take: Callable[[int, bytes], None]) -> Callable[[], None]:
    """Have `os.write` to descriptors 1 and 2 call `take(fd, written)` instead; returns what undoes it.

    Not once the program has put another file in the place of a descriptor.
    """
    files = {fd: _file(fd) for fd in (1, 2)}

    def wrap(original: Callable[..., int]) -> Callable[..., int]:
        def write(fd: int, data: bytes, /) -> int:
            if type(fd) is not int or fd not in files or _file(fd) != files[fd]:
                return original(fd, data)
            try:
                written = bytes(memoryview(data).cast("B"))
            except TypeError:
                return original(fd, data)  # whose message says which types it accepts
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
