"""The fix for truncated backpropagation: detaches the state that a loop carries over, below the backward that freed its graph."""

import ast
import re
from collections.abc import Iterator

from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.rewriting.again import calls_around
from app.explain.rewriting.blocks import is_read_later
from app.explain.rewriting.rewrites import statements_after
from app.trace.naming import VARIABLE
from app.trace.query import end_of
from app.trace.records import NodeId, Step, TensorId

_STATE = re.compile(r"(.+)\[\d+\]")
_WRITABLE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*|\['[^']*'\])*")


def detached_below(reading: Reading, first: Step, crossings: list[tuple[NodeId, NodeId]]) -> str | None:
    """Adds `h = h.detach()` below the backward for each state through which later results depend on the freed graph.

    None if one of these states has no name that later code reads.
    """
    # The state may be a variable of the function that called the function with the backward.
    for below in calls_around(reading, reading.statement_of(first.id)):
        states = [next(_states(reading, below, *crossing), "") for crossing in crossings]
        statement = reading.statement_at(below)
        if states and all(states) and statement is not None:
            added = [_detached(reading, state) for state in dict.fromkeys(states)]
            return statements_after(reading.trace.source, statement, added)
    return None


def _states(reading: Reading, below: Step, new: NodeId, old: NodeId) -> Iterator[str]:
    """The paths to results of the Node `old` through which the later Node `new` depends on `old`, in the function of `below`."""
    users = list(calls_around(reading, reading.statement_of(reading.trace.nodes[new].made_by)))
    named = {name for user in users for name in reading.syntax.names_in(reading.statement_at(user))}
    for tensor in reading.results.get(old, []):
        for path in reading.paths_of(tensor, end_of(below), below.frame):
            state = match[1] if (match := _STATE.fullmatch(path)) is not None else path
            if (
                _WRITABLE.fullmatch(state)
                and VARIABLE.findall(state)[0] in named
                and _is_found(reading, below, users, path, tensor)
            ):
                yield path if state == path else f"{state}[]"


def _is_found(reading: Reading, below: Step, users: list[Step], path: str, tensor: TensorId) -> bool:
    """Whether the later results were computed from the state through this path.

    If the later results belong to another call of the function, whether the path can be read later.
    """
    there = [user for user in users if user.frame == below.frame]
    statement = reading.statement_at(below)
    if there or statement is None:
        return any(reading.named(path, user.frame, user.began) == tensor for user in there)
    return not path.isidentifier() or is_read_later(reading.syntax, statement, path)


def _detached(reading: Reading, state: str) -> str:
    name = state.removesuffix("[]")
    if name == state:
        return f"{name} = {name}.detach()"
    detached = f"each.detach() for each in {name}"
    return f"{name} = [{detached}]" if _is_list(reading, name) else f"{name} = tuple({detached})"


def _is_list(reading: Reading, name: str) -> bool:
    """Whether the snippet calls `append` on a variable, or assigns to an index of the variable."""
    syntax = reading.syntax
    appended = [node.func for node in syntax.ending_in(ast.Call, "append") if isinstance(node, ast.Call)]
    placed = [node.value for node in syntax.of(ast.Subscript) if isinstance(node.ctx, ast.Store)]
    return any(dotted(each) == f"{name}.append" for each in appended) or any(dotted(each) == name for each in placed)
