"""Sentences about the program: its modes, the values of variables, its output."""

import re
from collections.abc import Iterator

from app.narration.facts import Facts
from app.narration.message import Message, message
from app.narration.pointers import Pointers
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import NATIVE, FrameId, Held, Step, StepId

_METHODS = ("staticmethod", "classmethod")
"""The types of objects that `def` creates under these decorators. The story omits such objects, like functions."""

_TOLD = ("value", "collection", "array", "object")
"""The kinds of values that the story describes.

Functions, classes and modules need no description, because the line itself shows the object.
"""


def modes(index: Index, step: Step) -> list[Message]:
    """Sentences about modes such as `no_grad` that stay active after a statement, and about grad mode being on again."""
    goes_on = index.goes_on_with.get(step.id, step)
    found = [mode for mode in _modes(step) if goes_on is step or mode in _modes(goes_on)]
    return found if _records(step) or not _records(goes_on) else [message("story-recording-again"), *found]


def _records(step: Step) -> bool:
    return step.grad_enabled and not step.inference


def _modes(step: Step) -> list[Message]:
    found: list[Message] = []
    if step.inference:
        found.append(message("mode-inference-means"))
    elif not step.grad_enabled:
        found.append(message("mode-grad-off-means"))
    if step.autocast:
        found.append(message("mode-autocast-means", dtype=step.autocast_dtype or "?"))
    if step.anomaly:
        found.append(message("mode-anomaly-means"))
    if step.saved_tensors_hooks is not None:
        found.append(message("mode-hooks-means" if step.saved_tensors_hooks == "active" else "mode-no-hooks-means"))
    if step.other_threads:
        found.append(message("mode-threads-means"))
    if step.substituted is not None:
        found.append(message(f"mode-{step.substituted}-means"))
    return found


def calls_begun(index: Index) -> dict[StepId, Message]:
    """The sentence about each call, by the first statement in the called function.

    The body of a class gets no sentence, although Python runs the body like a call.
    """
    begun: dict[StepId, Message] = {}
    seen: set[FrameId] = set()
    for step in index.trace.steps:
        if step.kind != "statement" or step.frame is None or step.frame in seen:
            continue
        seen.add(step.frame)
        call = None if step.parent is None else index.trace.steps[step.parent]
        if call is None or call.kind != "call":
            continue
        frame = index.trace.frames[step.frame]
        caller = None if call.parent is None else index.trace.steps[call.parent]
        line, place = index.line_of(call.parent) or 0, index.place_of(call.parent)
        is_here = place is not None and (place.line, place.file) == (frame.line, frame.file)
        if is_here and re.match(r"\s*(class\b|@)", index.text_at(frame.line, frame.file)):
            continue
        is_by_node = caller is not None and caller.kind == "node"
        again = "yes" if call.span is None else "no"
        begun[step.id] = message("story-called", name=frame.function, line=0 if is_by_node else line, again=again)
    return begun


def bound(index: Index, facts: Facts) -> Iterator[tuple[Message, str | None]]:
    """New values of variables other than Tensors, each with the known items of a collection."""
    for variable, tick in [] if facts.step is None or _goes_on(index, facts.step) else facts.bound:
        held = value_at(variable.value, tick)
        if held is not None and held.kind in _TOLD and held.type not in _METHODS and variable.name != "self":
            name = index.in_frame(variable.name, variable.frame)
            yield _holds(name, held), held.text if held.kind == "collection" and held.length else None


def _goes_on(index: Index, step: Step) -> bool:
    """Whether a generator resumes with this statement.

    No sentence is needed about its variables, which did not change in between.
    """
    call = None if step.parent is None else index.trace.steps[step.parent]
    is_resumed = call is not None and call.kind == "call" and call.span is None
    return is_resumed and index.children[step.parent][0].id == step.id


def _holds(name: str, held: Held) -> Message:
    if held.text is None:
        is_long = held.kind == "value" and held.length is not None
        return message("transcript-digits", name=name, count=held.length or 0) if is_long else _object(name, held)
    if held.kind == "object":
        return _object(name, held)
    return message(f"story-holds-{held.kind}", name=name, type=held.type, text=held.text, count=held.length or 0)


def _object(name: str, held: Held) -> Message:
    return message("story-holds-object", name=name, type=held.type)


def put_out(facts: Facts, pointers: Pointers) -> Iterator[Message]:
    """The printed lines, each followed by explanations of the addresses in the line; and each warning as one sentence."""
    for output in facts.outputs:
        lines = output.text.splitlines()
        if output.stream == "warning":
            whole = " ".join(line.strip() for line in lines if line.strip())
            yield message("story-warned", category=output.category or "Warning", text=whole)
            continue
        if output.category == NATIVE and lines:
            yield message("story-native-output")
        for line in lines:
            yield message("transcript-printed", text=line)
            yield from pointers.of(line, output.tick, facts.until)
