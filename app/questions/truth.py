"""Finds the legal and the correct answers to a question in a trace, like `static/js/run/questions/truth.js`."""

from app.questions.asked import NONE, Answer, Asked, Legal, Question, Scalar
from app.trace.ends import Raised
from app.trace.index import Index
from app.trace.query import value_at
from app.trace.records import (
    Cells,
    SavedTensor,
    SavedTensorId,
    Step,
    StorageId,
    TensorId,
    Tick,
    Unknown,
    VersionCounterId,
    WriteId,
)


def asked(index: Index, question: Question) -> Asked | None:
    """The question with its legal and correct answers; None if the trace does not contain the answers."""
    truth = {
        "node": _node,
        "sends": _sends,
        "grad": _grad,
        "counter": _counter,
        "cell": _cell,
        "value": _value,
        "version": _version,
        "grad_fn": _grad_fn,
        "culprit": _culprit,
        "stale_by": _stale_by,
        "raises": _raises,
        "raising_line": _raising_line,
    }[question.kind](index, question)
    return None if truth is None else Asked(question=question, legal=truth[0], right=truth[1])


Truth = tuple[Legal, list[Answer]] | None


# --- autograd ---------------------------------------------------------------------------------------------------------


def runs_between(index: Index, after: int, until: int) -> list[Step]:
    """The runs of Nodes that began and ended between two ticks."""
    return [
        step
        for step in index.trace.steps
        if step.kind == "node"
        and step.node is not None
        and after < step.began
        and step.ended is not None
        and step.ended <= until
    ]


def _node(index: Index, question: Question) -> Truth:
    nodes = [node.id for node in index.trace.nodes if is_there(node.born, node.freed, question.after)]
    first = min(runs_between(index, question.after, question.until), key=lambda step: step.began, default=None)
    if first is None or first.node is None or first.node not in nodes:
        return None
    return Legal(form="node", nodes=nodes), [Answer(kind="node", node=first.node)]


def _sends(index: Index, question: Question) -> Truth:
    for gradient in index.trace.gradients:
        if (gradient.node, gradient.edge) != (question.node, question.edge):
            continue
        if question.after < gradient.tick <= question.until and isinstance(gradient.value, Cells) and gradient.value.values:
            return _of_number(gradient.value.values[0], gradient.value.dtype, has_none=True)
    return None


def _grad(index: Index, question: Question) -> Truth:
    tensor = None if question.tensor is None else index.trace.tensors[question.tensor]
    geometry = None if tensor is None else value_at(tensor.geometry, Tick(question.until))
    if tensor is None or geometry is None:
        return None
    grad = value_at(tensor.grad, Tick(question.until))
    if grad is None:
        return (Legal(form="number", dtype=geometry.dtype, has_none=True), [NONE]) if _is_real(geometry.dtype) else None
    found = first_element(index, grad, question.until)
    return None if found is None else _of_number(*found, has_none=True)


def _grad_fn(index: Index, question: Question) -> Truth:
    found = None if question.tensor is None else value_at(index.trace.tensors[question.tensor].grad_fn, Tick(question.until))
    if isinstance(found, Unknown):
        return None
    name = None if found is None else index.trace.nodes[found.node].name
    return Legal(form="name", has_none=True), [NONE if name is None else Answer(kind="name", name=name)]


def _culprit(index: Index, question: Question) -> Truth:
    saved = None if question.saved is None else index.trace.saved_tensors[question.saved]
    write = None if saved is None else spoilt_by(saved, Tick(question.until))
    place = None if write is None else index.place_of(index.trace.writes[write].step)
    if place is None or place.file is not None:
        return None
    return _of_lines(index), [Answer(kind="line", line=place.line)]


def spoilt_by(saved: SavedTensor, tick: Tick) -> WriteId | None:
    """The Write that made a saved tensor stale at or before a tick; None if the saved tensor is not stale at that tick.

    A Write that torch detects is preferred to a Write that torch does not detect.
    """
    outdated: WriteId | None = value_at(saved.outdated, tick)
    return value_at(saved.overwritten, tick) if outdated is None else outdated


def _stale_by(index: Index, question: Question) -> Truth:
    """Whether the saved tensor first became stale between the question's two ticks."""
    first = None if question.saved is None else first_stale(index, question.saved)
    if first is None:
        return None
    return Legal(form="whether"), [Answer(kind="whether", whether=question.after < first[0] <= question.until)]


def first_stale(index: Index, saved: SavedTensorId) -> tuple[Tick, WriteId] | None:
    """The tick at which a saved tensor first became stale, and the Write; None if the saved tensor never became stale."""
    record = index.trace.saved_tensors[saved]
    found = [(tick, write) for tick, write in (*record.outdated[:1], *record.overwritten[:1]) if write is not None]
    return min(found, default=None)


# --- memory -----------------------------------------------------------------------------------------------------------


def first_element(index: Index, tensor: TensorId, tick: int) -> tuple[Scalar, str] | None:
    """The first element of a Tensor, and its dtype; None if the element was not recorded."""
    geometry = value_at(index.trace.tensors[tensor].geometry, Tick(tick))
    if geometry is None or geometry.storage is None or geometry.stride is None or geometry.storage_offset is None:
        return None
    cells = cells_at(index, geometry.storage, tick)
    if cells is None or cells.dtype != geometry.dtype or geometry.is_neg or geometry.is_conj or 0 in geometry.shape:
        return None
    value = cells.values[geometry.storage_offset] if geometry.storage_offset < len(cells.values) else None
    return None if value is None or isinstance(value, tuple) else (value, cells.dtype)


def cells_at(index: Index, storage: StorageId, tick: int) -> Cells | None:
    """The cells of a storage; None if the cells were not recorded."""
    contents = value_at(index.trace.storages[storage].contents, Tick(tick))
    return contents if isinstance(contents, Cells) else None


def _value(index: Index, question: Question) -> Truth:
    cells = None if question.storage is None else cells_at(index, question.storage, question.until)
    if cells is None or question.cell is None or question.cell >= len(cells.values):
        return None
    return _of_number(cells.values[question.cell], cells.dtype)


def changed_cells(index: Index, after: int, until: int) -> dict[StorageId, list[int]] | None:
    """For each written storage that still exists, the cells with a new value; None if a storage's cells were not recorded."""
    found: dict[StorageId, list[int]] = {}
    for write in index.trace.writes:
        storage = index.trace.storages[write.storage]
        is_kept = is_there(storage.born, storage.freed, after) and is_there(storage.born, storage.freed, until)
        if not after < write.tick <= until or not is_kept or storage.id in found:
            continue
        before, now = cells_at(index, storage.id, after), cells_at(index, storage.id, until)
        if before is None or now is None or before.dtype != now.dtype or len(before.values) != len(now.values):
            return None
        found[storage.id] = [
            place for place, (old, new) in enumerate(zip(before.values, now.values, strict=True)) if old != new
        ]
    return found


def _cell(index: Index, question: Question) -> Truth:
    changed = changed_cells(index, question.after, question.until)
    if changed is None:
        return None
    cells: list[tuple[StorageId, int]] = []
    for storage in index.trace.storages:
        contents = cells_at(index, storage.id, question.after)
        if contents is not None and is_there(storage.born, storage.freed, question.after):
            cells.append((storage.id, len(contents.values)))
    right = [Answer(kind="cell", storage=storage, cell=cell) for storage, places in changed.items() for cell in places]
    return Legal(form="cell", has_none=True, cells=cells), right or [NONE]


def version_of(index: Index, counter: VersionCounterId, tick: int) -> int | None:
    """The version of a counter at a tick; None if the version was not recorded."""
    version = value_at(index.trace.version_counters[counter].version, Tick(tick))
    return version if isinstance(version, int) else None


def counters_at(index: Index, tick: int) -> list[VersionCounterId]:
    """The version counters of the named Tensors, in order."""
    found = {value_at(index.trace.tensors[tensor].version_counter, Tick(tick)) for tensor in named_at(index, tick)}
    return sorted(counter for counter in found if isinstance(counter, int))


def _counter(index: Index, question: Question) -> Truth:
    counters = counters_at(index, question.after)
    right = []
    for counter in counters:
        before, now = version_of(index, counter, question.after), version_of(index, counter, question.until)
        if before is None or now is None:
            return None
        if now > before:
            right.append(Answer(kind="counter", counter=counter))
    return Legal(form="counter", has_none=True, counters=counters), right or [NONE]


def _version(index: Index, question: Question) -> Truth:
    version = None if question.counter is None else version_of(index, question.counter, question.until)
    return None if version is None else (Legal(form="version"), [Answer(kind="version", version=version)])


# --- the run ----------------------------------------------------------------------------------------------------------


def _raises(index: Index, question: Question) -> Truth:
    raised = any(step.kind == "exception" and question.after < step.began <= question.until for step in index.trace.steps)
    return Legal(form="whether"), [Answer(kind="whether", whether=raised)]


def _raising_line(index: Index, question: Question) -> Truth:
    ended = index.trace.ended
    if not isinstance(ended, Raised):
        return _of_lines(index), [NONE]
    return None if ended.line is None or ended.file is not None else (_of_lines(index), [Answer(kind="line", line=ended.line)])


def _of_lines(index: Index) -> Legal:
    return Legal(form="line", has_none=True, lines=index.trace.source.count("\n") + 1)


# --- shared helpers ---------------------------------------------------------------------------------------------------


def is_there(born: int, gone: int | None, tick: int) -> bool:
    """Whether an object with these ticks of creation and death exists at another tick."""
    return born <= tick and (gone is None or gone > tick)


def named_at(index: Index, tick: int) -> list[TensorId]:
    """The Tensors to which a name leads at a tick, in order."""
    found: set[TensorId] = set()
    for name in index.trace.names:
        tensor = value_at(name.tensor, Tick(tick))
        frame = index.trace.frames[name.frame]
        is_over = name.frame != 0 and frame.ended is not None and frame.ended < tick
        if (
            tensor is not None
            and not is_over
            and is_there(index.trace.tensors[tensor].born, index.trace.tensors[tensor].died, tick)
        ):
            found.add(tensor)
    return sorted(found)


def _is_real(dtype: str) -> bool:
    return "complex" not in dtype


def _of_number(value: object, dtype: str, *, has_none: bool = False) -> Truth:
    if not isinstance(value, bool | int | float | str):
        return None
    return Legal(form="number", dtype=dtype, has_none=has_none), [Answer(kind="number", number=value)]
