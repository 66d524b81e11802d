"""The fix for a second backward through a freed graph: the forward pass runs again, below the step or in the loop or closure."""

import ast
from collections.abc import Iterator

from app.explain.reading.graph_walks import graph_below, leading
from app.explain.reading.reading import Reading
from app.explain.rewriting.blocks import Function, Level, Loop, levels, read_in, set_in, with_lines_moved
from app.trace.query import MODULE
from app.trace.records import NodeId, Step

MOST_STATEMENTS = 10
"""Maximum number of statements of a forward pass that a fix repeats. There is no fix for a longer forward pass."""


def forward_again(reading: Reading, broken: set[NodeId], used_up: Step, needer: Step) -> str | None:
    """Repeats the statements that created the graph above the `broken` Nodes, between the step that used up these Nodes and the
    backward of `needer`."""
    needing = reading.statement_of(needer.id)
    graph = graph_below(reading, needing)
    old = {node for node in leading(graph, broken) if reading.trace.nodes[node].born < used_up.began}
    made = {maker for node in old if (maker := _statement_id(reading, node)) is not None}
    makers = [reading.trace.steps[each] for each in sorted(made)]
    for around in calls_around(reading, needing) if old else []:
        forward = _in_one_block(reading, makers, around)
        if forward is not None:
            return _written_again(reading, forward, used_up, around)
    return None


def _statement_id(reading: Reading, node: NodeId) -> int | None:
    statement = reading.statement_of(reading.trace.nodes[node].made_by)
    return None if statement is None else statement.id


def calls_around(reading: Reading, statement: Step | None) -> Iterator[Step]:
    """Yields a statement, then the statement that called its function, and so on up to a statement of the module."""
    while statement is not None:
        yield statement
        caller = reading.callers.get(statement.frame) if statement.frame not in (None, MODULE) else None
        statement = reading.statement_of(caller)


def _in_one_block(reading: Reading, makers: list[Step], needing: Step) -> list[Level] | None:
    """The assignments that created the graph, if all are in one block that also contains `needing`; else None."""
    needers = levels(reading.syntax, statement) if (statement := reading.statement_at(needing)) is not None else []
    found: dict[int, Level] = {}
    for maker in makers:
        for around in calls_around(reading, maker):
            statement = reading.statement_at(around)
            stands = [] if statement is None else levels(reading.syntax, statement)
            if stands and any(stands[-1].block is level.block for level in needers):
                found[stands[-1].statement.lineno] = stands[-1]
                break
        else:
            return None
    forward = [found[line] for line in sorted(found)]
    is_plain = all(_is_plain(level.statement) for level in forward) and len(forward) <= MOST_STATEMENTS
    return forward if forward and is_plain and all(each.block is forward[0].block for each in forward) else None


def _is_plain(statement: ast.stmt) -> bool:
    """Whether a statement only assigns variables."""
    if not isinstance(statement, ast.Assign):
        return False
    pieces = [piece for target in statement.targets for piece in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return all(isinstance(piece, ast.Name) for piece in pieces)


def _written_again(reading: Reading, forward: list[Level], used_up: Step, needing: Step) -> str | None:
    syntax, block = reading.syntax, forward[0].block
    statements = [level.statement for level in forward]
    needers = _from_block(reading, block, needing)
    around = (_from_block(reading, block, each) for each in calls_around(reading, used_up))
    writers = next((found for found in around if _runs_there(found, needers)), [])
    anchor = _anchor(writers, needers)
    if anchor is None or not needers or forward[-1].place >= needers[0].place:
        return None
    place, is_behind, function = anchor
    used = writers[0].statement if is_behind else None
    between = [each for each in block[forward[0].place : needers[0].place] if each not in statements and each is not used]
    given = set() if function is None else {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    given |= set() if function is None else set_in(syntax, [function]) - set_in(syntax, statements)
    if read_in(syntax, statements) & (set_in(syntax, between) | given):
        return None
    end = writers[0].place + 1 if is_behind else needers[0].place
    others: list[ast.AST] = [each for each in block[forward[0].place : end] if each not in statements]
    others += [] if function is None else block[needers[0].place + 1 :]
    others += [needers[0].statement.iter] if isinstance(needers[0].statement, ast.For) and not is_behind else []
    kept = _still_read(reading, statements, others)
    if kept and any(_draws(reading, each) for each in statements):
        return None
    return with_lines_moved(reading.trace.source, statements, place, behind=is_behind, kept=kept)


def _from_block(reading: Reading, block: list[ast.stmt], step: Step) -> list[Level]:
    """The blocks around the statement of `step`, from `block` inwards; empty if `block` does not contain the statement."""
    statement = reading.statement_at(reading.statement_of(step.id))
    around = [] if statement is None else levels(reading.syntax, statement)
    return next((around[number:] for number, level in enumerate(around) if level.block is block), [])


Anchor = tuple[ast.stmt, bool, ast.FunctionDef | ast.AsyncFunctionDef | None]
"""The statement next to which the forward pass moves, whether it moves below, and the closure that begins with the statement."""


def _runs_there(writers: list[Level], needers: list[Level]) -> bool:
    """Whether the writing statement runs whenever its block is reached.

    False if it is in a function or class, unless it is a closure that also contains the statement with the backward.
    """
    if not writers or not isinstance(writers[0].statement, Function | ast.ClassDef):
        return bool(writers)
    return bool(needers) and writers[0].statement is needers[0].statement


def _anchor(writers: list[Level], needers: list[Level]) -> Anchor | None:
    """The new place of the forward pass: below the statement that outdated the graph, or at the top of a loop or closure."""
    deepest = None
    repeated: Level | None = None
    for writer, needer in zip(writers, needers, strict=False):
        if writer.block is not needer.block:
            break
        deepest = writer, needer
        repeated = needer if isinstance(needer.owner, Loop | Function) and needer is not needers[0] else repeated
    if deepest is None:
        # A closure that an optimizer calls is not in the same block as that call.
        repeated = next((level for level in reversed(needers[1:]) if isinstance(level.owner, Function)), None)
    elif deepest[0].place < deepest[1].place and repeated is None:
        return deepest[0].statement, True, None
    if repeated is None or repeated.block[0].lineno == getattr(repeated.owner, "lineno", None):
        return None
    first = repeated.block[0]
    return first, False, repeated.owner if isinstance(repeated.owner, Function) else None


def _still_read(reading: Reading, statements: list[ast.stmt], others: list[ast.AST]) -> list[ast.stmt]:
    """The statements that must stay where they are, because `others` or further statements that stay read their variables."""
    kept: list[ast.stmt] = []
    for statement in reversed(statements):
        if set_in(reading.syntax, [statement]) & read_in(reading.syntax, [*others, *kept]):
            kept.append(statement)
    return kept


def _draws(reading: Reading, statement: ast.stmt) -> bool:
    """Whether a statement calls a function with random results."""
    return any("rand" in name or "dropout" in name for name in reading.syntax.attributes_in(statement))
