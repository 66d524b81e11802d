"""Checks a question from an untrusted client, and adds the legal and correct answers and a list of names to choose from."""

import msgspec

from app.questions.asked import Asked, Question
from app.questions.truth import asked
from app.trace.index import Index


class Posed(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its legal and correct answers, and the names to choose from if the answer is a name."""

    asked: Asked
    names: list[str]


def posed(index: Index, question: Question) -> Posed | None:
    """The question with its answers; None if the trace does not show the answer, or if an id in the question does not exist."""
    if not _is_there(index, question):
        return None
    found = asked(index, question)
    if found is None:
        return None
    is_name = found.legal.form == "name"
    return Posed(asked=found, names=sorted({node.name for node in index.trace.nodes}) if is_name else [])


NEEDED = {
    "sends": ("node", "edge"),
    "grad": ("tensor",),
    "value": ("storage", "cell"),
    "version": ("counter",),
    "grad_fn": ("tensor",),
    "culprit": ("saved",),
}
"""The ids that a kind of question needs. Other kinds need no ids."""


def _is_there(index: Index, question: Question) -> bool:
    if any(getattr(question, name) is None for name in NEEDED.get(question.kind, ())):
        return False
    trace = index.trace
    named = (
        (question.node, trace.nodes),
        (question.tensor, trace.tensors),
        (question.storage, trace.storages),
        (question.counter, trace.version_counters),
        (question.saved, trace.saved_tensors),
    )
    are_there = all(number is None or 0 <= number < len(table) for number, table in named)
    return are_there and 0 <= question.after <= question.until and (question.cell is None or question.cell >= 0)
