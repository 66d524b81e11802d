"""Finds the code that switched gradients off: the last statement, in any frame, that began while gradients were on."""

import ast
from bisect import bisect_left
from dataclasses import dataclass
from operator import attrgetter

from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.trace.records import Step

_BLOCKS = ("no_grad", "inference_mode", "set_grad_enabled")


@dataclass(frozen=True, slots=True)
class Switch:
    """A `with` statement, a decorator or a call of `set_grad_enabled`: its source text, and the statement that ran it."""

    how: str
    text: str
    line: int
    step: Step
    node: ast.expr


def switch_before(reading: Reading, step: Step) -> Switch | None:
    """The code of the snippet because of which gradients were off when a step began.

    None if torch switched gradients off itself, for example in the `forward` of a custom Function.
    """
    begun = reading.begun
    place = bisect_left(begun, step.began, key=attrgetter("began"))
    on = reading.last_with_grad[place - 1] if place else None
    if on is None:
        return None
    first = begun[on]
    after = begun[on + 1] if on + 1 < len(begun) and begun[on + 1].began <= step.began else None
    statement = None if first.span is None else reading.syntax.statement_at(first.span)
    if isinstance(statement, ast.With | ast.AsyncWith):
        for item in statement.items:
            if last_name(item.context_expr) in _BLOCKS:
                text = reading.syntax.text_of(item.context_expr)
                return Switch("with", text, item.context_expr.lineno, first, item.context_expr)
    decorated = _decorated(reading, after) if after is not None and after.frame != first.frame else None
    return decorated or _called(reading, statement, first)


def is_in_function(reading: Reading, step: Step) -> bool:
    """Whether a step ran in the `forward` of a `torch.autograd.Function`, where gradients are off in any case.

    The frame of `forward` is recognized by its name, and by gradients that were on in the caller and off in its first
    statement without a decorator.
    """
    frame = step.frame
    while frame is not None and (ran := reading.statements_in.get(frame)):
        call = reading.callers.get(frame)
        caller = None if call is None else reading.statement_of(call)
        if ran[0].grad_enabled or ran[0].inference or caller is None:
            return False
        if caller.grad_enabled:
            record = reading.trace.frames[frame]
            return record.function.endswith("forward") and _decorated(reading, ran[0]) is None
        frame = caller.frame
    return False


def _called(reading: Reading, statement: ast.stmt | None, step: Step) -> Switch | None:
    is_plain = isinstance(statement, ast.Expr | ast.Assign)
    calls = reading.syntax.calls_in(statement).get("set_grad_enabled", []) if is_plain else []
    return Switch("call", reading.syntax.text_of(calls[0]), calls[0].lineno, step, calls[0]) if len(calls) == 1 else None


def _decorated(reading: Reading, first: Step) -> Switch | None:
    """The decorator of the function that begins with this statement."""
    line = None if first.frame is None else reading.trace.frames[first.frame].line
    for node in reading.syntax.functions_at(line):
        for decorator in node.decorator_list:
            if last_name(decorator) in _BLOCKS:
                return Switch("decorator", reading.syntax.text_of(decorator), decorator.lineno, first, decorator)
    return None
