"""Finds a gradient passed to `backward`, `autograd.grad` or `.grad` whose shape or type does not match its tensor."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.reading.backward_calls import backward_call
from app.explain.reading.shapes import Operand
from app.explain.reading.syntax import last_name
from app.explain.rewriting.fitting import argument
from app.trace.query import value_at


@failure_finder("RuntimeError", "TypeError")
def find_gradient_given(failure: Failure) -> list[Finding]:
    """An error if the run ended because torch refused a passed gradient."""
    called = backward_call(failure.piece)
    if called is not None and called.has_gradient and len(called.roots) == 1 and failure.keyword("is_grads_batched") is None:
        given = _given(called.call)
        root = failure.operand(called.roots[0])
        return [] if given is None or root is None else _of_call(failure, called.call, called.roots[0], root, given)
    match failure.piece:
        case ast.Attribute(value=owner, attr="grad", ctx=ast.Store()) as target:
            return _of_assignment(failure, owner, target)
    return []


def _given(call: ast.Call) -> ast.expr | None:
    if last_name(call) == "grad":
        given = argument(call, 2, "grad_outputs")
    elif isinstance(call.func, ast.Attribute) and last_name(call.func.value) == "autograd":
        given = argument(call, 1, "grad_tensors")
    else:
        given = argument(call, 0, "gradient")
    match given:
        case ast.List(elts=[only]) | ast.Tuple(elts=[only]):
            return only
    return given


def _of_call(failure: Failure, call: ast.Call, node: ast.expr, root: Operand, given: ast.expr) -> list[Finding]:
    reading = failure.reading
    text = ast.get_source_segment(reading.syntax.text, node)
    fixes: Fixes = []
    if isinstance(given, ast.Constant) and isinstance(given.value, bool):
        if len(call.args) == 1 and last_name(call) == "backward":
            fixes.append(offer("keep_graph", failure.replaced, given, f"retain_graph={given.value}"))
        return _finding(failure, "flag", root, None, given, fixes)
    number = _number(failure, given)
    if number:
        fixes = [offer("wrap_number", failure.replaced, given, f"torch.tensor({number})")] if not root.shape else []
        is_one = isinstance(given, ast.Constant) and given.value == 1 and len(call.args) == 1 and not call.keywords
        if is_one and not root.shape and last_name(call) == "backward":
            fixes = [offer("drop_gradient", failure.replaced, call, f"{text}.backward()")]
        return _finding(failure, "number", root, None, given, fixes)
    operand = failure.operand(given)
    if operand is None or operand.shape == root.shape:
        return []
    fixes = []
    if text is not None and _is_ones(failure, given):
        fixes.append(offer("like_root", failure.replaced, given, f"torch.ones_like({text})"))
    return _finding(failure, "shape", root, operand, given, fixes)


def _is_ones(failure: Failure, given: ast.expr) -> bool:
    """Whether a gradient comes from `torch.ones(…)` or `ones_like(…)`.

    Such a gradient stands for the sum of all elements, so that a fix may change its shape.
    """
    made = failure.reading.syntax.only_value(ast.Name, given.id) if isinstance(given, ast.Name) else given
    return isinstance(made, ast.Call) and last_name(made) in ("ones", "ones_like")


def _number(failure: Failure, given: ast.expr | None) -> str:
    """The source of a number that is used as a tensor; "" if the expression is not a number."""
    match given:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return repr(value)
        case ast.Name(id=name):
            held = failure.reading.held(name, failure.step)
            return name if held is not None and held.type in ("int", "float") else ""
    return ""


def _of_assignment(failure: Failure, owner: ast.expr, target: ast.Attribute) -> list[Finding]:
    """Finds `p.grad = g` with a gradient that does not match `p`."""
    statement = failure.reading.syntax.statement_around(target)
    value = statement.value if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    operand = failure.operand(owner)
    if value is None or operand is None:
        return []
    number = _number(failure, value)
    if number:
        is_zero = isinstance(value, ast.Constant) and value.value == 0
        fixes = [offer("clear_gradient", failure.replaced, value, "None")] if is_zero else []
        return _finding(failure, "assigned_number", operand, None, value, fixes)
    given = failure.operand(value)
    if given is None or (given.shape, given.dtype) == (operand.shape, operand.dtype):
        return []
    if given.shape != operand.shape:
        return _finding(failure, "assigned_shape", operand, given, value, [])
    text = failure.reading.syntax.text_of(owner)
    fixes = [offer("as_dtype", failure.with_method, value, "to", f"{text}.dtype")]
    is_leaf = value_at(failure.reading.trace.tensors[operand.tensor].is_leaf, failure.step.began)
    return _finding(failure, "assigned_dtype", operand, given, value, fixes if is_leaf else [])


def _finding(
    failure: Failure, rule: str, root: Operand, given: Operand | None, written: ast.expr, fixes: Fixes
) -> list[Finding]:
    text = clipped(failure.reading.syntax.text_of(written))
    other: Arguments = {"right": text, "right_shape": "", "right_dtype": "", "right_line": 0, "right_from": "made"}
    told = {**failure.told(root, "left"), **(other if given is None else failure.told(given, "right")), "rule": rule}
    operands = [root] if given is None else [root, given]
    return [failure.single_finding("gradient_given", operands, told, fixes=fixes)]
