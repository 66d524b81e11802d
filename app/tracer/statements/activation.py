"""A running frame of the snippet, and the tensors that its variables reached when they were last read."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from types import FrameType

from app.tracer.naming.names import Reach
from app.tracer.naming.variables import Variables
from app.tracer.statements.source import Parts, Source
from app.tracer.tensors.memory import MemoryWatch
from app.tracer.tensors.seen import SeenTensor

TURN = 16
"""Number of tensors of one variable that are read in detail after every statement, in rotation, although they seem unchanged."""
QUICK_TURN = 32
"""Number of tensors of one container that are checked for quick changes after every statement, in rotation. In a module, all
tensors are checked."""


Named = dict[tuple[str, int | None], tuple[int, int]]
"""For each path: the id of its Name, and the id of the Tensor to which the path leads. The key also has the id of a Tensor that
is a dict key in the path."""


class Activation:
    """One running frame of the snippet: its current statement, and the tensors and values that its variables last had."""

    def __init__(self, running: FrameType, frame: int, call: int | None, source: Source) -> None:
        self.code = running.f_code
        self.frame_key = id(running)
        """The `id` of the Python frame. It stays valid, because the frame lives as long as this object is on the recorder's
        stack."""
        self.frame = frame
        self.call = call
        self.source = source
        """The file that contains the code of the frame."""
        self.reached: dict[str, Reached] = {}
        """The variables that reach a tensor, by name."""
        self.variables = Variables()
        self.statement: int | None = None
        self.began_at = -1
        self.by_instruction: Parts | None = None
        """The statement of each instruction, while the frame runs a line with several statements; otherwise None."""
        self.step: int | None = None


@dataclass(slots=True, eq=False)
class Reached:
    """The tensors that a variable reached at the end of the last statement. Holds no tensor."""

    reach: Reach
    outer: "Reached | None" = None
    """The `Reached` of a variable in an outer frame that reaches the same tensors; None if there is none. If there is one, this
    frame adds only the Names that its own code uses."""
    names: Named = field(default_factory=dict)
    serials: set[int] = field(default_factory=set)
    seen: list[SeenTensor] = field(default_factory=list)
    since: int = 0
    """The number of tensors that had died at the last check that found the variable unchanged."""
    turn: int = 0

    def looked_at(self, memory: MemoryWatch, everything: bool) -> Iterator[SeenTensor]:
        """Yield the tensors to read now: all tensors or, if there are many, the tensors with quick changes and some others in
        rotation.

        A changed flag, device or gradient is a quick change. A new stride by `.data =`, or bytes that NumPy changed, show only
        in a detailed reading and may be found a few statements late. Changes by operators do not depend on these readings, and
        are recorded immediately.
        """
        if self.outer is not None:
            return chain(self.seen, self.outer.looked_at(memory, False))
        if everything or len(self.seen) <= TURN:
            return iter(self.seen)
        begin, self.turn = self.turn, (self.turn + TURN) % len(self.seen)
        others = self.seen
        if self.reach.is_container:
            others = self.seen[begin + TURN : begin + TURN + QUICK_TURN] or self.seen[:QUICK_TURN]
        return chain(self.seen[begin : begin + TURN], (seen for seen in others if not memory.seems_unchanged(seen)))
