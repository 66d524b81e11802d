"""Progress of a run, from the counts in the heads of its payloads."""

from collections.abc import Callable

import msgspec

from app.trace.heads import Head


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a run. The numbers come from the snippet's process. These numbers are bounded but untrusted."""

    line: int = 0
    """Line of the latest statement, from 1; 0 before the first statement."""
    statements: int = 0
    operators: int = 0


class Counting:
    """Calls `notify` when the progress of a run changes."""

    def __init__(self, notify: Callable[[Progress], None]) -> None:
        self._notify = notify
        self._progress = Progress()

    def add(self, head: Head) -> None:
        """Update the progress of a run from the head of a payload."""
        progress = Progress(line=head.line, statements=head.statements, operators=head.operators)
        if progress != self._progress:
            self._progress = progress
            self._notify(progress)
