"""Notices when other threads of the program run. They are not followed: their effects are looked up afterwards and marked.

When such a statement ends, every known Tensor is read again. A change is a Write without an operator; saved tensors that a
backward on the other thread released are marked released. Which counter a new Tensor has is not checked meanwhile, because
the check moves the counter for a moment. Torch's own threads, on which the engine runs Nodes, do not count.
"""

import threading
from collections.abc import Callable

from app.tracer import adapter


class ThreadWatch:
    """Knows the one thread that is followed, and whether others have run since it was last asked."""

    def __init__(self) -> None:
        self._home = threading.get_ident()
        self._before = adapter.running_threads()
        """Threads that already ran in a notebook or a test do not belong to the program."""
        self._ran = False
        self.others_run = False
        """Others may be running at this very moment."""

    def install(self) -> Callable[[], None]:
        """Returns what undoes it."""
        return adapter.patch_threads(self._start)

    def _start(self) -> None:
        self._ran = self.others_run = True

    def have_run(self) -> bool:
        """Whether another thread ran since this was last asked."""
        self.others_run = adapter.running_threads() > self._before
        ran = self._ran or self.others_run
        self._ran = self.others_run
        return ran

    def is_another(self) -> bool:
        """Whether the program started this thread: it is neither the followed one nor one of torch's, on which a backward runs."""
        here = threading.get_ident()
        return here != self._home and adapter.is_python_thread(here)
