"""Sentences about exceptions: where an exception was raised, which calls it left, and which `with suppress(...)` caught it."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.trace.ends import OutOfMemory, Raised
from app.trace.index import Index
from app.trace.records import Step, StepId

MOST_CALLS = 4
"""Maximum number of calls listed between a statement and the exception. A longer list omits the calls in the middle."""


@dataclass(frozen=True, slots=True)
class Way:
    """An exception that left a statement through the first `count` of `calls`, innermost first."""

    exception: Step
    calls: list[Step]
    count: int


@dataclass(slots=True)
class Ways:
    """The exception that left each statement, and the exception that each `with suppress(...)` caught."""

    out: dict[StepId, Way] = field(default_factory=dict)
    suppressed: dict[StepId, Step] = field(default_factory=dict)


_SUPPRESS = re.compile(r"with\b.*?\bsuppress\(([^()]*)\)")
_NEVER_MEANT = ("GeneratorExit", "KeyboardInterrupt", "SystemExit")
"""Exceptions that `suppress(Exception)` does not catch."""


def raised(index: Index, facts: Facts, ways: Ways) -> Iterator[Message]:
    """Sentences about the exceptions of a statement, each with the raising line and the calls that the exception left."""
    way = None if facts.step is None else ways.out.get(facts.step.id)
    caught = None if facts.step is None else ways.suppressed.get(facts.step.id)
    if caught is not None:
        yield message("story-suppressed", type=caught.name or "?", line=index.line_of(caught.id) or 0)
    for step in facts.exceptions:
        kind, text, line = step.name or "?", step.message or "", index.line_of(step.id) or 0
        same = index.exceptions.get((step.name, step.message), [])
        earlier = bisect_left(same, step.id, key=attrgetter("id"))
        if earlier and _is_passed_on(index, same[earlier - 1], step):
            if way is None:
                yield message("story-raised-through", type=kind, line=line)
        elif text:
            yield message("story-raised", type=kind, line=line, message=text)
        else:
            yield message("story-raised-bare", type=kind, line=line)
    if way is not None:
        kind, function = way.exception.name or "?", way.calls[0].name or "?"
        yield message("story-raised-within", type=kind, function=function, line=index.line_of(way.exception.id) or 0)
        if way.count > 1:
            yield message("story-way-there", calls=_told(index, way))


def _told(index: Index, way: Way) -> list[Message]:
    def told(call: Step) -> Message:
        return message("phrase-call", line=index.line_of(call.parent) or 0, name=call.name or "?")

    if way.count <= MOST_CALLS:
        return [told(call) for call in way.calls[way.count - 1 :: -1]]
    outer, inner = way.calls[way.count - 1], way.calls[MOST_CALLS - 2 :: -1]
    return [told(outer), message("phrase-more-calls", count=way.count - MOST_CALLS), *map(told, inner)]


def _is_passed_on(index: Index, inner: Step, outer: Step) -> bool:
    """Whether the exception `inner` was raised within a call that the statement of the exception `outer` made."""
    around = inner.parent
    while around is not None and around != outer.parent:
        around = index.trace.steps[around].parent
    return around == outer.parent and inner.parent != outer.parent


def ways_out(index: Index) -> Ways:
    """Find the statements that an exception left through a call, and the `with suppress(...)` that caught an exception.

    An exception leaves a call if it leaves the call's last statement and no code between the two frames, such as `hasattr`,
    catches it.

    It is known that no such code caught the exception if it ended the run, if the next statement of the caller is an
    `except`, or if execution left a `with suppress(...)`.
    """
    ended = index.trace.ended.raised if isinstance(index.trace.ended, OutOfMemory) else index.trace.ended
    exceptions = [step for step in index.trace.steps if step.kind == "exception"]
    after = _After(index)
    passed_on: set[StepId] = set()
    ways = Ways()
    for exception in exceptions:
        statement = None if exception.id in passed_on else index.statement_of(exception.id)
        calls: list[Step] = []
        statements: list[Step] = []
        last, catcher = exception, None if statement is None else after.catcher(statement, exception)
        while (
            catcher is None and statement is not None and statement.id not in after.following and statement.parent is not None
        ):
            call = index.trace.steps[statement.parent]
            outer = index.statement_of(call.parent) if call.kind == "call" and call.parent is not None else None
            if outer is None or outer.id in ways.out:
                break
            *_, before, end = [call, *index.children[outer.id][-2:]]
            if end.id != call.id:  # code that ran during unwinding makes the trace record the exception again
                if before.id != call.id or not _is_same(exception, end):
                    break
                last = end
                passed_on.add(end.id)
            calls.append(call)
            statements.append(outer)
            statement, catcher = outer, after.catcher(outer, exception)
            if catcher is not None and not after.is_called_by_name(outer, call):
                statements, catcher = [], None
                break
        if catcher is not None:
            ways.suppressed[catcher.id] = exception
        following = after.following.get(statements[-1].id) if statements else None
        is_end = isinstance(ended, Raised) and last is exceptions[-1] and following is None
        if statements and (catcher is not None or is_end or after.text(following).startswith("except")):
            ways.out.update((each.id, Way(exception, calls, place + 1)) for place, each in enumerate(statements))
    return ways


def _is_same(one: Step, other: Step) -> bool:
    return (one.kind, one.name, one.message) == (other.kind, other.name, other.message)


class _After:
    """For each statement, the statement that ran next in the same frame.

    Python traces a `with` line a second time at its exit; these steps are kept separately.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self.following: dict[StepId, Step] = {}
        self._left: dict[StepId, list[Step]] = {}
        last: dict[StepId | None, Step] = {}
        for step in index.trace.steps:
            if step.kind != "statement":
                continue
            before = last.get(step.parent)
            if before is not None and _line(step) < _line(before) and self.text(step).startswith("with"):
                self._left.setdefault(before.id, []).append(step)
                continue
            if before is not None:
                self.following[before.id] = step
            last[step.parent] = step

    def catcher(self, statement: Step, exception: Step) -> Step | None:
        """The `with suppress(...)` that ended right after a statement and names the exception's class.

        None if no such `with` exists.
        """
        return next((each for each in self._left.get(statement.id, []) if self._names(each, exception.name or "?")), None)

    def _names(self, left: Step, kind: str) -> bool:
        match = _SUPPRESS.match(self.text(left))
        named = {each.strip() for each in match[1].split(",")} if match else set()
        return kind in named or ("Exception" in named and kind not in _NEVER_MEANT)

    def is_called_by_name(self, statement: Step, call: Step) -> bool:
        """Whether the statement calls the function by name.

        If the function was called indirectly, for example by `hasattr`, the code in between may have caught the exception.
        """
        name = (call.name or "?").rpartition(".")[2]
        return re.search(rf"\b{re.escape(name)}\(", self.text(statement)) is not None

    def text(self, statement: Step | None) -> str:
        """The source line on which a statement begins."""
        span = None if statement is None else statement.span
        return "" if span is None else self._index.text_at(span.line, span.file).strip()


def _line(statement: Step) -> int:
    return 0 if statement.span is None else statement.span.line
