"""Finds a computation with a leaf's `.grad` that is None: the leaf does not require grad, or the gradient was cleared or not
yet computed."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, finder, offer
from app.explain.findings.mismatch import function_of_torch
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import known_tensor
from app.explain.rewriting.blocks import Function, levels, set_in
from app.explain.rewriting.rewrites import under
from app.trace.query import value_at
from app.trace.records import Step, StepId, TensorId

_METHODS = {f"{name}{end}" for name in ("add", "sub", "mul", "div") for end in ("", "_")} | {"copy_", "matmul", "dot"}
"""Methods of Tensor with a first argument that must be a Tensor or a number, never None."""

_FUNCTIONS = {"abs", "add", "clone", "div", "isfinite", "isnan", "mean", "mul", "norm", "sub", "sum", "zeros_like"}
"""Functions of torch with a first argument that must be a Tensor."""

_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)

_RESETS = ("zero_", "detach_")
"""Methods that programs call on a gradient before the next backward."""


@finder()
def find_none_grad(reading: Reading) -> list[Finding]:
    """An error if the expression that ended the run used a `.grad` that is None."""
    step = reading.fatal
    piece = None if step is None or step.name not in ("TypeError", "AttributeError") else reading.node_at(step.span)
    statement = None if step is None else reading.statement_of(step.id)
    if step is None or piece is None or statement is None or _may_have_changed(reading, statement):
        return []
    for grad in _taking_part(reading, piece, step):
        tensor = _tensor(reading, grad.value, step, statement)
        if tensor is None or value_at(reading.trace.tensors[tensor].grad, step.began) is not None:
            continue
        how, by = _why(reading, tensor, step)
        if not how:
            return []
        name, called = reading.syntax.text_of(grad.value), reading.name_of(tensor)
        arguments: Arguments = {
            "name": name,
            "called": called if called != name and called in reading.paths_of(tensor, step.began) else "none",
            "how": how,
            "by_line": reading.line_of(by) or 0,
        }
        fixes: Fixes = []
        guarded = _guarded(reading, piece, grad, step)
        if guarded is not None:
            fixes.append(offer("skip_none_grad", under, reading.trace.source, guarded, f"if {name}.grad is not None:"))
        return [reading.exception_finding("none_grad", step, [tensor], arguments, fixes=fixes, makers=[by])]
    return []


def _tensor(reading: Reading, node: ast.expr, step: Step, statement: Step) -> TensorId | None:
    """The Tensor of a variable or a path.

    For `p` in `for p in …: p -= p.grad` on one line, it is the Tensor of the iteration that failed.
    """
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    first = None if statement.span is None else reading.syntax.statement_at(statement.span)
    match first:
        case ast.For(target=ast.Name(id=target)) if isinstance(node, ast.Name) and node.id == target:
            return reading.tensor_of(node, step)
    return known_tensor(reading, node, step)


def _may_have_changed(reading: Reading, statement: Step) -> bool:
    """Whether the line that raised may have changed gradients, because the recorder sees changes only at the end of a line."""
    ran = reading.all_ran_by(statement)
    has_header = bool(ran) and isinstance(ran[0], ast.With | ast.For)
    return statement.id in reading.nodes_run or len(ran) > 1 + has_header


def _taking_part(reading: Reading, piece: ast.expr | ast.stmt, step: Step) -> list[ast.Attribute]:
    """The operands `X.grad` of an expression that raises if one of them is None."""
    match piece:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            is_ordered = not isinstance(piece, ast.Compare) or isinstance(piece.ops[0], _ORDERED)
            operands = [left, right] if is_ordered else []
        case ast.AugAssign(target=target, value=value):
            operands = [target, value]
        case ast.UnaryOp(op=ast.USub(), operand=value) | ast.Subscript(value=value) | ast.Attribute(value=value):
            operands = [value]
        case ast.Call(func=ast.Attribute(value=owner, attr=method), args=[given, *_]):
            function, is_torch = function_of_torch(reading, piece.func, step)
            is_known = (
                function in _FUNCTIONS if is_torch else method in _METHODS and known_tensor(reading, owner, step) is not None
            )
            operands = [given] if is_known else []
        case _:
            operands = []
    return [each for each in operands if isinstance(each, ast.Attribute) and each.attr == "grad"]


def _why(reading: Reading, tensor: TensorId, step: Step) -> tuple[str, StepId | None]:
    """Why a leaf has no gradient, and the step that caused it; "" for a non-leaf, or if the reason is unclear."""
    record = reading.trace.tensors[tensor]
    if value_at(record.is_leaf, step.began) is not True:
        return "", None
    had = [(tick, grad) for tick, grad in record.grad if tick <= step.began]
    requires = [(tick, required) for tick, required in record.requires_grad if tick <= step.began]
    if not reading.requires_grad(tensor, step.began):
        turned = reading.step_at(requires[-1][0]) if len(requires) > 1 else None
        by = record.made_by if len(requires) < 2 else None if turned is None else turned.id
        return ("turned_off" if len(requires) > 1 else "frozen", by) if len(had) < 2 and by is not None else ("", None)
    if len(had) < 2:
        return "unreached", record.made_by
    cleared = reading.statement_at_tick(had[-1][0])
    if cleared is None:
        return "", None
    is_zeroed = "zero_grad" in reading.syntax.calls_in(reading.statement_at(cleared))
    return "zero_grad" if is_zeroed else "cleared", cleared.id


def _guarded(reading: Reading, piece: ast.expr | ast.stmt, grad: ast.Attribute, step: Step) -> ast.stmt | None:
    """The statement that a fix puts under `if x.grad is not None:`.

    It resets the gradient, or runs in a loop over tensors. None for other statements.
    """
    statement = piece if isinstance(piece, ast.stmt) else reading.syntax.statement_around(piece)
    if not isinstance(statement, ast.AugAssign | ast.Expr):
        return None
    if isinstance(piece, ast.Attribute) and piece.attr in _RESETS:
        return statement
    around = [level.owner for level in levels(reading.syntax, statement)]
    functions = [place for place, owner in enumerate(around) if isinstance(owner, Function)]
    inside = around[functions[-1] if functions else 0 :]
    targets = [each.target for each in inside if isinstance(each, ast.For)]
    is_of_loop = isinstance(grad.value, ast.Name) and grad.value.id in set_in(reading.syntax, targets)
    ran = next(iter(reading.nodes_run), None)
    is_after = ran is not None and reading.trace.steps[ran].began < step.began
    return statement if is_of_loop and is_after else None
