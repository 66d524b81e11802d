"""Finds refused arguments: a size that is a float or not a tuple, a dtype as a string, a negative slice step, an empty tensor."""

import ast
from math import isnan, prod

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.autograd.custom_function import blamed_step
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch
from app.explain.reading.backward_calls import backward_call
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import last_name
from app.explain.rewriting.fitting import with_behind
from app.explain.rewriting.replacing import with_replaced
from app.trace.query import elements

_MODES = ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "detect_anomaly", "profile")
_SIZED = ("zeros", "ones", "empty", "randn", "rand", "view", "reshape", "expand", "repeat", "new_zeros", "new_ones")
_WITHOUT_EMPTY = ("max", "min", "argmax", "argmin", "aminmax", "amax", "amin")
_SQUARE = (
    "inv",
    "inverse",
    "det",
    "slogdet",
    "logdet",
    "cholesky",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "solve",
    "matrix_power",
)
_DTYPES = (
    "float16 float32 float64 float double half bfloat16 int8 int16 int32 int64 int long uint8 bool complex64 complex128".split()
)
_PYTHON = {"float_": "float64", "bool_": "bool", "int_": "int64"}

_Told = tuple[str, Arguments, Fixes, list[Operand]]
"""The rule, the arguments of its message, the fixes, and the tensors."""

_NOTHING: Arguments = {"text": "none", "name": "none", "item": "none", "cause_line": 0, "taken": 0}


_REFUSALS = ("TypeError", "ValueError", "RuntimeError", "IndexError", "AttributeError", "_LinAlgError", "LinAlgError")


@failure_finder(*_REFUSALS, after=["find_custom_backward"])
def find_refused_call(failure: Failure) -> list[Finding]:
    """An error if the run ended because torch refused an argument."""
    told = _told(failure)
    if told is None:
        return []
    rule, arguments, fixes, operands = told
    shown: Arguments = {"left": "none", "left_shape": "", "left_dtype": "", "left_line": 0, "left_from": "made"}
    shown = failure.told(operands[0], "left") if operands else shown
    line = int(arguments.get("cause_line", 0))
    causes = [blamed_step(failure.reading, line)] if line else []
    makers = [*causes, *(each.maker for each in operands)]
    everything: Arguments = {**_NOTHING, **shown, **arguments, "rule": rule}
    tensors = [each.tensor for each in operands]
    return [failure.reading.exception_finding("refused_call", failure.step, tensors, everything, fixes=fixes, makers=makers)]


def _told(failure: Failure) -> _Told | None:
    piece = failure.piece
    match piece:
        case ast.With(items=items):
            return _mode(failure, [each.context_expr for each in items])
        case ast.Attribute() | ast.Name() if isinstance(failure.reading.syntax.statement_around(piece), ast.With):
            return _mode(failure, [piece])
        case ast.Subscript(value=owner, slice=index) if failure.step.name == "ValueError":
            return _backwards(failure, piece, owner, index)
        case ast.For(iter=over):
            return _gone_through(failure, over)
        case ast.Call(func=ast.Name(id="range"), args=[*_, count]):
            return _counted(failure, count)
        case ast.Call(func=ast.Name(id="len" | "list" | "tuple" | "sum" | "iter"), args=[over]):
            return _gone_through(failure, over)
        case ast.Call() if backward_call(piece) is not None:
            return _backward(failure, piece)
        case ast.Call():
            return _called(failure, piece)
    return None


def _mode(failure: Failure, managers: list[ast.expr]) -> _Told | None:
    """Finds `with torch.no_grad:`."""
    for each in managers:
        if last_name(each) in _MODES and isinstance(each, ast.Attribute | ast.Name) and dotted(each):
            text = failure.reading.syntax.text_of(each)
            return "not_called", {"text": text}, [offer("call_it", failure.replaced, each, f"{text}()")], []
    return None


def _backwards(failure: Failure, piece: ast.Subscript, owner: ast.expr, index: ast.expr) -> _Told | None:
    """Finds `x[::-1]`."""
    operand = failure.operand(owner)
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    steps = [
        integer(failure.reading, each.step, failure.step) if isinstance(each, ast.Slice) and each.step is not None else None
        for each in items
    ]
    if operand is None or not any(step is not None and step < 0 for step in steps):
        return None
    is_whole = all(isinstance(each, ast.Slice) and each.lower is None and each.upper is None for each in items)
    flipped = [at for at, step in enumerate(steps) if step == -1]
    written = ast.get_source_segment(failure.reading.syntax.text, owner)
    fixes: Fixes = []
    if is_whole and len(flipped) == sum(step is not None for step in steps) and written is not None:
        text = f"{written}.flip({', '.join(map(str, flipped))})"
        fixes.append(offer("flip_instead", failure.replaced, piece, text))
    return "backwards", {"text": clipped(failure.reading.syntax.text_of(piece))}, fixes, [operand]


def _gone_through(failure: Failure, over: ast.expr) -> _Told | None:
    """Finds `for part in loss:` if the loss is a single number."""
    operand = failure.operand(over)
    is_it = operand is not None and not operand.shape and failure.step.name == "TypeError"
    return ("one_number", {}, [], [operand]) if operand is not None and is_it else None


def _counted(failure: Failure, count: ast.expr) -> _Told | None:
    """Finds `range(x.shape)` and `range(x.size())`."""
    text = failure.reading.syntax.text_of(count)
    held = failure.reading.held(count.id, failure.step) if isinstance(count, ast.Name) else None
    is_size = (held is not None and held.type == "Size") or (
        isinstance(count, ast.Attribute | ast.Call) and last_name(count) in ("shape", "size")
    )
    if not is_size or failure.step.name != "TypeError" or (isinstance(count, ast.Call) and count.args):
        return None
    return "range_of_size", {"text": clipped(text)}, [offer("first_size", with_behind, failure.source, count, "[0]")], []


def _backward(failure: Failure, piece: ast.Call) -> _Told | None:
    """Finds a tensor hook with the wrong number of parameters, or a complex loss."""
    reading, called = failure.reading, backward_call(piece)
    if failure.step.name == "TypeError" and not reading.found_by("find_custom_backward"):
        for _, _, call in reading.runs_with(ast.Call, "register_hook"):
            given = call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else None
            function = _function(failure, given)
            names = [] if function is None else [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
            is_plain = function is not None and not function.args.vararg and not function.args.kwonlyargs
            if (
                function is not None
                and given is not None
                and is_plain
                and not 1 <= len(names) <= 1 + len(function.args.defaults)
            ):
                told: Arguments = {"text": clipped(reading.syntax.text_of(given)), "name": ", ".join(names) or "none"}
                return "hook_arguments", {**told, "cause_line": function.lineno, "taken": len(names)}, [], []
    root = failure.operand(called.roots[0]) if called is not None and len(called.roots) == 1 else None
    is_complex = root is not None and root.dtype.startswith("complex") and prod(root.shape) == 1
    is_it = is_complex and called is not None and not called.has_gradient and failure.step.name == "RuntimeError"
    return ("complex_loss", {}, [], [root]) if root is not None and is_it else None


def _function(failure: Failure, node: ast.expr | None) -> ast.FunctionDef | ast.Lambda | None:
    """The definition of a function argument: the lambda itself, or the snippet's only function of this name; else None."""
    if isinstance(node, ast.Lambda):
        return node
    found = [each for each in failure.reading.syntax.of(ast.FunctionDef) if isinstance(node, ast.Name) and each.name == node.id]
    return found[0] if len(found) == 1 and node is not None and isinstance(node, ast.Name) else None


# --- functions of torch and methods -------------------------------------------------------------------------------------


def _called(failure: Failure, piece: ast.Call) -> _Told | None:
    name, nodes = failure.called
    is_torch = function_of_torch(failure.reading, piece.func, failure.step)[1]
    if failure.step.name == "TypeError":
        found = _dtype(failure) if is_torch else None
        found = found or (_randint(failure, nodes) if name == "randint" and is_torch else None)
        return found or (_float_size(failure, name, piece.args) if name in _SIZED else None)
    operand = failure.operand(nodes[0]) if nodes else None
    if operand is None:
        return None
    if "LinAlgError" in (failure.step.name or ""):
        return _matrix(name, operand)
    if name in _SQUARE and len(operand.shape) >= 2 and operand.shape[-1] != operand.shape[-2]:
        return "not_square", {"name": name, "item": str(operand.shape)}, [], [operand]
    is_plain = len(nodes) == 1 and not piece.keywords
    if name in _WITHOUT_EMPTY and is_plain and not prod(operand.shape):
        return "empty", {"name": name}, [], [operand]
    match name:
        case "multinomial" | "bernoulli":
            return _probabilities(failure, name, operand, nodes[0])
        case "masked_fill" | "masked_fill_":
            return _filled(failure, name, nodes)
        case "register_hook" | "retain_grad" if not failure.reading.requires_grad(operand.tensor, failure.step.began):
            return "no_gradient", {"name": name}, [], [operand]
        case "indices" | "values" if _is_sparse(failure, operand):
            fixes = [offer("coalesce_first", with_behind, failure.source, nodes[0], ".coalesce()")]
            return "uncoalesced", {"name": name}, fixes, [operand]
    return None


def _is_sparse(failure: Failure, operand: Operand) -> bool:
    geometry = failure.reading.geometry_at(operand.tensor, failure.step.began)
    return geometry is not None and "sparse_coo" in geometry.layout


def _matrix(name: str, operand: Operand) -> _Told | None:
    """Finds a matrix that is singular or not positive-definite.

    For a single matrix, these functions raise such an error only because of the matrix's values.
    """
    if len(operand.shape) != 2:
        return None
    if name in ("solve", "inv", "inverse", "tensorinv", "tensorsolve"):
        return "singular", {"name": name}, [], [operand]
    return ("not_definite", {"name": name}, [], [operand]) if name == "cholesky" else None


def _dtype(failure: Failure) -> _Told | None:
    """Finds `dtype='float32'` and `dtype=np.float32`."""
    written = failure.keyword("dtype")
    match written:
        case ast.Constant(value=str(name)):
            pass
        case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name):
            name = _PYTHON.get(name, name)
        case _:
            return None
    text = failure.reading.syntax.text_of(written)
    fixes = [offer("torch_dtype", failure.replaced, written, f"torch.{name}")] if name in _DTYPES else []
    return "dtype", {"text": clipped(text), "item": name if fixes else "none"}, fixes, []


def _randint(failure: Failure, nodes: list[ast.expr]) -> _Told | None:
    """Finds `torch.randint(0, 10, n)` and `torch.randint(0, 10)`."""
    numbers = [integer(failure.reading, each, failure.step) for each in nodes]
    if failure.keyword("size") is not None or None in numbers or not 1 <= len(nodes) <= 3:
        return None
    text = ast.get_source_segment(failure.reading.syntax.text, nodes[-1])
    if len(nodes) == 3:
        fixes = [offer("size_as_tuple", failure.replaced, nodes[-1], f"({text},)")]
        return "size_number", {"text": clipped(failure.reading.syntax.text_of(nodes[-1]))}, fixes, []
    return "size_missing", {}, [], []


def _float_size(failure: Failure, name: str, given: list[ast.expr]) -> _Told | None:
    """Finds a float as a size: `n / 2` is a float even if its value is an integer."""
    flat = given[0].elts if len(given) == 1 and isinstance(given[0], ast.Tuple | ast.List) else given
    for each in flat:
        made: ast.expr | None = each
        item = "none"
        if isinstance(each, ast.Name):
            held = failure.reading.held(each.id, failure.step)
            defined = failure.reading.defined_by(each.id, failure.step)
            if held is None or held.type != "float":
                continue
            item = held.text or "none"
            made = defined[0].value if defined is not None and isinstance(defined[0], ast.Assign) else None
        is_quotient = isinstance(made, ast.BinOp) and isinstance(made.op, ast.Div)
        if not is_quotient and item == "none" and not (isinstance(each, ast.Constant) and isinstance(each.value, float)):
            continue
        fixes = [offer("divide_whole", _divided, failure, made)] if is_quotient and isinstance(made, ast.BinOp) else []
        here = failure.reading.line_of(failure.step.id)
        line = 0 if made is None or made is each or made.lineno == here else made.lineno
        arguments: Arguments = {"text": clipped(failure.reading.syntax.text_of(each)), "item": item, "name": name}
        return "float_size", {**arguments, "cause_line": line, "taken": int(is_quotient)}, fixes, []
    return None


def _divided(failure: Failure, quotient: ast.BinOp) -> str | None:
    """`n / 2` → `n // 2`."""
    left, right = (ast.get_source_segment(failure.reading.syntax.text, each) for each in (quotient.left, quotient.right))
    return None if left is None or right is None else with_replaced(failure.source, [(quotient, f"{left} // {right}")])


def _probabilities(failure: Failure, name: str, operand: Operand, node: ast.expr) -> _Told | None:
    """Finds values that are not probabilities."""
    is_itself = failure.reading.tensor_of(node, failure.step) == operand.tensor
    shown = elements(failure.reading.trace, operand.tensor, failure.step.began) if is_itself else None
    values = [each for each in shown if isinstance(each, int | float)] if isinstance(shown, list) else []
    outside = [each for each in values if each < 0 or isnan(each) or (name == "bernoulli" and each > 1)]
    if not outside:
        return None
    method = ("softmax", "-1") if name == "multinomial" else ("sigmoid", "")
    known = not any(isnan(each) for each in outside)
    fixes = [offer("as_probabilities", failure.with_method, node, *method)] if known else []
    return "probabilities", {"name": name, "item": f"{outside[0]:.4g}", "text": method[0]}, fixes, [operand]


def _filled(failure: Failure, name: str, nodes: list[ast.expr]) -> _Told | None:
    """Finds a fill value with one dimension, `torch.tensor([0.0])`, where a tensor without dimensions is needed."""
    value = nodes[2] if len(nodes) > 2 else failure.keyword("value")
    operand = None if value is None else failure.operand(value)
    if value is None or operand is None or not operand.shape:
        return None
    fixes = [offer("fill_with_one", failure.with_method, value, "squeeze")] if prod(operand.shape) == 1 else []
    return "fill", {"name": name}, fixes, [operand]
