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
"""Tensors of one variable that are read in detail after every statement although they seem unchanged."""
QUICK_TURN = 32
"""Tensors of a container that are checked for quick changes after every statement. In a module, all are."""


Named = dict[tuple[str, int | None], tuple[int, int]]
"""By path and the id of the Tensor that is a key in it: the ids of the Name, and of the Tensor to which it leads."""


class Activation:
    """One running frame of the snippet: its current statement, and the tensors and values that its variables last had."""

    def __init__(self, running: FrameType, frame: int, call: int | None, source: Source) -> None:
        self.code = running.f_code
        self.frame_key = id(running)
        """`id` of the Python frame, which is alive while this object is on the stack."""
        self.frame = frame
        self.call = call
        self.source = source
        """The file that contains its code."""
        self.reached: dict[str, Reached] = {}
        """The variables that reach a tensor, by name."""
        self.variables = Variables()
        self.statement: int | None = None
        self.began_at = -1
        self.by_instruction: Parts | None = None
        """Set while it runs a line with several statements."""
        self.step: int | None = None


@dataclass(slots=True, eq=False)
class Reached:
    """The tensors that a variable reached at the end of the last statement. Holds no tensor."""

    reach: Reach
    outer: "Reached | None" = None
    """What a variable of an outer frame reaches, if that includes these tensors. They have the Names of that frame, and here only
    the Names that the code of this frame uses."""
    names: Named = field(default_factory=dict)
    serials: set[int] = field(default_factory=set)
    seen: list[SeenTensor] = field(default_factory=list)
    since: int = 0
    """The number of tensors that had died when this was last found to be unchanged."""
    turn: int = 0

    def looked_at(self, memory: MemoryWatch, everything: bool) -> Iterator[SeenTensor]:
        """The tensors to read now: all tensors or, if there are many, some in rotation and those with quick changes.

        A changed flag, device or gradient is a quick change. A new stride by `.data =`, or bytes that NumPy changed, show only
        in a detailed reading and may be found a few statements late. Effects of operators are recorded immediately.
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
