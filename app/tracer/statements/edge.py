"""Switches the recorder off in the last levels of the stack, where a function of the recorder would not fit.

Writes at these levels are found only when the statement of an outer level ends, so they are recorded without an operator. One
difference to a script remains: CPython does not specialise instructions of a traced frame. Therefore, at the last level,
`n == 0` or `len(x)` needs one more level, and `print` needs two.
"""

from types import FrameType
from typing import Any

from app.tracer import adapter

EDGE = 10
"""The levels that the recorder needs before `guarded` adds levels for it."""


class Edge:
    """From the call of the frame at the edge to its return, calls and operators are not reported to the recorder."""

    def __init__(self) -> None:
        self._frame = 0
        """`id` of the frame at the edge; 0 for none."""
        self._trace: int | None = None
        self._seen = False

    def enter(self, frame: FrameType) -> None:
        """Hide the calls and operators of this frame, if nothing is hidden yet. The lines of the frame itself are still
        reported."""
        traces = adapter.stack.traces
        if self._frame or traces is None or traces.value is None:
            return
        self._frame = id(frame)
        self._trace, traces.value = traces.value, None
        self._seen = adapter.show_operators(False)

    def leave(self, frame: FrameType) -> None:
        """Report everything again, if this returning frame is the frame at the edge."""
        if self._frame == id(frame):
            self.end()

    def end(self) -> None:
        """Report everything again."""
        if self._frame:
            self._frame = 0
            adapter.stack.traces.value = self._trace
            adapter.show_operators(self._seen)

    def is_of(self, frame: FrameType) -> bool:
        """Whether calls and operators of this frame are hidden from the recorder."""
        return self._frame == id(frame)

    def returned(self, frame: FrameType, event: str, arg: Any) -> Any:
        """The local trace function of a frame that is not followed. It only notices the return of the frame at the edge."""
        if event == "return":
            self.leave(frame)
        return self.returned
