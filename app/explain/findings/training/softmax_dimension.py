"""Finds log-probabilities that a loss reads row by row, although the probabilities sum to 1 along the columns."""

import math
from collections.abc import Iterator

from app.explain.finding import Arguments, Finding, finder
from app.explain.reading.reading import Reading
from app.trace.index import Line
from app.trace.query import elements, value_at
from app.trace.records import GradFn, Node, TensorId, Unknown

MOST_LOSSES = 20
"""Maximum number of examined losses. The values of each are summed."""

MOST_ELEMENTS = 2_000
"""Maximum number of elements of a loss's input. Larger inputs are not examined."""


@finder()
def find_softmax_dimension(reading: Reading) -> Iterator[Finding]:
    """A warning for each line that computes a loss from log-probabilities of columns."""
    lines: set[Line | None] = set()
    looked = 0
    for node in reading.trace.nodes:
        line = reading.line_of(node.made_by)
        if node.name != "NllLossBackward0" or line in lines or looked == MOST_LOSSES:
            continue
        looked += 1
        fed = node.edges[0] if node.edges else None
        applied = None if fed is None else reading.trace.nodes[fed.node]
        tensor = None if applied is None or applied.name != "LogSoftmaxBackward0" else _along_columns(reading, applied)
        if applied is None or tensor is None:
            continue
        lines.add(line)
        arguments: Arguments = {
            "name": reading.name_of(tensor) or "none",
            "applied_line": reading.line_of(applied.made_by) or 0,
            "line": line or 0,
        }
        steps = [applied.made_by, node.made_by]
        yield reading.finding("softmax_dimension", steps, [tensor], arguments, severity="warning")


def _along_columns(reading: Reading, applied: Node) -> TensorId | None:
    """The log-probabilities that a Node computed, if the probabilities sum to 1 in each column but in no row; else None."""
    for tensor in reading.results.get(applied.id, []):
        record = reading.trace.tensors[tensor]
        geometry = value_at(record.geometry, record.born)
        is_its = any(isinstance(fn, GradFn) and fn.node == applied.id for _, fn in record.grad_fn)
        if geometry is None or not is_its or len(geometry.shape) != 2 or math.prod(geometry.shape) > MOST_ELEMENTS:
            continue
        values = elements(reading.trace, tensor, record.born)
        if isinstance(values, Unknown) or not all(isinstance(value, int | float) for value in values):
            continue
        rows, columns = geometry.shape
        numbers = [math.exp(min(float(value), 1.0)) for value in values if isinstance(value, int | float)]
        across = [sum(numbers[row * columns : (row + 1) * columns]) for row in range(rows)]
        down = [sum(numbers[column::columns]) for column in range(columns)]
        if rows > 1 and all(abs(each - 1) < 1e-3 for each in down) and not any(abs(each - 1) < 1e-2 for each in across):
            return tensor
    return None
