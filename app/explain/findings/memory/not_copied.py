"""Finds a name that should keep a tensor's values, but shares its memory: `backup = w.detach()`, `nn.Parameter(start)`.

Code that shares memory on purpose uses the new name at once, writes through it, or reads it in each iteration. Code that
means a copy creates the new name before a write, does not use this name before the write, and then reads both names.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, finder, offer
from app.explain.findings.shared_memory import changes, names_in_write, without_silently_wrong
from app.explain.reading.reading import Reading
from app.explain.reading.syntax import last_name
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import end_of
from app.trace.records import Step, TensorId, Tick, Write

MOST_RUNS = 20
"""Maximum number of examined runs of one line that may have kept a tensor."""

MOST_READERS = 50
"""Maximum number of examined statements that read a variable after a write."""

MOST_PATHS = 5
"""Maximum number of examined paths to one of the two tensors."""

MOST_NAMES = 20
"""Maximum number of examined names in the writing statement. With more names, the statement may use the kept name."""

_FACTS = ("grad", "grad_fn", "is_leaf", "requires_grad", "shape", "size", "stride", "dtype", "device", "data_ptr", "_version")
"""Attributes and methods that do not depend on a tensor's values."""

_PASSING = ("cpu", "to", "float", "double", "contiguous")
"""Methods that return the same memory if there is nothing to convert."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A tensor that a line kept under a new name, in one of its runs."""

    step: Step
    source: ast.expr
    original: TensorId
    tensor: TensorId


@finder(after=["find_kept_weights", "find_silently_wrong"])
def find_not_copied(reading: Reading) -> list[Finding]:
    """A hint for each line that kept a tensor without a copy, if a write through another name changed the tensor, which is read
    afterwards."""
    findings: list[Finding] = []
    done: set[ast.stmt] = set()
    seen: Counter[ast.stmt] = Counter()
    for statement, step, source in _lines(reading):
        seen[statement] += 1
        if statement in done or seen[statement] > MOST_RUNS or len(findings) >= MOST_FINDINGS:
            continue
        kept = _kept(reading, statement, step, source)
        write = None if kept is None else _write(reading, kept)
        if kept is not None and write is not None and _is_read_beside(reading, kept, write):
            done.add(statement)
            findings.append(_finding(reading, statement, kept, write))
    told = {finding.arguments["maker_line"] for finding in reading.found_by("find_kept_weights")} if findings else set()
    return without_silently_wrong(reading, [finding for finding in findings if finding.arguments["line"] not in told])


def _lines(reading: Reading) -> Iterator[tuple[ast.Assign, Step, ast.expr]]:
    """Each run of a line that may have kept a tensor without a copy, with the expression of this tensor."""
    for statement in reading.syntax.of(ast.Assign):
        source = _source(statement)
        path = "" if source is None else reading.syntax.path_of(source)
        # A kept `.grad` is left to `find_kept_grad`; `w = w.detach()` is skipped, because it leaves only one name.
        if source is None or not path or path.endswith(".grad") or path == reading.syntax.path_of(statement.targets[0]):
            continue
        yield from ((statement, step, source) for step in reading.runs_of_statement.get(statement, []))


def _source(statement: ast.Assign) -> ast.expr | None:
    """The `w` in `backup = w.detach()`, `w.data`, `w[:]`, `copy.copy(w)` and `nn.Parameter(w)`."""
    match statement.targets, statement.value:
        case [ast.Name() | ast.Attribute()], ast.Call(args=[source, *_]) as made if last_name(made) == "Parameter":
            return source
        case [ast.Name()], ast.Call(func=ast.Attribute(value=ast.Name(id="copy"), attr="copy"), args=[source]):
            return source
        case [ast.Name()], node:
            while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PASSING:
                node = node.func.value
            return _shared(node)
    return None


def _shared(node: ast.expr) -> ast.expr | None:
    """The `w` in `w.detach()`, `w.data`, `w[:]` and `w[...]`, which create another Tensor on the same memory; None for others."""
    match node:
        case ast.Call(func=ast.Attribute(value=source, attr="detach"), args=[]) | ast.Attribute(value=source, attr="data"):
            return source
        case ast.Subscript(value=source, slice=ast.Slice(None, None, None)):
            return source
        case ast.Subscript(value=source, slice=ast.Constant(value=value)) if value is ...:
            return source
    return None


def _kept(reading: Reading, statement: ast.Assign, step: Step, source: ast.expr) -> _Kept | None:
    """The original and the kept Tensor; None unless both read the same elements."""
    ended = end_of(step)
    original = reading.tensor_of(source, step)
    tensor = reading.named(reading.syntax.path_of(statement.targets[0]), step.frame, ended)
    if original is None or tensor is None or tensor == original:
        return None
    is_same = reading.geometry_at(original, ended) == reading.geometry_at(tensor, ended)
    return _Kept(step, source, original, tensor) if is_same else None


def _write(reading: Reading, kept: _Kept) -> Write | None:
    """The first write to both Tensors, if its statement names no other view of the memory and the new name was not used
    before."""
    ended = end_of(kept.step)
    geometry = reading.geometry_at(kept.tensor, ended)
    write = next(changes(reading, geometry, ended), None)
    writer = None if write is None else reading.statement_of(write.step)
    if write is None or writer is None or reading.geometry_at(kept.original, write.tick) is None:
        return None
    names = names_in_write(reading, write)
    if names is None or len(names) > MOST_NAMES:
        return None
    meant = {reading.named(name, writer.frame, writer.began) for name in names}
    looks = [reading.geometry_at(each, writer.began) for each in meant - {kept.original}]
    is_window = any(look is not None and look.storage == write.storage for look in looks)
    if is_window or not names.keys().isdisjoint(map(_root, _paths(reading, kept.tensor, write.tick))):
        return None
    # Optimizers and layers write Parameters on purpose. If a Parameter was made of the tensor, only a write that names the
    # tensor counts.
    is_parameter = reading.trace.tensors[kept.tensor].type == "Parameter"
    is_used = any(step.began < writer.began for step in _readers(reading, kept.tensor, ended, write.tick))
    return None if is_used or (is_parameter and kept.original not in meant) else write


def _paths(reading: Reading, tensor: TensorId, tick: Tick) -> list[str]:
    return reading.paths_of(tensor, tick)[:MOST_PATHS]


def _root(path: str) -> str:
    return path.replace("[", ".").partition(".")[0]


def _readers(reading: Reading, tensor: TensorId, since: Tick, named: Tick) -> Iterator[Step]:
    """The statements after `since` that read values of a Tensor under a name that it had at the tick `named`."""
    for path in _paths(reading, tensor, named):
        for step in islice(reading.readers(_root(path), since), MOST_READERS):
            if reading.named(path, step.frame, step.began) == tensor and _is_asked(reading, path, reading.statement_at(step)):
                yield step


def _is_asked(reading: Reading, path: str, statement: ast.stmt | None) -> bool:
    """Whether a statement reads the values at a path, not only attributes such as its shape."""
    nodes = list(reading.syntax.walk(statement))
    others = {node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr in _FACTS}
    read = (node for node in nodes if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and node not in others)
    return any(isinstance(node.ctx, ast.Load) and reading.syntax.path_of(node) == path for node in read)


def _is_read_beside(reading: Reading, kept: _Kept, write: Write) -> bool:
    """Whether the kept name and the original are both read after the write, and not only once per iteration of a loop."""
    reads = list(_readers(reading, kept.tensor, write.tick, write.tick))
    others = list(_readers(reading, kept.original, write.tick, write.tick)) if reads else []
    together = {step.id for step in others}
    is_read = any(not _is_written_in(reading, kept, step) for step in others)
    return any(step.id in together or (is_read and not _is_written_again(reading, kept, write, step)) for step in reads)


def _is_written_in(reading: Reading, kept: _Kept, step: Step) -> bool:
    return next(changes(reading, reading.geometry_at(kept.tensor, step.began), step.began, end_of(step)), None) is not None


def _is_written_again(reading: Reading, kept: _Kept, write: Write, step: Step) -> bool:
    """Whether the same statement that made `write` writes the memory again after `step`."""
    writer = reading.statement_ran_by(write.step)
    later = changes(reading, reading.geometry_at(kept.tensor, step.began), step.began)
    return any(reading.statement_ran_by(each.step) is writer for each in later)


def _finding(reading: Reading, statement: ast.Assign, kept: _Kept, write: Write) -> Finding:
    fixes = [offer("copy_first", _copied, reading, statement, kept.source)]
    arguments: Arguments = {
        "name": _told(reading, kept, kept.tensor, write),
        "other": _told(reading, kept, kept.original, write),
        "how": reading.syntax.text_of(statement.value),
        "line": reading.line_of(kept.step.id) or 0,
        "write_line": reading.line_of(write.step) or 0,
    }
    return reading.finding("not_copied", [kept.step.id, write.step], [kept.tensor, kept.original], arguments, fixes=fixes)


def _copied(reading: Reading, statement: ast.Assign, source: ast.expr) -> str | None:
    """Adds `.clone()` to each line that keeps this tensor under this name, such as `prev = x[:]` before a loop and in the
    loop."""
    path, target = reading.syntax.path_of(source), reading.syntax.path_of(statement.targets[0])
    nodes = []
    for other in reading.syntax.of(ast.Assign):
        found = _source(other)
        if found is not None and (reading.syntax.path_of(found), reading.syntax.path_of(other.targets[0])) == (path, target):
            nodes.append(found if last_name(other.value) in ("Parameter", "copy") else other.value)
    texts = [ast.get_source_segment(reading.syntax.text, node) for node in nodes]
    return with_replaced(reading.trace.source, [(node, f"{text}.clone()") for node, text in zip(nodes, texts, strict=True)])


def _told(reading: Reading, kept: _Kept, tensor: TensorId, write: Write) -> str:
    """The Tensor's name in the function that wrote it.

    Without such a name, its name in the function that kept it, or any name.
    """
    writer = reading.statement_of(write.step)
    for frame in dict.fromkeys((None if writer is None else writer.frame, kept.step.frame)):
        paths = [] if frame is None else reading.paths_of(tensor, write.tick, frame)
        if paths:
            return reading.told(paths[0], frame)
    return reading.name_of(tensor)
