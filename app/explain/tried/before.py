"""Whether two runs were the same before the first changed line: a snippet's, and that of a fix of it."""

from collections.abc import Callable
from typing import Any

import msgspec

from app.explain.corrected.divergence import RunSequence, first_difference_before
from app.explain.tried.change import Change
from app.trace.chunks import Trace
from app.trace.index import Index
from app.trace.records import Step


class _Statements(RunSequence):
    """The steps of a run of which some statements are changed."""

    def statements_from(self, place: int, is_changed: Callable[[Step], bool]) -> list[Step]:
        """The changed statements that a frame ran one after the other, from a place on."""
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
        """What both runs must have in common; a step that is under way may end in one of them alone."""
        return _open_ended(super().signature(position))


class Fixed(_Statements):
    """The steps of the fix's run, by the lines of the snippet, without the imports that the fix brings along."""

    def __init__(self, index: Index, change: Change) -> None:
        self._change = change
        super().__init__(index)

    def is_left_out(self, step: Step) -> bool:
        """Whether it is such an import."""
        return self._change.is_import(step)

    def signature(self, position: int) -> tuple[Any, ...]:
        """The same, by the lines of the snippet."""
        kind, name, node, _, *others = super().signature(position)
        return _open_ended((kind, name, node, self._change.begin_back(self.steps[position].span), *others))


class Beginning:
    """What both runs have in common: all before the first changed line runs in one of them."""

    def __init__(self, original: Trace, fixed: Trace, change: Change) -> None:
        is_new = change.imported
        shown = [each for each in fixed.variables if each.name not in is_new]
        self._one = Original(Index(original))
        self._other = Fixed(Index(msgspec.structs.replace(fixed, variables=shown)), change)
        place = next((place for place, step in enumerate(self._one.steps) if change.is_removed(step)), len(self._one.steps))
        there = next((place for place, step in enumerate(self._other.steps) if change.is_added(step)), len(self._other.steps))
        self._until = min(place, there)
        self.removed = self._one.statements_from(place, change.is_removed) if place == self._until else []
        """The last common statements of the snippet's run; none if only the fix has new ones."""
        self.added = self._other.statements_from(there, change.is_added) if there == self._until else []
        """Those of the fix's run."""

    def difference(self) -> int | None:
        """The first step at which they differ all the same."""
        return first_difference_before(self._one, self._other, self._until)


def _open_ended(signature: tuple[Any, ...]) -> tuple[Any, ...]:
    kind, name, node, span, frame, parent, message, _, modes = signature
    if span is not None and not isinstance(span, tuple):
        span = (span.line, span.column)
    return kind, name, node, span, frame, parent, message, modes
