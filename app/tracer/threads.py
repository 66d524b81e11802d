"""Notices when other threads of the program run. Other threads are not followed, but the steps during which they run are marked.

When a statement ends during which other threads ran, every known Tensor is read again. Changes by other threads are recorded as
Writes without an operator. Saved tensors that a backward on another thread released are marked as released. While other threads
run, it is not checked which counter a new Tensor has, because the check changes the counter for a moment. Torch's own threads,
on which the engine runs Nodes, do not count.
"""

import threading
from collections.abc import Callable

from app.tracer import adapter


class ThreadWatch:
    """Determines the followed thread, and whether other threads have run since the last call of `have_run`."""

    def __init__(self) -> None:
        self._home = threading.get_ident()
        self._before = adapter.running_threads()
        """The number of threads that ran before, for example in a notebook or a test. They do not belong to the program."""
        self._ran = False
        self.others_run = False
        """Other threads may be running now."""

    def install(self) -> Callable[[], None]:
        """Watch for other threads. Return a function that stops watching."""
        return adapter.patch_threads(self._start)

    def _start(self) -> None:
        self._ran = self.others_run = True

    def have_run(self) -> bool:
        """Whether another thread ran since the last call."""
        self.others_run = adapter.running_threads() > self._before
        ran = self._ran or self.others_run
        self._ran = self.others_run
        return ran

    def is_another(self) -> bool:
        """Whether this is a thread that the program started. False for the followed thread and for threads of torch."""
        here = threading.get_ident()
        return here != self._home and adapter.is_python_thread(here)
