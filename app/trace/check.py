"""Checks the invariants of a trace from any source.

The invariants concern the records, not the behaviour of torch: a Tensor may extend beyond its Storage
(`untyped_storage().resize_(0)` leaves a Tensor of 4 elements on 0 bytes), a version may decrease (`torch.utils.swap_tensors`), and
an inference tensor has no counter. Each check is one pass over one table, so even a forged trace takes linear time.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any, get_args, get_origin, get_type_hints

from app.trace.chunks import TABLES, Trace
from app.trace.dtypes import itemsize
from app.trace.ends import OutOfMemory, Raised
from app.trace.records import FORMAT, MOST_FILE_TEXT, MOST_FILES, Cells, Geometry, GradFn, Step


class TraceInvalid(ValueError):
    """Raised if a trace violates an invariant. `record` names the field, `value` is the field's value, `expected` describes
    valid values."""

    def __init__(self, record: str, value: object, expected: str) -> None:
        super().__init__(f"{record} is {_short(repr(value))}, expected {_short(expected)}")
        self.record = record
        self.value = value
        self.expected = expected


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


def check(trace: Trace) -> None:
    """Raise TraceInvalid if an invariant is violated. The time is linear in the size of the trace."""
    if trace.header.format != FORMAT:
        raise TraceInvalid("header.format", trace.header.format, str(FORMAT))
    _check_ids(trace)
    _check_references(trace)
    _check_files(trace)
    _check_steps(trace)
    _check_frames(trace)
    _check_events(trace)
    _check_names(trace)
    _check_variables(trace)
    _check_tensors(trace)
    _check_storages(trace)
    _check_version_counters(trace)
    _check_writes(trace)
    _check_modules(trace)
    _check_nodes(trace)
    _check_graph_ends(trace)
    _check_saved_tensors(trace)
    _check_gradients(trace)


def _check_ids(trace: Trace) -> None:
    for table in TABLES:
        for index, record in enumerate(getattr(trace, table)):
            if record.id != index:
                raise TraceInvalid(f"{table}[{index}].id", record.id, str(index))


_TABLE_OF = {get_type_hints(get_args(get_type_hints(Trace)[table])[0])["id"]: table for table in TABLES}
"""The name of the table, by the type of its ids."""


def _references(table: str) -> Iterator[tuple[str, bool, str]]:
    """Yield the fields of a table's records that contain ids: the name of the field, whether it is a list of facts, and the
    table to which the ids refer."""
    record = get_args(get_type_hints(Trace)[table])[0]
    for field, hint in get_type_hints(record).items():
        is_fact = get_origin(hint) is list and get_origin(get_args(hint)[0]) is tuple
        value = get_args(get_args(hint)[0])[1] if is_fact else hint
        for each in (value, *get_args(value)):
            if each in _TABLE_OF and field != "id":
                yield field, is_fact, _TABLE_OF[each]


_REFERENCES = [(table, *reference) for table in TABLES for reference in _references(table)]


def _check_references(trace: Trace) -> None:
    for table, field, is_fact, other in _REFERENCES:
        known = getattr(trace, other)
        below = len(known)
        for record in getattr(trace, table):
            value = getattr(record, field)
            for reference in [each for _, each in value] if is_fact else (value,):
                # The error message is built only for a wrong reference, because a trace has a hundred thousand references.
                if isinstance(reference, int) and not 0 <= reference < below:
                    _check_reference(f"{table}[{record.id}].{field}", reference, known)


def _check_files(trace: Trace) -> None:
    """Check the files, and the references to files in the end of the run."""
    if len(trace.files) > MOST_FILES:
        raise TraceInvalid("files", len(trace.files), f"at most {MOST_FILES} files")
    if (size := sum(len(file.text) for file in trace.files)) > MOST_FILE_TEXT:
        raise TraceInvalid("files", size, f"at most {MOST_FILE_TEXT} characters of text")
    for file in trace.files:
        if any(part in ("", ".", "..") for part in file.path.split("/")) or not file.path.isprintable():
            raise TraceInvalid(f"files[{file.id}].path", file.path, "a relative path without empty parts, '.' and '..'")
    ended = trace.ended.raised if isinstance(trace.ended, OutOfMemory) else trace.ended
    if isinstance(ended, Raised):
        _check_reference("ended.file", ended.file, trace.files)
        for entry in (*ended.traceback, *(entry for each in ended.earlier for entry in each.traceback)):
            _check_reference("ended.traceback.file", entry.file, trace.files)


def _check_steps(trace: Trace) -> None:
    _check_order("steps", "began", trace.steps)
    last_sibling: dict[tuple[int | None, int | None], Step] = {}
    for step in trace.steps:
        where = f"steps[{step.id}]"
        _check_reference(where + ".span.file", None if step.span is None else step.span.file, trace.files)
        if step.result is not None and step.kind != "statement":
            raise TraceInvalid(where + ".result", step.result, f"null, because the kind is {step.kind}, not statement")
        if (step.node is None) != (step.kind != "node"):
            raise TraceInvalid(where + ".node", step.node, f"a Node if the kind is node, else null (the kind is {step.kind})")
        if (step.name is None) != (step.kind in ("statement", "node")):
            raise TraceInvalid(
                where + ".name",
                step.name,
                f"a name if the kind is operator, call or exception, else null (the kind is {step.kind})",
            )
        _check_order_of(where + ".ended", step.began, step.ended)
        if step.parent is not None:
            _check_earlier(where + ".parent", step.parent, step.id)
            _check_within(where, step, trace.steps[step.parent])
        before = last_sibling.get((step.parent, step.frame))
        if before is not None and (before.ended is None or before.ended > step.began):
            raise TraceInvalid(where + ".began", step.began, f"the end of steps[{before.id}], {before.ended}, or later")
        last_sibling[step.parent, step.frame] = step


def _check_within(where: str, step: Step, parent: Step) -> None:
    if parent.ended is not None and (step.ended is None or step.ended > parent.ended):
        raise TraceInvalid(where + ".ended", step.ended, f"at most {parent.ended}, the end of its parent steps[{parent.id}]")


def _check_frames(trace: Trace) -> None:
    _check_order("frames", "began", trace.frames)
    for frame in trace.frames:
        where = f"frames[{frame.id}]"
        _check_order_of(where + ".ended", frame.began, frame.ended)
        if frame.parent is not None:
            _check_earlier(where + ".parent", frame.parent, frame.id)


def _check_events(trace: Trace) -> None:
    _check_order("outputs", "tick", trace.outputs)
    _check_order("writes", "tick", trace.writes)
    _check_order("gradients", "tick", trace.gradients)
    _check_order("hooks", "tick", trace.hooks)


def _check_names(trace: Trace) -> None:
    for name in trace.names:
        where = f"names[{name.id}]"
        _check_facts(where + ".tensor", name.tensor, trace.frames[name.frame].began, None)
        _check_facts(where + ".is_buffer", name.is_buffer, trace.frames[name.frame].began, None)


def _check_variables(trace: Trace) -> None:
    for variable in trace.variables:
        where = f"variables[{variable.id}]"
        _check_facts(where + ".value", variable.value, trace.frames[variable.frame].began, None)
        for _, held in variable.value:
            if held is not None and not (held.kind != "array") == (held.address is None) == (held.span is None):
                raise TraceInvalid(
                    where + ".address", held.address, f"an address and a span for arrays, else null (the kind is {held.kind})"
                )


def _check_tensors(trace: Trace) -> None:
    for tensor in trace.tensors:
        where = f"tensors[{tensor.id}]"
        _check_order_of(where + ".died", tensor.born, tensor.died)
        for field in ("geometry", "version_counter", "requires_grad", "is_leaf", "base", "grad", "grad_fn", "tangent"):
            _check_facts(f"{where}.{field}", getattr(tensor, field), tensor.born, tensor.died)
        for _, geometry in tensor.geometry:
            _check_geometry(where + ".geometry", geometry, trace)
        for _, grad_fn in tensor.grad_fn:
            if isinstance(grad_fn, GradFn):
                _check_reference(where + ".grad_fn", grad_fn.node, trace.nodes)


def _check_geometry(where: str, geometry: Geometry, trace: Trace) -> None:
    _check_reference(where + ".storage", geometry.storage, trace.storages)
    if geometry.stride is not None and len(geometry.stride) != len(geometry.shape):
        raise TraceInvalid(where + ".stride", geometry.stride, f"one number per dimension of shape {geometry.shape}")


def _check_storages(trace: Trace) -> None:
    for storage in trace.storages:
        where = f"storages[{storage.id}]"
        _check_order_of(where + ".freed", storage.born, storage.freed)
        _check_facts(where + ".nbytes", storage.nbytes, storage.born, storage.freed)
        _check_facts(where + ".moved", storage.moved, storage.born, storage.freed)
        _check_facts(where + ".contents", storage.contents, storage.born, storage.freed)
        most = max((nbytes for _, nbytes in storage.nbytes), default=None)
        for _, contents in storage.contents:
            size = itemsize(contents.dtype) if isinstance(contents, Cells) else None
            if isinstance(contents, Cells) and size and most is not None and len(contents.values) * size > most:
                raise TraceInvalid(where + ".contents", len(contents.values), f"at most {most} bytes of {contents.dtype}")


def _check_version_counters(trace: Trace) -> None:
    for counter in trace.version_counters:
        _check_facts(f"version_counters[{counter.id}].version", counter.version, 0, None)


def _check_writes(trace: Trace) -> None:
    most = [max((nbytes for _, nbytes in storage.nbytes), default=None) for storage in trace.storages]
    for write in trace.writes:
        where = f"writes[{write.id}]"
        _check_reference(where + ".place.file", None if write.place is None else write.place.file, trace.files)
        limit = most[write.storage]
        if write.begin > write.end:
            raise TraceInvalid(where + ".end", write.end, f"at least {write.begin}, the beginning of the range")
        if limit is not None and write.end > limit:
            raise TraceInvalid(where + ".end", write.end, f"at most {limit}, the largest size of storages[{write.storage}]")


def _check_modules(trace: Trace) -> None:
    for module in trace.modules:
        if module.parent is not None:
            _check_earlier(f"modules[{module.id}].parent", module.parent, module.id)


def _check_nodes(trace: Trace) -> None:
    for node in trace.nodes:
        where = f"nodes[{node.id}]"
        _check_order_of(where + ".freed", node.born, node.freed)
        for edge in node.edges:
            if edge is not None:
                _check_reference(where + ".edges", edge.node, trace.nodes)


def _check_graph_ends(trace: Trace) -> None:
    """Check that the graph has no cycle, so that every walk over its edges ends (Kahn's algorithm)."""
    waiting = [0] * len(trace.nodes)
    for node in trace.nodes:
        for edge in node.edges:
            if edge is not None:
                waiting[edge.node] += 1
    ready = [node for node in trace.nodes if not waiting[node.id]]
    seen = 0
    while ready:
        seen += 1
        for edge in ready.pop().edges:
            if edge is not None:
                waiting[edge.node] -= 1
                if not waiting[edge.node]:
                    ready.append(trace.nodes[edge.node])
    if seen < len(trace.nodes):
        index = next(index for index, count in enumerate(waiting) if count)
        raise TraceInvalid(f"nodes[{index}].edges", trace.nodes[index].edges, "no path back to the same Node")


def _check_saved_tensors(trace: Trace) -> None:
    for saved in trace.saved_tensors:
        where = f"saved_tensors[{saved.id}]"
        _check_geometry(where + ".geometry", saved.geometry, trace)
        _check_order_of(where + ".released", saved.tick, saved.released)
        for field in ("outdated", "overwritten"):
            facts = getattr(saved, field)
            _check_facts(f"{where}.{field}", facts, saved.tick, saved.released)
            if field == "outdated" and len(facts) > 1:
                raise TraceInvalid(f"{where}.{field}", facts, "at most one entry")
            if facts and facts[0][1] is None:
                raise TraceInvalid(f"{where}.{field}", facts, "a Write in the first entry")


def _check_gradients(trace: Trace) -> None:
    for gradient in trace.gradients:
        where = f"gradients[{gradient.id}]"
        if gradient.edge is not None and (gradient.node is None or gradient.edge >= len(trace.nodes[gradient.node].edges)):
            raise TraceInvalid(where + ".edge", gradient.edge, f"the number of an edge of Node {gradient.node}")
        if isinstance(gradient.value, Cells) and len(gradient.value.values) != prod(gradient.shape):
            raise TraceInvalid(where + ".value", len(gradient.value.values), f"every element of shape {gradient.shape}")


# --- rules that several checks use -------------------------------------------------------------------------------


def _check_reference(where: str, reference: int | None, table: Sequence[object]) -> None:
    if reference is not None and not 0 <= reference < len(table):
        raise TraceInvalid(where, reference, f"an id below {len(table)}")


def _check_earlier(where: str, reference: int, record: int) -> None:
    if not 0 <= reference < record:
        raise TraceInvalid(where, reference, f"an id below {record}, the id of the record itself")


def _check_order(table: str, field: str, records: Iterable[Any]) -> None:
    for before, after in pairwise(records):
        if getattr(before, field) > getattr(after, field):
            raise TraceInvalid(f"{table}[{after.id}].{field}", getattr(after, field), f"at least {getattr(before, field)}")


def _check_order_of(where: str, began: int, ended: int | None) -> None:
    if ended is not None and ended < began:
        raise TraceInvalid(where, ended, f"at least {began}, the first tick of the record")


def _check_facts(where: str, facts: Sequence[tuple[int, object]], born: int, died: int | None) -> None:
    if not facts:
        return
    for before, after in pairwise(facts):
        if before[0] > after[0]:
            raise TraceInvalid(where, after[0], f"at least {before[0]}, the tick of the previous fact")
    if facts[0][0] < born:
        raise TraceInvalid(where, facts[0][0], f"no fact before tick {born}")
    if died is not None and facts[-1][0] > died:
        raise TraceInvalid(where, facts[-1][0], f"no fact after tick {died}")
