"""Finds leaves with a gradient of zero in every backward, and the Node at which it becomes zero."""

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.optimizers import last_stepped
from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.query import read
from app.trace.records import Cells, Contents, Gradient, NodeId, StepId, Summary, TensorId

MOST_NODES = 200
"""Maximum number of Nodes that are examined on the way from a leaf towards the root."""

MOST_LEAVES = 20
"""Maximum number of examined leaves."""

MOST_SHARERS = 20
"""Maximum number of Tensors on one memory that are searched for a Parameter."""

FEWEST = 2
"""Minimum number of backwards.

With weights initialized to 0 on purpose, other weights get a gradient only from the second step on.
"""

_RANGES = {
    "ClampBackward": "clamp",
    "ClampMinBackward": "clamp",
    "ClampMaxBackward": "clamp",
    "HardtanhBackward": "hardtanh",
    "ReluBackward": "relu",
    "ThresholdBackward": "threshold",
}
"""Functions that are constant in a part of their range, by the name of their Node without its final digits."""

MOST_INACTIVE = 32
"""Maximum number of elements of a ReLU that may all be inactive by chance, in a small layer or a small batch."""

_PRODUCTS = ("AddmmBackward", "MmBackward", "BmmBackward", "MvBackward", "ConvolutionBackward")


@finder(after=["find_zero_gradient"])
def find_vanished(reading: Reading) -> Iterator[Finding]:
    """A warning for each Node at which the gradients of an optimizer's leaves become 0 in every backward."""
    left, trained = _always_zero(reading)
    told: set[tuple[Line, str]] = {(finding.line or 0, "") for finding in reading.found_by("find_zero_gradient")}
    for leaf, gradient in islice(left.items(), MOST_LEAVES):
        found = _vanishing(reading, gradient)
        statement = reading.statement_of(gradient.step)
        if found is None or statement is None or (reading.line_of(statement.id) or 0, "") in told:
            continue
        how, name, maker, node = found
        if how == "relu" and len(left) < trained and _elements(reading, node) <= MOST_INACTIVE:
            continue
        place = reading.line_of(maker) or 0, how
        if place in told:
            continue
        told.add(place)
        arguments: Arguments = {
            "how": how,
            "name": reading.name_of(leaf) or "none",
            "others": len(left) - 1,
            "by": name or "none",
            "maker_line": reading.line_of(maker) or 0,
        }
        steps = [maker, statement.id]
        yield reading.finding("vanished_gradient", steps, left, arguments, severity="warning")


def _always_zero(reading: Reading) -> tuple[dict[TensorId, Gradient], int]:
    """The leaves of optimizers to which several backwards sent only zeros, and the number of all leaves with a gradient."""
    found: dict[TensorId, Gradient] = {}
    others: set[TensorId] = set()
    counts: dict[TensorId, int] = defaultdict(int)
    held = {leaf for _, _, leaves, _ in last_stepped(reading) for leaf in leaves}
    for node in reading.trace.nodes if held else []:
        leaf = node.variable
        if leaf is None or leaf not in held:
            continue
        for gradient in reading.gradients_to.get(node.id, []):
            counts[leaf] += 1
            found[leaf] = gradient
            others |= set() if _is_zero(gradient.value) else {leaf}
    left = {leaf: gradient for leaf, gradient in found.items() if leaf not in others and counts[leaf] >= FEWEST}
    return left, len(found)


def _is_zero(value: Contents) -> bool:
    match value:
        case Cells(values=values):
            return bool(values) and not any(each not in (0, -0.0) for each in values)
        case Summary(min=low, max=high, nan_count=0, inf_count=0):
            return low == 0 == high
    return False


def _elements(reading: Reading, node: NodeId) -> int:
    """The number of elements of the largest result of a Node that is still known; 0 if none is."""
    born = [(each, reading.trace.tensors[each].born) for each in reading.results.get(node, [])]
    shapes = [geometry.shape for each, tick in born if (geometry := reading.geometry_at(each, tick)) is not None]
    return max(map(math.prod, shapes), default=0)


def _vanishing(reading: Reading, gradient: Gradient) -> tuple[str, str, StepId | None, NodeId] | None:
    """How a gradient became 0, the tensor involved, the step that created the Node, and the Node; None if no known reason is
    confirmed."""
    seen: set[NodeId] = set()
    pending = [gradient]
    while pending and len(seen) < MOST_NODES:
        node = pending.pop().node
        if node is None or node in seen:
            continue
        seen.add(node)
        came = [
            each
            for each in reading.gradients_to.get(node, [])
            if reading.statement_of(each.step) == reading.statement_of(gradient.step)
        ]
        if all(_is_zero(each.value) for each in came):
            pending += came
            continue
        found = _reason(reading, node, came)
        if found is not None:
            return (*found, reading.trace.nodes[node].made_by, node)
    return None


def _reason(reading: Reading, node: NodeId, came: list[Gradient]) -> tuple[str, str] | None:
    """Why a Node that received a nonzero gradient sent zeros; None if unknown."""
    name = reading.trace.nodes[node].name.rstrip("0123456789")
    if name in _RANGES:
        return _RANGES[name], next((named for each in reading.results.get(node, []) if (named := reading.name_of(each))), "")
    if name in _PRODUCTS:
        for saved in reading.saved_by.get(node, []):
            weights = [
                each
                for each in reading.tensors_on.get(saved.geometry.storage, [])[:MOST_SHARERS]
                if reading.trace.tensors[each].type == "Parameter"
            ]
            shown = read(reading.trace, saved.geometry, came[0].tick) if weights else None
            if isinstance(shown, list) and shown and not any(shown):
                return "product", reading.name_of(weights[0])
    return None
