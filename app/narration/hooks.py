"""Sentences about the registration of hooks, and about `retain_grad()`."""

from collections.abc import Iterator

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.narration.phrases import called, code, grad_label
from app.trace.index import Index
from app.trace.query import value_at


def put_on(index: Index, facts: Facts) -> Iterator[Message]:
    """Sentences for each hook that a statement registered, and for each tensor on which the statement called `retain_grad()`."""
    for hook in facts.hooks:
        name = called(index, hook.tensor, facts.until)
        function = "none" if hook.function in (None, "<lambda>") else str(hook.function)
        if hook.kind == "gradient":
            yield message("story-hook", name=name, function=function)
            continue
        path = grad_label(index, hook.tensor, facts.until)
        grad = code(path) if path else message("phrase-its-grad")
        if hook.kind == "accumulated":
            yield message("story-hook-accumulated", name=name, grad=grad, function=function)
        else:
            is_leaf = value_at(index.trace.tensors[hook.tensor].is_leaf, hook.tick) is True
            yield message("story-retain-leaf" if is_leaf else "story-retain", name=name, grad=grad)
