"""Checks whether a snippet's run and its fix's run were the same before the first changed line."""

from collections.abc import Callable
from typing import Any

import msgspec

from app.explain.corrected.divergence import RunSequence, first_difference_before
from app.explain.tried.change import Change
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.records import Step


class _Statements(RunSequence):
    """The steps of a run, with a look-up of the statements that a fix changes."""

    def statements_from(self, place: int, is_changed: Callable[[Step], bool]) -> list[Step]:
        """The changed statements from index `place` of `steps` on, in the frame of the first, up to the first unchanged
        statement.
        """
        found: list[Step] = []
        for step in self.steps[place:]:
            if step.kind == "statement" and step.frame == self.steps[place].frame:
                if not is_changed(step):
                    break
                found.append(step)
        return found


class Original(_Statements):
    """The steps of the snippet's run."""

    def signature(self, position: int) -> tuple[Any, ...]:
        """The attributes of a step that must be equal in both runs. Whether the step ended is not among them."""
        return _open_ended(super().signature(position))


class Fixed(_Statements):
    """The steps of the fix's run, without added imports. Lines are converted to the lines of the snippet."""

    def __init__(self, index: Index, change: Change) -> None:
        self._change = change
        super().__init__(index)

    def is_left_out(self, step: Step) -> bool:
        """Whether a step is an import that the fix adds."""
        return self._change.is_import(step)

    def signature(self, position: int) -> tuple[Any, ...]:
        """The attributes to compare, with the fix's line converted to the line of the snippet."""
        kind, name, node, _, *others = super().signature(position)
        return _open_ended((kind, name, node, self._change.begin_back(self.steps[position].span), *others))


class Beginning:
    """The snippet's run and the fix's run, up to the first changed line that either run reaches."""

    def __init__(self, original: Trace, fixed: Trace, change: Change) -> None:
        is_new = change.imported
        shown = [each for each in fixed.variables if each.name not in is_new]
        self._one = Original(Index(original))
        self._other = Fixed(Index(msgspec.structs.replace(fixed, variables=shown)), change)
        place = next((place for place, step in enumerate(self._one.steps) if change.is_removed(step)), len(self._one.steps))
        there = next((place for place, step in enumerate(self._other.steps) if change.is_added(step)), len(self._other.steps))
        self._until = min(place, there)
        self.removed = self._one.statements_from(place, change.is_removed) if place == self._until else []
        """The first changed statements of the snippet's run; empty if the fix's run reaches a changed line first."""
        self.added = self._other.statements_from(there, change.is_added) if there == self._until else []
        """The first changed statements of the fix's run; empty if the snippet's run reaches a changed line first."""

    def difference(self) -> int | None:
        """The first step, before the changed lines, at which the runs differ; None if there is none."""
        return first_difference_before(self._one, self._other, self._until)


def _open_ended(signature: tuple[Any, ...]) -> tuple[Any, ...]:
    kind, name, node, span, frame, parent, message, _, modes = signature
    if span is not None and not isinstance(span, tuple):
        span = (span.line, span.column)
    return kind, name, node, span, frame, parent, message, modes
