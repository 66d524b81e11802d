"""Finds a list that should keep several states of a tensor as arrays, although each `.numpy()` shares the tensor's memory."""

import ast
from collections.abc import Iterator
from itertools import islice, pairwise

from app.explain.finding import Finding, finder, offer
from app.explain.findings.shared_memory import writes_to
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import end_of, events_after
from app.trace.records import Step, StepId, StorageId, TensorId, Write

MOST_RUNS = 100
"""Maximum number of examined runs of one statement with `append`."""

_SHARING = ("detach", "cpu", "numpy")
"""Methods with a result that shares memory with a CPU tensor."""


@finder(after=["find_numpy_alias", "find_one_memory"])
def find_list_of_arrays(reading: Reading) -> Iterator[Finding]:
    """A hint for each list to which arrays of one tensor were appended, if the tensor was written before each later append."""
    told: set[object] | None = None
    for call in reading.syntax.ending_in(ast.Call, "append"):
        match call:
            case ast.Call(
                func=ast.Attribute(value=kept), args=[ast.Call(func=ast.Attribute(attr="numpy")) as array], keywords=[]
            ):
                statement = reading.syntax.statement_around(call)
                runs = reading.runs_of_statement.get(statement, [])[:MOST_RUNS] if isinstance(statement, ast.Expr) else []
                path, found = reading.syntax.path_of(kept), _written_between(reading, array, runs)
                if not path or found is None:
                    continue
                if told is None:
                    others = [*reading.found_by("find_numpy_alias"), *reading.found_by("find_one_memory")]
                    told = {finding.arguments["line"] for finding in others}
                if reading.line_of(runs[-1].id) not in told:
                    yield _finding(reading, path, array, runs[-1], *found)


def _shared(node: ast.expr) -> ast.expr:
    """The `w` in `w.detach().cpu().numpy()`."""
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in _SHARING:
                node = value
            case ast.Attribute(value=value, attr="data"):
                node = value
            case _:
                return node


def _storage(reading: Reading, tensor: TensorId | None, step: Step) -> StorageId | None:
    geometry = reading.geometry_at(tensor, step.began)
    return geometry.storage if geometry is not None and geometry.device == "cpu" else None


def _written_between(reading: Reading, array: ast.expr, runs: list[Step]) -> tuple[TensorId, Write] | None:
    """The tensor whose array was appended, and the write before the last `append`.

    None unless the tensor had the same memory at each `append` and was written between any two.
    """
    node = _shared(array)
    tensors = [reading.tensor_of(node, run) for run in runs]
    storages = {_storage(reading, tensor, run) for tensor, run in zip(tensors, runs, strict=True)}
    if len(runs) < 2 or len(storages) != 1 or None in storages or tensors[-1] is None:
        return None
    writes = writes_to(reading.changing_writes, reading.geometry_at(tensors[-1], runs[-1].began))
    write: Write | None = None
    for one, other in pairwise(runs):
        write = next(islice(events_after(writes, end_of(one), other.began), 1), None)
        if write is None:
            return None
    return None if write is None else (tensors[-1], write)


def _finding(reading: Reading, path: str, array: ast.Call, added: Step, tensor: TensorId, write: Write) -> Finding:
    text = reading.syntax.text_of(array)
    fixes = [offer("keep_an_array", with_replaced, reading.trace.source, [(array, f"{text}.copy()")])]
    steps: list[StepId | None] = [write.step, added.id]
    return reading.finding(
        "one_memory",
        steps,
        [tensor],
        {
            "name": path,
            "one": f"{path}[-2]",
            "other": f"{path}[-1]",
            "same": "arrays",
            "write_line": reading.line_of(write.step) or 0,
        },
        fixes=fixes,
    )
