"""Progress of a run, counted from the received chunks of its recording."""

from collections.abc import Callable

import msgspec

from app.trace.chunks import Chunk


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a run. Its numbers come from the snippet's process: bounded, but not trustworthy."""

    line: int = 0
    """Line of the latest statement, from 1; 0 before the first."""
    statements: int = 0
    operators: int = 0


class Counting:
    """Counts the chunks of one run and reports its progress to `tell`."""

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self._notify = tell
        self._progress = Progress()

    def add(self, chunk: Chunk) -> None:
        """Count a chunk."""
        line, statements, operators = self._progress.line, self._progress.statements, self._progress.operators
        for step in chunk.steps:
            if step.kind == "statement":
                statements += 1
                line = step.span.line if step.span is not None else line
            elif step.kind == "operator":
                operators += 1
        counted = Progress(line=line, statements=statements, operators=operators)
        if counted != self._progress:
            self._progress = counted
            self._notify(counted)
