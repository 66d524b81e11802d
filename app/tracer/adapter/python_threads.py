"""Identifies the threads that Python started."""

import _thread
import functools
import threading
from collections.abc import Callable
from typing import Any

from app.tracer.adapter.calls import patch, together

running_threads = _thread._count
"""Returns the number of running threads that Python started, without the main thread and torch's threads."""


def is_python_thread(ident: int) -> bool:
    """Whether Python started this thread. PYTHON 3.11: `threading` also lists threads of torch that have called
    `current_thread()`, as dummy threads."""
    thread = threading._active.get(ident)  # type: ignore[attr-defined]
    return thread is not None and not isinstance(thread, threading._DummyThread)


def patch_threads(starts: Callable[[], None]) -> Callable[[], None]:
    """Call `starts` before any thread is started. Returns a function that restores `threading`.

    PYTHON 3.11, 3.12: `threading` has its own name for `start_new_thread`. PYTHON 3.13: `threading` starts threads with another
    function.
    """

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def start(*args: Any, **kwargs: Any) -> Any:
            starts()
            return original(*args, **kwargs)

        return start

    return together([patch(module, name, wrap) for module, name in _STARTS if name in vars(module)])


_STARTS = (
    (_thread, "start_new_thread"),
    (_thread, "start_new"),
    (_thread, "start_joinable_thread"),
    (threading, "_start_new_thread"),
    (threading, "_start_joinable_thread"),
)
