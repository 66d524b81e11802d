"""The index of a trace, as finders use it. It counts the records that a finder reads, and stops the finder at a limit."""

from collections.abc import Callable
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from app.explain.finding import MOST_FINDINGS, Finding, Fix, Fixes, registered
from app.explain.reading.meter import Meter, Spent
from app.explain.reading.syntax import Syntax
from app.trace.chunks import TABLES, Trace
from app.trace.ends import Exited, Finished, Raised
from app.trace.index import Index
from app.trace.look_up import grouped, look_up
from app.trace.query import MODULE
from app.trace.records import SavedTensor, StepId, StorageId, TensorId, Tick, Write

T = TypeVar("T")

MOST_LOOKS = 3_000_000
"""Maximum number of accesses to records ("looks") by all finders, including look-up tables: about a second.

Ordinary runs need a third of it at most.
"""

LOOKS = 200_000
LOOKS_PER_RECORD = 8
"""A finder may make `LOOKS` looks, plus `LOOKS_PER_RECORD` for each record of the trace."""

MOST_FIXES = 2
"""Maximum number of fixes per finding."""

MOST_REWRITTEN = 512 << 10
"""Maximum number of characters of all snippets that are written as fixes."""


class CountedIndex(Index):
    """Look-up tables over one trace, and the syntax tree of its snippet.

    Limits how many records each finder, and all finders together, may read.
    """

    def __init__(self, trace: Trace) -> None:
        self._meter = Meter(MOST_LOOKS)
        tables = {table: getattr(trace, table) for table in TABLES}
        tables["frames"] = [frame if frame.file is None else msgspec.structs.replace(frame, line=0) for frame in trace.frames]
        super().__init__(msgspec.structs.replace(trace, **{table: self._meter.counted(rows) for table, rows in tables.items()}))
        # Frames of other files get line 0, because `self.syntax` contains only the snippet, and no function begins on line 0.
        self.syntax = Syntax(trace.source, self._meter)
        self._looks_each = LOOKS + LOOKS_PER_RECORD * sum(map(len, tables.values()))
        self._found: dict[str, list[Finding] | None] = {}
        self._rewritten = 0

    def built(self, build: Callable[[Any], T]) -> T:
        """A look-up table that counts the records read from it."""
        return self._meter.built(self, build)

    def found_by(self, name: str) -> list[Finding]:
        """The findings of the finder `name`.

        The finder runs at the first call; later calls return the same list. Raises Spent if the finder reads too many
        records.
        """
        if name not in self._found:
            self._found[name] = None
            with self._meter.at_most(min(self._looks_each, self._meter.left // 2)):  # half remains for building look-up tables
                self._found[name] = list(islice(registered[name].find(self), MOST_FINDINGS))
        found = self._found[name]
        if found is None:
            raise Spent
        return found

    def written(self, fixes: Fixes) -> list[Fix]:
        """The fixes that can be written, the best first. The number and size of fixes are limited, because each fix is parsed
        and sent with its finding."""
        source, written = self.trace.source, list[Fix]()
        for title, write in fixes:
            if len(written) == MOST_FIXES:
                break
            self._rewritten += len(source)
            text = write() if self._rewritten <= MOST_REWRITTEN else None
            if text is not None and text != self.syntax.text:
                self._rewritten += max(0, len(text) - len(source))
                written += [Fix(title=title, source=text)] if self._rewritten <= MOST_REWRITTEN else []
        return written

    # --- saved tensors ------------------------------------------------------------------------------------------------

    def waits_for_backward(self, saved: SavedTensor) -> bool:
        """Whether a saved tensor still exists at the end, and no backward of any graph ran after the save."""
        node = self.trace.nodes[saved.node]
        return not self.is_cut and saved.released is None and node.freed is None and self._last_backward < node.born

    @look_up
    def is_cut(self) -> bool:
        """Whether the program was stopped before its end: by a limit, a kill, or an exit within a function.

        It is then unknown whether the program would have done later what it did not do before.
        """
        ended = self.trace.ended
        if isinstance(ended, Exited):
            last = next((step for step in reversed(self.trace.steps) if step.kind == "exception"), None)
            return ended.by != "SystemExit" or last is None or last.frame != MODULE
        return not isinstance(ended, Finished | Raised)

    @look_up
    def _last_backward(self) -> Tick:
        """The tick at which the last run of a Node in backward began; -1 if no Node ran."""
        return max((step.began for step in self.trace.steps if step.node is not None), default=Tick(-1))

    # --- writes -------------------------------------------------------------------------------------------------------

    def in_backward(self, write: Write) -> bool:
        """Whether a Node of backward made this Write."""
        parent = None if write.step is None else self.trace.steps[write.step].parent
        return parent is not None and self.trace.steps[parent].kind == "node"

    @look_up
    def writes_by_program(self) -> dict[StorageId, list[Write]]:
        """The Writes to each Storage outside of backwards, in order."""
        return grouped((write for write in self.trace.writes if not self.in_backward(write)), attrgetter("storage"))

    @look_up
    def written_in(self) -> dict[StepId | None, TensorId]:
        """The first Tensor through which each statement changed bytes."""
        found: dict[StepId | None, TensorId] = {}
        for write in self.trace.writes:
            statement = self.statement_of(write.step)
            if write.tensor is not None and write.changed:
                found.setdefault(None if statement is None else statement.id, write.tensor)
        return found

    @look_up
    def changing_writes(self) -> dict[StorageId, list[Write]]:
        """The Writes to each Storage that are known to have changed bytes, in order."""
        return grouped((write for write in self.trace.writes if write.changed), attrgetter("storage"))

    @look_up
    def changing_operators(self) -> dict[StorageId, list[Write]]:
        """The Writes by operators to each Storage that changed bytes, in order. Other Writes, such as those of
        NumPy, bypass torch's operators."""
        return grouped((write for write in self.trace.writes if write.changed and write.operator), attrgetter("storage"))
