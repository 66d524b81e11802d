"""Keeps the recorder out of the last levels of the stack: a function of ours would not fit there, and the program's would have.

Writes in these levels are found when a statement above ends, without an operator. One difference to a script remains:
CPython does not specialise instructions of a traced frame, so `n == 0` or `len(x)` in the last level takes one level more,
and `print` two.
"""

from types import FrameType
from typing import Any

from app.tracer import adapter

EDGE = 10
"""So many levels the recorder needs before it has made room for itself: those of an operator until `guarded`."""


class Edge:
    """From the call of the frame at the edge to its return, neither calls nor operators are shown to us."""

    def __init__(self) -> None:
        self._frame = 0
        """`id` of that frame; 0 for none."""
        self._trace: int | None = None
        self._seen = False

    def enter(self, frame: FrameType) -> None:
        """Hide what this frame calls, if nothing is hidden yet. Its own lines are shown on."""
        traces = adapter.stack.traces
        if self._frame or traces is None or traces.value is None:
            return
        self._frame = id(frame)
        self._trace, traces.value = traces.value, None
        self._seen = adapter.show_operators(False)

    def leave(self, frame: FrameType) -> None:
        """Show everything again, if this is the frame at the edge, and it returns."""
        if self._frame == id(frame):
            self.end()

    def end(self) -> None:
        """Show everything again."""
        if self._frame:
            self._frame = 0
            adapter.stack.traces.value = self._trace
            adapter.show_operators(self._seen)

    def is_of(self, frame: FrameType) -> bool:
        """Whether what this frame calls is hidden."""
        return self._frame == id(frame)

    def returned(self, frame: FrameType, event: str, arg: Any) -> Any:
        """The local trace function of a frame outside the snippet."""
        if event == "return":
            self.leave(frame)
        return self.returned
