"""Which questions can be asked about what runs between two moments, the best first. As `static/js/run/questions/questions.js`."""

from collections.abc import Iterator

from app.questions.asked import Asked, Question
from app.questions.truth import asked, cells_at, changed_cells, is_there, named_at, runs_between, spoilt_by
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import GradFn, StorageId, Tick

MOST = 3
"""Questions of one kind."""

RANDOM = ("rand", "normal", "uniform", "bernoulli", "multinomial", "dropout", "exponential", "empty")
"""Parts of the names of operators with random values."""


def questions_between(index: Index, after: int, until: int) -> list[Asked]:
    """The questions with a truth, about the run after the tick `after` and up to `until`."""
    found = (asked(index, question) for question in _asking(index, after, until))
    return [each for each in found if each is not None]


def _asking(index: Index, after: int, until: int) -> Iterator[Question]:
    is_first = not any(step.kind == "statement" and step.ended is not None and step.ended < after for step in index.trace.steps)
    if is_first:
        yield Question(kind="raising_line", after=after, until=until)
    yield from _of_stale(index, after, until)
    yield from _of_nodes(index, after, until)
    yield from _of_grads(index, after, until)
    yield from _of_writes(index, after, until)
    yield from _of_new(index, after, until)
    yield Question(kind="raises", after=after, until=until)


def _of_stale(index: Index, after: int, until: int) -> Iterator[Question]:
    """The first saved tensor that a Node needs which runs now, and that was written before."""
    began = {step.node: step.began for step in index.trace.steps if step.kind == "node" and after < step.began <= until}
    for saved in index.trace.saved_tensors:
        if saved.node in began and spoilt_by(saved, began[saved.node]) is not None:
            yield Question(kind="culprit", after=after, until=until, saved=saved.id)
            return


def _of_nodes(index: Index, after: int, until: int) -> Iterator[Question]:
    runs = runs_between(index, after, until)
    if runs:
        yield Question(kind="node", after=after, until=until)
    if len(runs) != 1:
        return
    for gradient in index.trace.gradients:
        if gradient.node == runs[0].node and gradient.edge is not None and after < gradient.tick <= until:
            yield Question(kind="sends", after=after, until=until, node=gradient.node, edge=gradient.edge)
            return


def _of_grads(index: Index, after: int, until: int) -> Iterator[Question]:
    """Of leaves that received a gradient, and of the first named Tensor that is none: `y.grad` is None."""
    named = named_at(index, until)
    received = [index.leaf_of(step.node) for step in runs_between(index, after, until)]
    leaves = [tensor for tensor in named if tensor in received]
    for tensor in leaves[:MOST]:
        yield Question(kind="grad", after=after, until=until, tensor=tensor)
    for tensor in named if leaves else []:
        record = index.trace.tensors[tensor]
        if value_at(record.requires_grad, Tick(until)) is True and value_at(record.is_leaf, Tick(until)) is False:
            yield Question(kind="grad", after=after, until=until, tensor=tensor)
            return


def _of_writes(index: Index, after: int, until: int) -> Iterator[Question]:
    changed = changed_cells(index, after, until)
    if changed is not None and not changed:
        return
    yield Question(kind="counter", after=after, until=until)
    if changed is None:
        return
    yield Question(kind="cell", after=after, until=until)
    for storage, places in [] if _is_random(index, after, until) else list(changed.items())[:MOST]:
        yield Question(kind="value", after=after, until=until, storage=storage, cell=places[0] if places else 0)
    counters = []
    for tensor in named_at(index, after):
        record = index.trace.tensors[tensor]
        geometry, counter = value_at(record.geometry, Tick(after)), value_at(record.version_counter, Tick(after))
        is_written = geometry is not None and geometry.storage in changed
        if is_written and isinstance(counter, int) and counter not in counters and is_there(record.born, record.died, until):
            counters.append(counter)
    for counter in counters[:MOST]:
        yield Question(kind="version", after=after, until=until, counter=counter)


def _of_new(index: Index, after: int, until: int) -> Iterator[Question]:
    """Of the named Tensors that are new, or have another `grad_fn`."""
    if _is_random(index, after, until):
        return
    named = named_at(index, until)
    seen: set[StorageId] = set()
    for tensor in named:
        geometry = value_at(index.trace.tensors[tensor].geometry, Tick(until))
        if geometry is None or geometry.storage is None or geometry.storage_offset is None or len(seen) == MOST:
            continue
        cells = cells_at(index, geometry.storage, until)
        is_new = after < index.trace.storages[geometry.storage].born <= until and geometry.storage not in seen
        if is_new and cells is not None and geometry.storage_offset < len(cells.values):
            seen.add(geometry.storage)
            yield Question(kind="value", after=after, until=until, storage=geometry.storage, cell=geometry.storage_offset)
    differing = [tensor for tensor in named if _grad_fn(index, tensor, after) != _grad_fn(index, tensor, until)]
    for tensor in differing[:MOST]:
        yield Question(kind="grad_fn", after=after, until=until, tensor=tensor)


def _grad_fn(index: Index, tensor: int, tick: int) -> object:
    """The Node that is the grad_fn; "" for a Tensor that is not there yet."""
    record = index.trace.tensors[tensor]
    found = value_at(record.grad_fn, Tick(tick))
    return "" if record.born > tick else found.node if isinstance(found, GradFn) else None


def _is_random(index: Index, after: int, until: int) -> bool:
    """Whether an operator with random values ran in between."""
    names = (step.name or "" for step in index.trace.steps if step.kind == "operator" and after < step.began <= until)
    return any(word in name for name in names for word in RANDOM)
