"""Finds two tensors that share a storage because of `a.data = b` or `a.set_(b)`, if the program then wrote one of them."""

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from app.explain.finding import MOST_FINDINGS, Arguments, Finding, finder, offer
from app.explain.findings.shared_memory import changes, is_looked_at, without_silently_wrong, written_through
from app.explain.reading.reading import Reading
from app.explain.rewriting.replacing import with_clone
from app.trace.query import end_of, value_at
from app.trace.records import Step, Tensor, TensorId, Tick, Write

MOST_OWNERS = 100
"""Maximum number of Tensors on one memory that are searched for its previous owner."""

MOST_ROUNDS = 100
"""Maximum number of examined runs of one line such as `a.data = b`."""

_Pair = tuple[TensorId, TensorId, Write, str]
"""The Tensor that got the memory, its previous owner, the first write, and the name of the Tensor that it should not change."""


@finder(after=["find_silently_wrong"])
def find_data_assigned(reading: Reading) -> list[Finding]:
    """A hint for each line that made two tensors share a storage, if a write through one tensor changed the other, which is
    read afterwards."""
    findings: list[Finding] = []
    done: set[int] = set()
    seen: Counter[ast.expr] = Counter()
    for tensor in reading.trace.tensors:
        for tick, _ in tensor.geometry[1:]:
            statement_step = reading.statement_of(step.id) if (step := reading.step_at(tick)) is not None else None
            statement = reading.statement_at(statement_step)
            given = None if statement is None or statement_step is None else _given(statement)
            if given is None or statement_step is None or id(given) in done or len(findings) >= MOST_FINDINGS:
                continue
            seen[given] += 1
            if seen[given] > MOST_ROUNDS:
                continue
            pair = next(_changed(reading, tensor, tick, statement_step), None)
            if pair is not None:
                done.add(id(given))
                findings.append(_finding(reading, given, statement_step, *pair))
    return without_silently_wrong(reading, findings)


def _given(statement: ast.stmt) -> ast.expr | None:
    """The tensor whose memory a statement assigns to another; None for other statements."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(attr="data")], value=value):
            return value
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="set_"), args=[value])):
            return value
    return None


def _changed(reading: Reading, tensor: Tensor, tick: Tick, step: Step) -> Iterator[_Pair]:
    """Each older Tensor on the memory that `tensor` now has, if the first write after `step` changed both."""
    geometry, ended = value_at(tensor.geometry, tick), end_of(step)
    write = next(changes(reading, geometry, ended), None)
    if geometry is None or write is None:
        return
    for owner in islice(reading.tensors_on.get(geometry.storage, []), MOST_OWNERS):
        if owner == tensor.id or reading.trace.tensors[owner].born >= step.began or not reading.name_of(owner):
            continue
        theirs = [reading.geometry_at(each, write.tick) for each in (owner, tensor.id)]
        if any(each is None or each.storage != write.storage for each in theirs):
            continue
        follower = owner if written_through(reading, write) == tensor.id else tensor.id
        for path in reading.paths_of(follower, write.tick):
            if is_looked_at(reading, path, follower, step, write.tick):
                yield tensor.id, owner, write, path
                break


def _finding(
    reading: Reading, given: ast.expr, step: Step, tensor: TensorId, owner: TensorId, write: Write, follower: str
) -> Finding:
    plain = isinstance(given, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    fixes = [offer("clone_given", with_clone, reading.trace.source, given)] if plain else []
    name = reading.name_of(tensor)
    arguments: Arguments = {
        "name": name,
        "known": "yes" if name else "no",
        "owner": reading.name_of(owner),
        "follower": reading.told(follower, step.frame),
        "line": reading.line_of(step.id) or 0,
        "write_line": reading.line_of(write.step) or 0,
    }
    return reading.finding("data_assigned", [step.id, write.step], [tensor, owner], arguments, fixes=fixes)
