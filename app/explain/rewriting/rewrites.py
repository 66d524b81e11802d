"""The fixes for a write to a saved tensor: rewritten snippets in which backward finds the saved values."""

import ast
from collections.abc import Sequence

from app.explain.finding import Fix, offer
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import if_python, lines_of, normal
from app.explain.reading.syntax import Syntax, last_name
from app.explain.rewriting.again import forward_again
from app.explain.rewriting.below import is_update, step_below, write_below
from app.explain.rewriting.blocks import is_read_later, stands_alone
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import value_at
from app.trace.records import NodeId, SavedTensor, Step, StepId, StorageId, Tensor, Write

MOST_PIECES = 100
"""Maximum number of nodes of an expression that are searched for the saved operand."""

_OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
}
_OUT_OF_PLACE = (
    "abs add addcdiv addcmul addmm clamp clamp_max clamp_min clip cos div divide exp fill floor index_add lerp log "
    "masked_fill mul multiply neg pow reciprocal relu round rsqrt scatter scatter_add sigmoid sign sin sqrt square sub "
    "subtract tanh tril triu"
).split()
"""Methods `m_` for which a method `m` with the same arguments exists."""

_PLAIN = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript)


_LONG_QUOTES = ('"""', "'''")


def for_stale(reading: Reading, group: list[SavedTensor], write: Write, needer: Step | None) -> list[Fix]:
    """The possible fixes for a write that outdated a saved tensor, beginning with the fix that is closest to the original
    code."""
    nodes = {saved.node for saved in group}
    offered = [
        offer("clone_before_write", _write_to_clone, reading, write),
        offer("write_out_of_place", _out_of_place, reading, write),
        offer("move_write_below", step_below, reading, write, needer),
        offer("forward_again", _forward_again, reading, nodes, write, needer),
        offer("write_after_backward", write_below, reading, write, needer),
        offer("clone_before_save", _save_clone, reading, group),
        offer("clone_written", _clone_written, reading, write),
    ]
    return reading.written(offered)


def for_silent(reading: Reading, group: list[SavedTensor], write: Write, needer: Step | None) -> list[Fix]:
    """The possible fixes for a write that autograd did not notice: write to a copy, or after the backward."""
    offered = [
        offer("clone_before_write", _write_to_clone, reading, write),
        offer("write_after_backward", write_below, reading, write, needer),
        offer("clone_before_save", _save_clone, reading, group),
    ]
    return reading.written(offered)


def _forward_again(reading: Reading, nodes: set[NodeId], write: Write, needer: Step | None) -> str | None:
    """Runs the forward pass again if the write updated a leaf, as `opt.step()` does.

    Returns None for other writes, because a repeated forward pass would use the written values.
    """
    writer = None if write.step is None else reading.trace.steps[write.step]
    leaf = None if write.tensor is None else reading.base_of(write.tensor)
    if writer is None or needer is None or leaf is None or not is_update(reading, write):
        return None
    is_leaf = value_at(reading.trace.tensors[leaf].is_leaf, write.tick)
    return forward_again(reading, nodes, writer, needer) if is_leaf is True else None


def _write_to_clone(reading: Reading, write: Write) -> str | None:
    """`d = h.detach()` → `d = h.detach().clone()`. Returns None for `h.detach().mul_(2)`, where no code could read the copy."""
    if write.tensor is None:
        return None
    trace = reading.trace
    tensor = trace.tensors[reading.base_of(write.tensor)]
    statement = _statement(reading, tensor.made_by)
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return):
        return None
    aliases = [node for node in reading.syntax.walk(statement) if isinstance(node, ast.expr) and _is_alias(node)]
    if len(aliases) != 1 or _is_elsewhere(reading, _aliased(aliases[0]), tensor, write):
        return None
    inner = ast.get_source_segment(reading.syntax.text, _aliased(aliases[0]))
    return None if inner is None else with_replaced(trace.source, [(aliases[0], f"{inner}.detach().clone()")])


def _is_elsewhere(reading: Reading, aliased: ast.expr, alias: Tensor, write: Write) -> bool:
    """Whether the tensor `aliased`, of which `alias` is a copy or a view, is known to be on another Storage than the write."""
    step = None if alias.made_by is None else reading.trace.steps[alias.made_by]
    tensor = None if step is None else reading.tensor_of(aliased, step)
    geometry = reading.geometry_at(tensor, alias.born)
    return geometry is not None and geometry.storage != write.storage


def _is_alias(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="detach"), args=[], keywords=[]) | ast.Attribute(attr="data", ctx=ast.Load()):
            return True
    return False


def _aliased(node: ast.expr) -> ast.expr:
    attribute = node.func if isinstance(node, ast.Call) else node
    assert isinstance(attribute, ast.Attribute), "_is_alias has matched it"
    return attribute.value


def _out_of_place(reading: Reading, write: Write) -> str | None:
    """`out_of_place` for a write with gradients on; None under no_grad, where the new `h` would have no history."""
    if write.step is None or not reading.trace.steps[write.step].grad_enabled:
        return None
    return out_of_place(reading.syntax, _statement(reading, write.step))


def out_of_place(syntax: Syntax, statement: ast.stmt | None) -> str | None:
    """`h += 1` → `h = h + 1`; `h.add_(1)` → `h = h.add(1)`, if the new `h` is read."""
    text, name = syntax.text, _written_name(statement)
    if statement is None or not is_read_later(syntax, statement, name):
        return None
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value) if type(operator) in _OPERATORS:
            segment = ast.get_source_segment(text, value) or ""
            segment = segment if isinstance(value, _PLAIN) else f"({segment})"
            return with_replaced(text, [(statement, f"{name} = {name} {_OPERATORS[type(operator)]} {segment}")])
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))):
            segment = ast.get_source_segment(text, statement) or ""
            begin, found, rest = segment.partition(f".{method}")
            if found and begin == name and method.removesuffix("_") in _OUT_OF_PLACE and method.endswith("_"):
                return with_replaced(text, [(statement, f"{name} = {name}.{method.removesuffix('_')}{rest}")])
    return None


def _written_name(statement: ast.stmt | None) -> str:
    match statement:
        case ast.AugAssign(target=ast.Name(id=name)) | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name
    return ""


def _save_clone(reading: Reading, group: list[SavedTensor]) -> str | None:
    """Clones the saved operand: `out[i - 1] * w` → `out[i - 1].clone() * w`, `q @ queue.T` → `q @
    queue.clone().T`."""
    trace = reading.trace
    maker = trace.nodes[group[0].node].made_by
    span, step = reading.span_of(maker), None if maker is None else trace.steps[maker]
    piece = reading.node_at(span)
    storages = {saved.geometry.storage for saved in group}
    is_write = isinstance(piece, ast.Call) and last_name(piece).endswith("_")
    if step is None or is_write or not isinstance(piece, ast.BinOp | ast.Call):
        return None
    found: list[ast.expr] = []
    pending: list[ast.AST] = list(reading.syntax.children_of(piece))
    for _ in range(MOST_PIECES):
        node = pending.pop() if pending else None
        if not isinstance(node, ast.expr) and not isinstance(node, ast.keyword):
            continue
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and _storage_of(reading, node, step) in storages:
            found.append(node)
            continue
        pending += reading.syntax.children_of(node)
    clones = [(node, f"{ast.get_source_segment(reading.syntax.text, node)}.clone()") for node in found]
    return with_replaced(trace.source, clones) if clones else None


def _storage_of(reading: Reading, node: ast.expr, step: Step) -> StorageId | None:
    """The storage of the tensor that an expression evaluated to; for `x[i]` without a recorded result, the storage of `x`."""
    tensor = reading.tensor_of(node, step)
    while tensor is None and isinstance(node, ast.Subscript):
        node = node.value
        tensor = reading.tensor_of(node, step)
    geometry = reading.geometry_at(tensor, step.began)
    return None if geometry is None else geometry.storage


def _clone_written(reading: Reading, write: Write) -> str | None:
    """Inserts `out = out.clone()` above `out[0] = 1`; None if `out` is a view, because other names of the view's memory would
    not show the write."""
    step, statement = reading.statement_of(write.step), _statement(reading, write.step)
    match statement:
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name() as target)])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name() as target))
        ) if step is not None and step.grad_enabled:
            tensor = reading.tensor_of(target, step)
            record = None if tensor is None else reading.trace.tensors[tensor]
            geometry = None if record is None else value_at(record.geometry, step.began)
            if (
                record is None
                or geometry is None
                or geometry.storage != write.storage
                or reading.base_of(record.id) != record.id
            ):
                return None
            if len(reading.paths_of(record.id, step.began)) > 1 or not is_read_later(reading.syntax, statement, target.id):
                return None
            return statements_before(reading.trace.source, statement, [f"{target.id} = {target.id}.clone()"])
    return None


def _statement(reading: Reading, step: StepId | None) -> ast.stmt | None:
    statement = reading.statement_of(step)
    return None if statement is None or statement.span is None else reading.syntax.statement_over(statement.span)


def statements_after(source: str, statement: ast.stmt, added: list[str]) -> str | None:
    """The snippet with new statements below `statement`; None if `statement` shares its lines with another statement."""
    return _statements_at(source, statement, statement.end_lineno or statement.lineno, added)


def statements_before(source: str, statement: ast.stmt, added: list[str]) -> str | None:
    """The snippet with new statements above `statement`; None if `statement` shares its lines with another statement."""
    return _statements_at(source, statement, statement.lineno - 1, added)


def _statements_at(source: str, statement: ast.stmt, place: int, added: list[str]) -> str | None:
    alone, lines = stands_alone(source, statement), lines_of(source)
    return None if alone is None else if_python("\n".join([*lines[:place], *(alone + line for line in added), *lines[place:]]))


def under(source: str, statement: ast.stmt, header: str, more: Sequence[ast.stmt] = ()) -> str | None:
    """The snippet with a statement and the following statements moved into a block such as `with torch.no_grad():`."""
    lines, first = lines_of(source), statement.lineno - 1
    indentation = stands_alone(source, statement)
    if indentation is None:
        return _under_on_one_line(source, statement, header)
    last = max(each.end_lineno or each.lineno for each in (statement, *more))
    held = lines[first:last]
    is_long = any(quotes in line for line in held for quotes in _LONG_QUOTES)
    if is_long or any(stands_alone(source, each) is None for each in more):
        return None
    inner = ["    " + line if line.strip() else line for line in held]
    return if_python("\n".join([*lines[:first], indentation + header, *inner, *lines[last:]]))


def rest_under(source: str, block: list[ast.stmt], header: str) -> str | None:
    """The snippet with the first of these statements replaced by a header, and the other statements moved into the header's
    block."""
    first, *rest = block
    alone = stands_alone(source, first)
    if alone is None or not rest or any(stands_alone(source, statement) is None for statement in rest):
        return None
    lines, end = lines_of(source), rest[-1].end_lineno or rest[-1].lineno
    inner = [f"    {line}" if line.strip() else line for line in lines[first.lineno : end]]
    return if_python("\n".join([*lines[: first.lineno - 1], alone + header, *inner, *lines[end:]]))


def _under_on_one_line(source: str, statement: ast.stmt, header: str) -> str | None:
    """Splits `for p in ps: p -= g` into lines: the loop, a header inside the loop, and the statement below the header."""
    lines, first = lines_of(source), statement.lineno - 1
    line = lines[first].encode()
    before, written = (part.decode(errors="replace") for part in (line[: statement.col_offset], line[statement.col_offset :]))
    if not before.rstrip().endswith(":") or statement.end_lineno != statement.lineno or ";" in written:
        return None
    indentation = before[: len(before) - len(before.lstrip())]
    added = [before.rstrip(), f"{indentation}    {header}", f"{indentation}        {written}"]
    return if_python("\n".join([*lines[:first], *added, *lines[first + 1 :]]))


def with_keyword(source: str, call: ast.Call, keyword: str) -> str | None:
    """The snippet with one more keyword argument in a call."""
    return with_keywords(source, [call], keyword)


def with_keywords(source: str, calls: list[ast.Call], keyword: str) -> str | None:
    """The snippet with one more keyword argument in each of these calls, none of which is inside another."""
    replaced: list[tuple[ast.expr | ast.stmt, str]] = []
    for call in calls:
        text = ast.get_source_segment(normal(source), call)
        if text is None or not text.endswith(")"):
            return None
        begun = text[:-1].rstrip().rstrip(",")
        replaced.append((call, f"{begun}{', ' if call.args or call.keywords else ''}{keyword})"))
    return with_replaced(source, replaced)


def shortened(source: str, statement: ast.Assign) -> str | None:
    """`w = w - g` → `w -= g`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=operator, right=right)) if type(operator) in _OPERATORS:
            text = ast.get_source_segment(normal(source), right)
            return (
                None if text is None else with_replaced(source, [(statement, f"{name} {_OPERATORS[type(operator)]}= {text}")])
            )
    return None
