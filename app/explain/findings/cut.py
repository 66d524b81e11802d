"""A backward from a tensor that has no graph: the line that cut it, and how."""

import ast
from functools import partial

from app.explain.finding import Arguments, Finding
from app.explain.findings.making import finding_from_exception
from app.explain.reading.backward import backward_call
from app.explain.reading.provenance import Cut, provenance
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import Fixes, shortened, with_keyword
from app.trace.query import value_at
from app.trace.records import Step, TensorId

MOST_CUTS = 20
"""Refused backwards whose way back to the cut is followed; a loop can catch any number alike."""

_MAKERS = tuple(
    f"torch.{name}" for name in "tensor ones zeros randn rand full linspace eye ones_like zeros_like randn_like".split()
)
"""Functions that take `requires_grad`."""


def find_cut(reading: Reading) -> list[Finding]:
    """An error for each backward that torch refused because its root does not require grad."""
    findings: list[Finding] = []
    for step, piece in reading.failures:
        called, statement = backward_call(piece), reading.statement_of(step.id)
        if called is None or len(called.roots) != 1 or statement is None or statement.id in reading.nodes_run:
            continue
        tensor = reading.tensor_of(called.roots[0], step)
        if (
            tensor is not None
            and not reading.requires_grad(tensor, step.began)
            and (len(findings) < MOST_CUTS or step is reading.fatal)
        ):
            findings.append(_finding(reading, tensor, reading.syntax.text_of(called.roots[0]), step))
    return findings


def _finding(reading: Reading, root: TensorId, name: str, step: Step) -> Finding:
    found = provenance(reading, root)
    cut = found.cut
    how = "unknown" if cut is None else cut.how
    if cut is None and not reading.some_require_grad(step.began):
        how = "nothing"
    fixes: Fixes = []
    if cut is not None:
        fixes.append(("write_in_place", partial(_in_place, reading, cut)))
        fixes.append(("without_detach", partial(_unmarked, reading, cut)))
        fixes.append(("stack", partial(_stacked, reading, cut)))
        fixes.append(("with_grad", partial(_with_grad, reading, cut)))
    elif how == "nothing" and found.whole and len(found.origins) == 1:
        fixes.append(("ask_for_grad", partial(_asked, reading, found.origins[0])))
    origin = reading.name_of(found.origins[0]) if len(found.origins) == 1 else ""
    arguments: Arguments = {
        "root": reading.quoted(name, step.frame),
        "how": how,
        "name": origin if cut is None else reading.quoted(cut.name, cut.step.frame),
        "known": "yes" if (origin if cut is None else cut.name) else "no",
        "cut_line": 0 if cut is None else reading.line_of(cut.step.id) or 0,
    }
    tensors, makers = ([root], []) if cut is None else ([cut.tensor, root], [cut.step.id])
    return finding_from_exception(reading, "cut_graph", step, tensors, arguments, fixes=fixes, makers=makers)


def _in_place(reading: Reading, cut: Cut) -> str | None:
    """`w = w - 0.1 * w.grad` → `w -= 0.1 * w.grad`, where grad mode is off and `w` a leaf."""
    statement = reading.statement_at(reading.statement_of(cut.step.id))
    is_leaf = value_at(reading.trace.tensors[cut.tensor].is_leaf, cut.step.began)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=left))) if (
            name == left and is_leaf is True
        ):
            if cut.how == "no_grad":
                return shortened(reading.trace.source, statement)
    return None


def _unmarked(reading: Reading, cut: Cut) -> str | None:
    """`y.detach() * 3` → `y * 3`, and the same of `.data`. Not of a leaf, which may be meant to be written."""
    if value_at(reading.trace.tensors[cut.tensor].is_leaf, cut.step.began) is not False:
        return None
    match cut.mark:
        case (
            ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[], keywords=[])
            | ast.Attribute(value=value, attr="data")
        ):
            text = ast.get_source_segment(reading.syntax.text, value)
            return None if text is None else with_replaced(reading.trace.source, [(cut.mark, text)])
    return None


def _stacked(reading: Reading, cut: Cut) -> str | None:
    """`torch.tensor([a, b])` → `torch.stack([a, b])`, of numbers that are tensors."""
    match cut.mark:
        case ast.Call(func=ast.Attribute() as function, args=[ast.List()], keywords=[]) if dotted(function) == "torch.tensor":
            return with_replaced(reading.trace.source, [(function, "torch.stack")])
    return None


def _with_grad(reading: Reading, cut: Cut) -> str | None:
    """`with torch.no_grad():` → `with torch.enable_grad():`, where the cut stands right below it."""
    if cut.how != "no_grad":
        return None
    line = reading.line_of(cut.step.id) or 0
    for node in reading.syntax.of(ast.With):
        match node:
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=function, args=[], keywords=[]) as call)]):
                if dotted(function) == "torch.no_grad" and node.lineno <= line <= (node.end_lineno or 0):
                    return with_replaced(reading.trace.source, [(call, "torch.enable_grad()")])
    return None


def _asked(reading: Reading, origin: TensorId) -> str | None:
    """`x = torch.ones(2)` → `x = torch.ones(2, requires_grad=True)`."""
    tensor = reading.trace.tensors[origin]
    geometry = value_at(tensor.geometry, tensor.born)
    piece = None if tensor.made_by is None else reading.node_at(reading.span_of(tensor.made_by))
    if geometry is None or not geometry.dtype.startswith(("float", "bfloat", "complex")):
        return None
    if not isinstance(piece, ast.Call) or dotted(piece.func) not in _MAKERS:
        return None
    return with_keyword(reading.trace.source, piece, "requires_grad=True")
