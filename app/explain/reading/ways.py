"""Paths from a result back to the tensors from which it was computed, including paths that autograd did not record."""

import ast
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import attrgetter

from app.explain.reading.backward_calls import backward_in
from app.explain.reading.graph_walks import below
from app.explain.reading.provenance import Cut, cut_by, value_of, values_in
from app.explain.reading.reading import Reading
from app.trace.query import MODULE, end_of, value_at
from app.trace.records import GradFn, NodeId, Step, TensorId, Tick

MOST_LINKS = 300
"""Maximum number of expressions that one search examines. Inputs that are further back are unknown."""


MOST_CALLS = 100
"""Maximum number of functions called by one statement that are searched for their results."""


@dataclass(frozen=True, slots=True)
class Link:
    """A run of an expression: the created Tensor (None for a number, array or list), and the Link that used this result."""

    made: TensorId | None
    piece: ast.AST
    step: Step
    user: "Link | None"


@dataclass(slots=True)
class Ways:
    """The direct and indirect inputs of a Tensor, each with the Link that used it, the nearest first."""

    used: dict[TensorId, Link] = field(default_factory=dict)
    whole: bool = True
    """Whether the search followed every path to a tensor without inputs."""


def ways_back(reading: Reading, root: TensorId) -> Ways:
    """The direct and indirect inputs from which a Tensor was computed."""
    found = Ways()
    pending: deque[Link] = deque(_maker(reading, root, None, found))
    seen: set[tuple[int, int]] = set()
    while pending:
        link = pending.popleft()
        if (link.step.id, id(link.piece)) in seen:
            continue
        seen.add((link.step.id, id(link.piece)))
        if len(seen) > MOST_LINKS:
            found.whole = False
            break
        for tensor in _inputs(reading, link, found):
            if tensor not in found.used:
                found.used[tensor] = link
                pending += _maker(reading, tensor, link, found)
        for variable in values_in(reading, link.piece, link.step):
            definition = reading.defined_by(variable, link.step)
            if definition is not None:
                pending.append(Link(None, value_of(definition[0]), definition[1], link))
    return found


def cut_on_the_way(reading: Reading, ways: Ways, tensor: TensorId) -> Cut | None:
    """The first expression that used a Tensor that requires grad, or a result of this Tensor, and returned a Tensor that does
    not require grad."""
    link = ways.used.get(tensor)
    before = tensor
    while link is not None:
        if not reading.requires_grad(before, link.step.began):
            return None
        if link.made is None or not reading.requires_grad(link.made, reading.trace.tensors[link.made].born):
            return cut_by(reading, link.made, link.piece, link.step, [(reading.name_of(before), before)])
        before, link = link.made, link.user
    return None


def leads_to(reading: Reading, roots: list[TensorId], tick: Tick) -> set[NodeId]:
    """The Nodes that a backward from these Tensors would run."""
    made_by = [value_at(reading.trace.tensors[root].grad_fn, tick) for root in roots]
    return set(below(reading, [each.node for each in made_by if isinstance(each, GradFn)]))


def roots_after(reading: Reading, tick: Tick, most: int) -> Iterator[tuple[Step, TensorId]]:
    """The first `most` statements that ran a backward after a tick, each with the backward's root Tensor."""
    backwards = reading.backwards
    first = bisect_left(backwards, tick, key=attrgetter("began"))
    first -= first > 0 and end_of(backwards[first - 1]) > tick  # a backward that is running at `tick` also counts
    for place in range(first, min(first + most, len(backwards))):
        called = backward_in(reading, backwards[place])
        for root in [] if called is None else called.roots:
            tensor = reading.tensor_of(root, reading.ended(backwards[place]))
            if tensor is not None:
                yield backwards[place], tensor


def asked_late(reading: Reading, tensor: TensorId) -> Step | None:
    """The statement that made a Tensor require grad after its creation; None if there is none."""
    for (_, before), (tick, after) in pairwise(reading.trace.tensors[tensor].requires_grad):
        if after and not before:
            return reading.statement_at_tick(tick)
    return None


def _maker(reading: Reading, tensor: TensorId, user: Link | None, found: Ways) -> list[Link]:
    maker = reading.trace.tensors[tensor].made_by
    step = None if maker is None else reading.trace.steps[maker]
    piece = None if step is None else reading.node_at(step.span) or reading.statement_at(step)
    if step is None or piece is None:
        found.whole = False
        return []
    return [Link(tensor, value_of(piece), step, user)]


def _inputs(reading: Reading, link: Link, found: Ways) -> Iterator[TensorId]:
    """The Tensors that are operands of an expression: results of its subexpressions and of functions, and its variables."""
    returned = list(_returned(reading, link.step))
    yield from returned
    pending = list(reading.syntax.children_of(link.piece))
    if isinstance(link.piece, ast.Name | ast.Attribute | ast.Subscript):
        pending.append(link.piece)
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.expr):
            pending += reading.syntax.children_of(node)
            continue
        tensor = reading.tensor_of(node, link.step)
        if tensor is not None and tensor != link.made:
            yield tensor
            continue
        if returned and isinstance(node, ast.Call):  # arguments are found through the function's own statements
            found.whole = False
            continue
        path = reading.syntax.path_of(node)
        reached = list(_reached(reading, path, link.step)) if path else []
        yield from reached
        if not reached:
            pending += reading.syntax.children_of(node)


def _returned(reading: Reading, step: Step) -> Iterator[TensorId]:
    """The Tensors returned by functions of the snippet that the statement of `step` had called before `step` began."""
    statement = reading.statement_of(step.id)
    frames = [] if statement is None else reading.called_by(statement, step)
    for frame in islice(frames, MOST_CALLS):
        last = reading.statements_in.get(frame.id, [])[-1:]
        written = reading.statement_at(last[0]) if last else None
        value = written.value if isinstance(written, ast.Return) else None
        for node in value.elts if isinstance(value, ast.Tuple) else [] if value is None else [value]:
            tensor = reading.tensor_of(node, reading.ended(last[0]))
            if tensor is not None:
                yield tensor


def _reached(reading: Reading, path: str, step: Step) -> Iterator[TensorId]:
    """The Tensors reached through a path that leads to a module, a list or a dict."""
    variable = path.replace("[", ".").partition(".")[0]
    for scope in dict.fromkeys((step.frame, MODULE)):
        for name in reading.names_through(variable, scope):
            if name.path.startswith((f"{path}.", f"{path}[")):
                tensor = reading.tensor_at(name, step.began)
                if tensor is not None:
                    yield tensor
