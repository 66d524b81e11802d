"""A running frame of the snippet, and what its variables reached when they were looked at last."""

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
"""Tensors of one variable that are looked at closely after every statement though nothing stirs in them."""
QUICK_TURN = 32
"""Tensors of a container of which it is asked after every statement whether anything stirs in them; of a module all are."""


Named = dict[tuple[str, int | None], tuple[int, int]]
"""By path and the id of the Tensor that is a key in it, the ids of the Name and of the Tensor that it leads to."""


class Activation:
    """One running frame of the snippet: which statement it is in, and what each of its names reached and held last."""

    def __init__(self, running: FrameType, frame: int, call: int | None, source: Source) -> None:
        self.code = running.f_code
        self.frame_key = id(running)
        """`id` of the Python frame, which runs as long as this is on the stack."""
        self.frame = frame
        self.call = call
        self.source = source
        """The file that its code stands in."""
        self.reached: dict[str, Reached] = {}
        """The variables that reach a tensor, by name."""
        self.variables = Variables()
        self.statement: int | None = None
        self.began_at = -1
        self.by_instruction: Parts | None = None
        """Where it runs several statements of one line."""
        self.step: int | None = None


@dataclass(slots=True, eq=False)
class Reached:
    """What a variable reached at the end of the last statement, as it was recorded. Holds no tensor."""

    reach: Reach
    outer: "Reached | None" = None
    """The tensors that a variable of a lower frame reaches, including this one. They have that frame's names, except those
    that this code uses."""
    names: Named = field(default_factory=dict)
    serials: set[int] = field(default_factory=set)
    seen: list[SeenTensor] = field(default_factory=list)
    since: int = 0
    """How many tensors had died when this was last found to hold."""
    turn: int = 0

    def looked_at(self, memory: MemoryWatch, everything: bool) -> Iterator[SeenTensor]:
        """The tensors to read now: all, but of a variable that reaches very many some round-robin, and all with quick changes.

        Effects of operators are recorded immediately. Changes without an operator are found a few statements late in such a
        variable: a changed flag, device or gradient is a quick change; a new stride by `.data =`, or bytes that NumPy changed,
        need a detailed reading.
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
