"""Finds a term of a loss that was cut from the graph. Such a term changes the value of the loss, but no gradient."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from app.explain.finding import Arguments, Finding, Severity, finder
from app.explain.findings.mismatch import clipped
from app.explain.reading.provenance import Cut, cut_by, provenance, provenance_of_value, value_of
from app.explain.reading.reading import Reading
from app.explain.reading.ways import roots_after
from app.trace.records import Step, TensorId, Tick

MOST_BACKWARDS = 8
"""Maximum number of backwards to examine."""

MOST_TERMS = 10
"""Maximum number of examined terms of one sum."""

_TOLD_ELSEWHERE = ("other", "rewrapped", "comparison", "integer", "gradient", "checkpoint")
"""Cuts that other findings report, or whose kind is unknown."""

MOST_SUMS = 3
"""Maximum number of examined consecutive statements that add to a loss."""


@finder()
def find_constant_term(reading: Reading) -> Iterator[Finding]:
    """A warning for each term without a graph; a hint if `detach()` cut the term, because some programs do that on purpose."""
    told: set[ast.expr] = set()
    for backward, root in roots_after(reading, Tick(-1), MOST_BACKWARDS):
        for term, step in _terms(reading, root):
            cut = None if term in told else _cut(reading, term, step)
            if cut is None:
                continue
            told.add(term)
            arguments: Arguments = {
                "term": clipped(reading.syntax.text_of(term)),
                "how": cut.how,
                "cut_line": reading.line_of(cut.step.id) or 0,
                "sum_line": reading.line_of(step.id) or 0,
            }
            severity: Severity = "hint" if cut.how == "detach" else "warning"
            steps = [cut.step.id, step.id, backward.id]
            yield reading.finding("constant_term", steps, [root], arguments, severity=severity)


def _terms(reading: Reading, root: TensorId) -> Iterator[tuple[ast.expr, Step]]:
    """The terms of a loss that the snippet writes as a sum, each with the step of its sum."""
    for _ in range(MOST_SUMS):
        maker = reading.trace.tensors[root].made_by
        step = None if maker is None else reading.trace.steps[maker]
        piece = None if step is None else reading.node_at(step.span)
        value = None if piece is None else value_of(piece)
        if step is None or not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add | ast.Sub):
            return
        pending: list[ast.expr] = [value]
        terms: list[ast.expr] = []
        while pending and len(terms) < MOST_TERMS:
            match pending.pop():
                case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
                    pending += [right, left]
                case ast.expr() as term:
                    terms.append(term)
        yield from ((term, step) for term in terms)
        tensors = [reading.tensor_of(term, step) for term in terms]
        tracked = [each for each in tensors if each is not None and reading.requires_grad(each, step.began)]
        if not tracked:
            return
        root = tracked[0]


def _cut(reading: Reading, term: ast.expr, step: Step) -> Cut | None:
    """The cut that turned a tensor with a graph into a term without a graph; None for other terms."""
    tensor = reading.tensor_of(term, step)
    if tensor is not None:
        return None if reading.requires_grad(tensor, step.began) else _whole(reading, provenance(reading, tensor).cut)
    named = list(reading.first_named(term, step))
    if any(reading.requires_grad(each, step.began) for _, each in named):
        calls = reading.syntax.calls_in(term)
        return _whole(reading, cut_by(reading, None, term, step, named)) if "item" in calls or "float" in calls else None
    for variable in reading.syntax.names_in(term):
        if reading.named(variable, step.frame, step.began) is None:
            found = provenance_of_value(reading, variable, step).cut
            if found is not None:
                return _whole(reading, found)
    return None


def _whole(reading: Reading, cut: Cut | None) -> Cut | None:
    """The cut; a missing kind is taken from the attributes in the statement. None if other findings report the cut."""
    if cut is not None and cut.how == "other":
        attributes = reading.syntax.attributes_in(reading.statement_ran_by(cut.step.id))
        cut = replace(cut, how=next((how for how in ("data", "detach", "item") if how in attributes), "other"))
    return None if cut is None or cut.how in _TOLD_ELSEWHERE else cut
