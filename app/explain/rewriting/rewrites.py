"""The fixes for a write to what was saved: the snippet rewritten so that backward finds the numbers it kept."""

import ast
from collections.abc import Callable
from functools import partial

from app.explain.finding import Fix
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import if_python, lines_of, normal
from app.explain.reading.syntax import Syntax, place_of
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import SavedTensor, Step, StepId, Write

MOST = 2
"""More choices help nobody."""

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
"""Methods `m_` that have an `m` with the same arguments."""

_PLAIN = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript)


Fixes = list[tuple[str, Callable[[], str | None]]]
"""What might be offered, the best first: a title, and what writes the snippet if it can be written."""


def for_stale(reading: Reading, group: list[SavedTensor], write: Write, needer: Step | None) -> list[Fix]:
    """What can be offered when a write outdated what was saved, the closest to what was written first."""
    offered: Fixes = [
        ("clone_before_write", partial(_write_to_clone, reading, write)),
        ("write_out_of_place", partial(_out_of_place, reading, write)),
        ("move_write_below", partial(_below, reading, write, needer)),
        ("clone_before_save", partial(_save_clone, reading, group)),
    ]
    return fixes_of(reading, offered)


def for_silent(reading: Reading, write: Write) -> list[Fix]:
    """What can be offered when a write hid from autograd: write to a copy, or let autograd know."""
    offered: Fixes = [
        ("clone_before_write", partial(_write_to_clone, reading, write)),
        ("detach_tells", partial(_replace_alias, reading, write, ("data",), ".detach()")),
    ]
    return fixes_of(reading, offered)


def fixes_of(reading: Reading, offered: Fixes) -> list[Fix]:
    """Those that can be written, the best first, as long as the reading has room for more."""
    fixes: list[Fix] = []
    for title, rewrite in offered:
        text = rewrite() if len(fixes) < MOST and reading.may_rewrite() else None
        if text is not None and text != reading.syntax.text and reading.may_keep(text):
            fixes.append(Fix(title=title, source=text))
    return fixes


def _write_to_clone(reading: Reading, write: Write) -> str | None:
    """`h.detach().mul_(2)` → `h.detach().clone().mul_(2)`, also where the alias was made on another line."""
    return _replace_alias(reading, write, ("detach", "data"), ".detach().clone()")


def _replace_alias(reading: Reading, write: Write, spellings: tuple[str, ...], instead: str) -> str | None:
    if write.tensor is None:
        return None
    trace = reading.trace
    tensor = trace.tensors[reading.base_of(write.tensor)]
    statement = _statement(reading, tensor.made_by)
    if statement is None or isinstance(statement, ast.FunctionDef | ast.For | ast.While | ast.With | ast.If):
        return None
    aliases = [node for node in reading.syntax.walk(statement) if isinstance(node, ast.expr) and _alias(node) in spellings]
    if len(aliases) != 1:
        return None
    inner = ast.get_source_segment(reading.syntax.text, _aliased(aliases[0]))
    return None if inner is None else with_replaced(trace.source, [(aliases[0], inner + instead)])


def _alias(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Attribute(attr="detach"), args=[], keywords=[]):
            return "detach"
        case ast.Attribute(attr="data", ctx=ast.Load()):
            return "data"
    return ""


def _aliased(node: ast.expr) -> ast.expr:
    attribute = node.func if isinstance(node, ast.Call) else node
    assert isinstance(attribute, ast.Attribute), "_alias has matched it"
    return attribute.value


def _out_of_place(reading: Reading, write: Write) -> str | None:
    """Not under no_grad, where the new `h` would have no history."""
    if write.step is None or not reading.trace.steps[write.step].grad_enabled:
        return None
    return out_of_place(reading.trace.source, _statement(reading, write.step))


def out_of_place(source: str, statement: ast.stmt | None) -> str | None:
    """`h += 1` → `h = h + 1`; `h.add_(1)` → `h = h.add(1)`."""
    text = normal(source)
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


def _below(reading: Reading, write: Write, needer: Step | None) -> str | None:
    """`opt.step()` above the backward that still needs the weights → below it. Both whole lines of one block."""
    if needer is None:
        return None
    writer = _statement(reading, write.step)
    reader = _statement(reading, needer.id)
    if not _calls_step(writer) or not isinstance(reader, ast.Expr) or writer is None:
        return None
    for block in _blocks(reading.syntax):
        if writer in block and reader in block and block.index(writer) < block.index(reader):
            alone = sum(statement.lineno in (writer.lineno, reader.lineno) for statement in block) == 2
            lines, end = reading.syntax.lines, reader.end_lineno or reader.lineno
            begin, after = writer.lineno - 1, writer.end_lineno or writer.lineno
            moved = [*lines[:begin], *lines[after:end], *lines[begin:after], *lines[end:]]
            return if_python("\n".join(moved)) if alone else None
    return None


def _calls_step(statement: ast.stmt | None) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and _ends_in_step(statement.value.func)


def _ends_in_step(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "step"


def _blocks(syntax: Syntax) -> list[list[ast.stmt]]:
    return [
        block
        for node in syntax.nodes
        for field in ("body", "orelse", "finalbody")
        if isinstance(block := getattr(node, field, None), list)
    ]


def _save_clone(reading: Reading, group: list[SavedTensor]) -> str | None:
    """`out[i - 1] * w` → `out[i - 1].clone() * w`, when that very expression saved the operand."""
    trace = reading.trace
    span = reading.span_of(trace.nodes[group[0].node].made_by)
    if span is None:
        return None
    begin, end = reading.syntax.at_column(span.line, span.column), reading.syntax.at_column(span.end_line, span.end_column)
    for node in reading.syntax.of(ast.BinOp):
        if place_of(node) == (span.line, begin, span.end_line, end):
            operands = {"self": node.left, "other": node.right, "mat2": node.right, "vec": node.right}
            saved = [operands[name] for name in dict.fromkeys(slot.name for slot in group) if name in operands]
            plain = [operand for operand in saved if isinstance(operand, ast.Name | ast.Subscript | ast.Attribute)]
            text = reading.syntax.text
            clones = [(operand, f"{ast.get_source_segment(text, operand)}.clone()") for operand in plain]
            return with_replaced(trace.source, clones) if clones else None
    return None


def _statement(reading: Reading, step: StepId | None) -> ast.stmt | None:
    statement = reading.statement_of(step)
    return None if statement is None or statement.span is None else reading.syntax.statement_over(statement.span)


def statements_after(source: str, statement: ast.stmt, added: list[str]) -> str | None:
    """The snippet with these statements below one that stands on lines of its own."""
    alone = _alone(source, statement)
    if alone is None:
        return None
    lines, last = lines_of(source), statement.end_lineno or statement.lineno
    return if_python("\n".join([*lines[:last], *(alone + line for line in added), *lines[last:]]))


def statements_before(source: str, statement: ast.stmt, added: list[str]) -> str | None:
    """The snippet with these statements above one that stands on lines of its own."""
    alone = _alone(source, statement)
    if alone is None:
        return None
    lines, first = lines_of(source), statement.lineno - 1
    return if_python("\n".join([*lines[:first], *(alone + line for line in added), *lines[first:]]))


def under(source: str, statement: ast.stmt, header: str) -> str | None:
    """The snippet with a statement, alone on its line, in a block of its own: `with torch.no_grad():`."""
    alone = _alone(source, statement)
    if alone is None or statement.end_lineno != statement.lineno:
        return None
    lines, first = lines_of(source), statement.lineno - 1
    return if_python("\n".join([*lines[:first], alone + header, "    " + lines[first], *lines[first + 1 :]]))


def rest_under(source: str, block: list[ast.stmt], header: str) -> str | None:
    """The snippet with a header in the place of the first of these statements and the others in its block."""
    first, *rest = block
    alone = _alone(source, first)
    if alone is None or not rest or any(_alone(source, statement) is None for statement in rest):
        return None
    lines, end = lines_of(source), rest[-1].end_lineno or rest[-1].lineno
    inner = [f"    {line}" if line.strip() else line for line in lines[first.lineno : end]]
    return if_python("\n".join([*lines[: first.lineno - 1], alone + header, *inner, *lines[end:]]))


def _alone(source: str, statement: ast.stmt) -> str | None:
    """The indentation of a statement that shares its lines with no other; None when it does."""
    lines, last = lines_of(source), statement.end_lineno or statement.lineno
    indentation = lines[statement.lineno - 1][: statement.col_offset]
    rest = lines[last - 1].encode()[statement.end_col_offset or 0 :].decode(errors="replace").strip()
    return None if indentation.strip() or (rest and not rest.startswith("#")) else indentation


def with_keyword(source: str, call: ast.Call, keyword: str) -> str | None:
    """The snippet with one more keyword argument in a call."""
    text = ast.get_source_segment(normal(source), call)
    if text is None or not text.endswith(")"):
        return None
    begun = text[:-1].rstrip().rstrip(",")
    return with_replaced(source, [(call, f"{begun}{', ' if call.args or call.keywords else ''}{keyword})")])


def shortened(source: str, statement: ast.Assign) -> str | None:
    """`w = w - g` → `w -= g`."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(op=operator, right=right)) if type(operator) in _OPERATORS:
            text = ast.get_source_segment(normal(source), right)
            return (
                None if text is None else with_replaced(source, [(statement, f"{name} {_OPERATORS[type(operator)]}= {text}")])
            )
    return None
