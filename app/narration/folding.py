"""Shortens a long story: of repeated calls and sentences, it keeps the first ones and replaces the others by their number."""

from collections import Counter
from collections.abc import Iterator

from app.narration.message import message
from app.narration.statement import Told
from app.trace.index import Index
from app.trace.records import Span, Step, StepId

MOST_CALLS = 8
"""Maximum number of calls of one function by one statement. `gradcheck` calls its function twice for each element."""
MOST_OF_A_KIND = 40
"""Maximum number of lines of one kind under one statement."""
_ALWAYS = "transcript-printed"

_Call = tuple[StepId | None, str | None, Span | None]
"""The calling statement, the name of the function, and its span."""


def folded(index: Index, story: Iterator[tuple[Step | None, list[Told]]]) -> Iterator[tuple[Step | None, list[Told]]]:
    """The story, with a number in place of repeated calls and sentences. Calls that raised an exception are not replaced."""
    left_out = _calls_left_out(index)
    counts = Counter(call for step, call in enumerate(left_out) if call is not None and _call(index, step) == call)
    counted: set[_Call] = set()
    for step, told in story:
        call = None if step is None else left_out[step.id]
        if call is None:
            yield step, _few_of_a_kind(told)
        elif call not in counted:
            counted.add(call)
            line = index.line_of(call[0]) or 0
            yield None, [Told([message("transcript-more-calls", count=counts[call], name=call[1] or "?", line=line)])]


def _calls_left_out(index: Index) -> list[_Call | None]:
    """For each step, the outermost folded call around the step; None if the step stays in the story."""
    raised = _calls_that_raised(index)
    seen: Counter[_Call] = Counter()
    found: list[_Call | None] = []
    for step in index.trace.steps:  # a parent precedes its children in this list
        inherited = None if step.parent is None else found[step.parent]
        if inherited is None and (call := _call(index, step.id)) is not None:
            seen[call] += 1
            inherited = call if seen[call] > MOST_CALLS and step.id not in raised else None
        found.append(inherited)
    return found


def _call(index: Index, step: StepId | int) -> _Call | None:
    record = index.trace.steps[step]
    return (
        (index.statement_ids[record.parent], record.name, record.span)
        if record.kind == "call" and record.parent is not None
        else None
    )


def _calls_that_raised(index: Index) -> set[StepId]:
    found: set[StepId] = set()
    for step in index.trace.steps:
        around = step.parent if step.kind == "exception" else None
        while around is not None and around not in found:
            found.add(around)
            around = index.trace.steps[around].parent
    return found


def _few_of_a_kind(told: list[Told]) -> list[Told]:
    if len(told) <= MOST_OF_A_KIND:
        return told
    kinds = [tuple(sentence.id for sentence in each.sentences) for each in told]
    counts, seen, kept = Counter(kinds), Counter[tuple[str, ...]](), list[Told]()
    for each, kind in zip(told, kinds, strict=True):
        seen[kind] += 1
        if seen[kind] <= MOST_OF_A_KIND or kind == (_ALWAYS,):
            kept.append(each)
        elif seen[kind] == counts[kind]:
            kept.append(Told([message("transcript-more-lines", count=counts[kind] - MOST_OF_A_KIND)]))
    return kept
