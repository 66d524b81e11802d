"""Finds integer tensors that should require grad: `torch.tensor([1, 2, 3], requires_grad=True)`."""

import ast

from app.explain.finding import Arguments, Finding, offer
from app.explain.findings.mismatch import Failure, failure_finder, function_of_torch
from app.explain.reading.reading import Reading
from app.explain.reading.shapes import Operand
from app.explain.reading.snippet import dotted
from app.explain.rewriting.replacing import with_replaced
from app.explain.rewriting.rewrites import with_keyword

_DTYPES = {"long": "int64", "int": "int32", "short": "int16"}
_INTEGERS = ("int", "uint", "bool")
_LITERAL = ("tensor", "as_tensor", "arange", "full")
"""Functions with a result that has the dtype of the numbers passed to them."""

_MAKERS = (*_LITERAL, "randint", "zeros", "ones", "zeros_like", "ones_like", "empty")


@failure_finder("RuntimeError")
def find_integer_leaf(failure: Failure) -> list[Finding]:
    """An error for an integer tensor for which `requires_grad` was set."""
    reading = failure.reading
    operand: Operand | None = None
    match failure.piece:
        case ast.Call(func=ast.Attribute(value=value, attr="requires_grad_")):
            operand = failure.operand(value)
        case ast.Attribute(value=value, attr="requires_grad", ctx=ast.Store()):
            operand = failure.operand(value)
        case ast.Assign(targets=[ast.Attribute(value=value, attr="requires_grad")]):
            operand = failure.operand(value)
        case ast.Call(args=[value, *_]) as call if function_of_torch(reading, call.func, failure.step)[0] == "Parameter":
            operand = failure.operand(value)
        case ast.Call() as call:
            return _made(failure, call)
    if operand is None or not operand.dtype.startswith(_INTEGERS):
        return []
    maker = None if operand.maker is None else reading.node_at(reading.span_of(operand.maker))
    fixes = [offer("make_floats", _of_floats, reading, maker)] if isinstance(maker, ast.Call) else []
    arguments: Arguments = {**failure.told(operand, "left"), "known": "yes", "dtype": operand.dtype}
    return [failure.single_finding("integer_leaf", [operand], arguments, fixes=fixes)]


def _made(failure: Failure, call: ast.Call) -> list[Finding]:
    """Finds `torch.tensor([1, 2], requires_grad=True)`, which raises before torch creates the tensor."""
    name, is_torch = function_of_torch(failure.reading, call.func, failure.step)
    asked = failure.keyword("requires_grad")
    if not is_torch or name not in _MAKERS or not (isinstance(asked, ast.Constant) and asked.value is True):
        return []
    written = failure.keyword("dtype")
    dtype = "" if written is None else dotted(written).rpartition(".")[2]
    dtype = _DTYPES.get(dtype, dtype)
    if written is None and (name == "randint" or (name in _LITERAL and _are_integers(call.args))):
        dtype = "int64"
    if not dtype.startswith(_INTEGERS):
        return []
    fixes = [offer("make_floats", _of_floats, failure.reading, call)]
    arguments: Arguments = {"known": "no", "dtype": dtype, "left": dotted(call.func), "left_line": 0, "left_from": "made"}
    return [failure.reading.exception_finding("integer_leaf", failure.step, [], arguments, fixes=fixes)]


def _are_integers(nodes: list[ast.expr]) -> bool:
    """Whether these nodes, including nested lists, contain at least one number and only integers."""
    pending, found = list(nodes), False
    while pending:
        match pending.pop():
            case ast.List(elts=inner) | ast.Tuple(elts=inner):
                pending += inner
            case ast.Constant(value=value) | ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if type(value) in (
                int,
                bool,
            ):
                found = True
            case _:
                return False
    return found


def _of_floats(reading: Reading, call: ast.Call) -> str | None:
    """`torch.tensor([1, 2])` → `torch.tensor([1, 2], dtype=torch.float32)`."""
    if dotted(call.func).rpartition(".")[2] not in _MAKERS or "torch" not in reading.syntax.bound_names:
        return None
    written = next((keyword.value for keyword in call.keywords if keyword.arg == "dtype"), None)
    if written is None:
        return with_keyword(reading.trace.source, call, "dtype=torch.float32")
    return with_replaced(reading.trace.source, [(written, "torch.float32")])
