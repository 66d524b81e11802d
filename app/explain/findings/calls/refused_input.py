"""Finds refused operands: None, a list, the wrong number of dimensions, an unknown keyword."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.autograd.custom_function import blamed_step
from app.explain.findings.mismatch import Failure, clipped, failure_finder, function_of_torch
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand
from app.explain.rewriting.replacing import with_replaced
from app.trace.records import Step

_MANY = 99

_DIMENSIONS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("trace",), (2, 2)),
    **dict.fromkeys(("bincount", "combinations", "cartesian_prod"), (1, 1)),
    **dict.fromkeys(("t", "diag", "cov", "corrcoef", "block_diag", "multinomial"), (0, 2)),
    **dict.fromkeys(("tril", "triu", "diagonal", "fliplr", "rot90", "cdist", "renorm", "matrix_exp"), (2, _MANY)),
    **dict.fromkeys(("inv", "inverse", "det", "slogdet", "logdet", "cholesky", "qr", "svd", "eigh", "eig"), (2, _MANY)),
    **dict.fromkeys(("flipud", "diag_embed"), (1, _MANY)),
}
"""The minimum and maximum number of dimensions of a function's input."""

_OF_DIM = ("dims", "dimension", "dimensions", "along")
_WITH_DIM = (
    "sum mean max min std var prod argmax argmin amax amin cat stack softmax log_softmax squeeze unsqueeze chunk split gather "
    "cumsum cumprod norm sort argsort topk unbind logsumexp median any all"
).split()
"""Functions for which programs misspell the argument `dim`."""

_KEYWORDS = {
    **dict.fromkeys(("require_grad", "required_grad", "requires_gradient", "requires_grads", "need_grad"), "requires_grad"),
    **dict.fromkeys(("keep_dim", "keep_dims"), "keepdim"),
    **dict.fromkeys(("retain_grad", "retain_graphs", "keep_graph"), "retain_graph"),
    **dict.fromkeys(("type", "dtpye", "data_type"), "dtype"),
}
"""Keywords that no torch function has, and the keyword that was probably intended."""

_WITH_KEYWORD = {
    "requires_grad": "tensor zeros ones rand randn full empty linspace arange eye zeros_like ones_like randn_like rand_like",
    "dtype": "tensor zeros ones rand randn full empty linspace arange eye zeros_like ones_like randn_like sum as_tensor randint",
    "keepdim": "sum mean max min std var prod argmax argmin amax amin norm logsumexp median any all",
    "retain_graph": "backward grad",
}
"""The functions that accept each of these keywords."""

_MAKERS = ("tensor", "zeros", "ones", "randn", "rand", "arange", "stack", "cat")

_NEEDED = {"linspace": ("steps", 3), "logspace": ("steps", 3), "full": ("fill_value", 2), "full_like": ("fill_value", 2)}
"""Functions with a required argument that programs omit: the argument's name, and the number of positional arguments with it."""

_DEVICES = {"gpu": "cuda", "gpu:0": "cuda:0", "nvidia": "cuda", "CUDA": "cuda", "CPU": "cpu", "GPU": "cuda"}

_Told = tuple[str, Arguments, Fixes, list[Operand]]
"""The rule, the arguments of its message, the fixes, and the tensors."""

_NOTHING: Arguments = {"text": "none", "name": "none", "item": "none", "cause_line": 0, "how": "none", "least": 0, "most": 0}


@failure_finder("TypeError", "RuntimeError", "ValueError", "IndexError", after=["find_custom_backward"])
def find_refused_input(failure: Failure) -> list[Finding]:
    """An error if the run ended because torch refused an operand."""
    reading = failure.reading
    if reading.found_by("find_custom_backward"):
        return []
    told = _nothing(failure) or _list(failure) or _power(failure) or _of_function(failure)
    if told is None:
        return []
    rule, arguments, fixes, operands = told
    shown: Arguments = {"left": "none", "left_shape": "", "left_dtype": "", "left_line": 0, "left_from": "made"}
    shown = failure.told(operands[0], "left") if operands else shown
    line = int(arguments.get("cause_line", 0))
    # Python 3.14 keeps the results of a statement that raises; earlier versions drop them. In both cases, the statement is
    # listed once.
    here = reading.shown_from(failure.step.id)
    makers = (
        [blamed_step(reading, line)] if line else [each.maker for each in operands if reading.shown_from(each.maker) != here]
    )
    everything: Arguments = {**_NOTHING, **shown, **arguments, "rule": rule}
    tensors = [each.tensor for each in operands]
    return [reading.exception_finding("refused_input", failure.step, tensors, everything, fixes=fixes, makers=makers)]


# --- None and lists -----------------------------------------------------------------------------------------------------


def _operands(failure: Failure) -> list[ast.expr]:
    match failure.piece:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.AugAssign(target=target, value=value):
            return [target, value]
        case ast.Compare(left=left, comparators=[right]):
            return [left, right]
    return []


def _nothing(failure: Failure) -> _Told | None:
    """Finds a variable that is None, as an operand next to a tensor."""
    reading, nodes = failure.reading, _operands(failure)
    if failure.step.name != "TypeError" or not any(True for node in nodes for _ in reading.first_named(node, failure.step)):
        return None
    for node in nodes:
        if not isinstance(node, ast.Name) or failure.operand(node) is not None:
            continue
        held = reading.held(node.id, failure.step)
        if held is not None and held.type != "NoneType":
            continue
        how, line = _given_none(failure, node.id)
        if how:
            here = line == reading.line_of(failure.step.id)
            return "nothing", {"text": node.id, "how": how, "cause_line": 0 if here else line}, [], []
    return None


def _given_none(failure: Failure, name: str) -> tuple[str, int]:
    """How a variable became None, and the line: it was assigned None ("given"), or the call omitted the argument ("left_out")."""
    reading, step = failure.reading, failure.step
    defined = reading.defined_by(name, step)
    if defined is not None:
        value = defined[0].value if isinstance(defined[0], ast.Assign) else None
        return ("given", defined[0].lineno) if isinstance(value, ast.Constant) and value.value is None else ("", 0)
    frame = None if step.frame is None else reading.trace.frames[step.frame]
    functions = [] if frame is None else reading.syntax.functions_at(frame.line)
    call = _call(failure, step)
    if len(functions) != 1 or call is None:
        return "", 0
    function = functions[0]
    names = [each.arg for each in function.args.args]
    place = names.index(name) if name in names else -1
    default = place - len(names) + len(function.args.defaults)
    is_none = place >= 0 and default >= 0 and isinstance(function.args.defaults[default], ast.Constant)
    shift = 1 if names[:1] == ["self"] else 0
    is_left_out = len(call.args) <= place - shift and not any(each.arg in (name, None) for each in call.keywords)
    is_plain = not any(isinstance(each, ast.Starred) for each in call.args)
    value = function.args.defaults[default] if is_none else None
    is_it = isinstance(value, ast.Constant) and value.value is None and is_left_out and is_plain
    return ("left_out", call.lineno) if is_it else ("", 0)


def _call(failure: Failure, step: Step) -> ast.Call | None:
    """The call expression that started the frame of `step`; None if its statement contains several calls of that function."""
    reading = failure.reading
    frame = None if step.frame is None else reading.trace.frames[step.frame]
    within = None if frame is None else reading.statement_of(reading.callers.get(frame.id))
    name = "" if frame is None else frame.function.split(".")[-1]
    calls = reading.syntax.calls_in(reading.statement_at(within)).get(name, []) if within is not None else []
    return calls[0] if len(calls) == 1 else None


def _list(failure: Failure) -> _Told | None:
    """Finds `hist + torch.tensor([0.3])` if `hist` is a list."""
    if not isinstance(failure.piece, ast.BinOp) or failure.step.name != "TypeError":
        return None
    sides = [failure.piece.left, failure.piece.right]
    for node, other in zip(sides, reversed(sides), strict=True):
        held = failure.reading.held(node.id, failure.step) if isinstance(node, ast.Name) else None
        kind = held.type if held is not None and held.kind == "collection" else ""
        kind = type(node).__name__.lower() if isinstance(node, ast.List | ast.Tuple) else kind
        operand, text = failure.operand(other), failure.reading.syntax.text_of
        is_made = isinstance(other, ast.Call) and function_of_torch(failure.reading, other.func, failure.step)[0] in _MAKERS
        if kind in ("list", "tuple") and (operand is not None or is_made):
            told: Arguments = {"text": clipped(text(node)), "name": kind, "left": clipped(text(other))}
            return "list", told, [], [] if operand is None else [operand]
    return None


def _power(failure: Failure) -> _Told | None:
    """Finds `x ** -1` if `x` has integers."""
    match failure.piece:
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, exponent = left, right
        case ast.Call(func=ast.Attribute()) if failure.called[0] == "pow" and len(failure.called[1]) == 2:
            base, exponent = failure.called[1]
        case _:
            return None
    operand, number = failure.operand(base), integer(failure.reading, exponent, failure.step)
    if operand is None or number is None or number >= 0 or not operand.dtype.startswith(("int", "uint")):
        return None
    fixes = [offer("convert_to_float", failure.with_method, base, "float")]
    return ("power", {"text": str(number)}, fixes, [operand]) if failure.step.name == "RuntimeError" else None


# --- functions and methods ----------------------------------------------------------------------------------------------


def _of_function(failure: Failure) -> _Told | None:
    piece = failure.piece
    name, nodes = failure.called
    if not isinstance(piece, ast.Call) or not name:
        return None
    is_torch = function_of_torch(failure.reading, piece.func, failure.step)[1]
    operand = failure.operand(nodes[0]) if nodes else None
    if not is_torch and operand is None:
        return None
    if failure.step.name == "TypeError":
        return (
            _keyword(failure, piece, name)
            or (_missing(piece, name) if is_torch else None)
            or _array(name, operand, nodes[:1], failure)
        )
    if name in ("to", "device", "zeros", "ones", "randn", "rand", "tensor", "empty", "full"):
        return _device(failure, piece, name)
    least, most = _DIMENSIONS.get(name, (0, _MANY))
    if operand is not None and not least <= len(operand.shape) <= most:
        return "dimensions", {"name": name, "least": least, "most": most}, [], [operand]
    if name == "cross" and operand is not None and len(nodes) == 2 and not piece.keywords and 3 not in operand.shape:
        return "cross", {"name": name}, [], [operand]
    return None


def _keyword(failure: Failure, piece: ast.Call, name: str) -> _Told | None:
    """Finds `x.sum(dims=0)`."""
    for keyword in piece.keywords:
        written = keyword.arg or ""
        meant = "dim" if written in _OF_DIM else _KEYWORDS.get(written, "")
        taking = _WITH_DIM if meant == "dim" else _WITH_KEYWORD.get(meant, "").split()
        value = ast.get_source_segment(failure.reading.syntax.text, keyword.value)
        if name in taking and value is not None:
            fixes = [offer("spell_keyword", _respelled, failure, keyword, f"{meant}={value}")]
            return "keyword", {"name": name, "text": written, "item": meant}, fixes, []
    return None


def _respelled(failure: Failure, keyword: ast.keyword, text: str) -> str | None:
    return with_replaced(failure.source, [(keyword, text)])


def _missing(piece: ast.Call, name: str) -> _Told | None:
    """Finds `torch.linspace(0, 1)`."""
    argument, count = _NEEDED.get(name, ("", 0))
    given = len(piece.args)
    is_given = any(each.arg == argument for each in piece.keywords) or any(isinstance(each, ast.Starred) for each in piece.args)
    return ("missing", {"name": name, "item": argument}, [], []) if argument and given == count - 1 and not is_given else None


def _array(name: str, operand: Operand | None, nodes: list[ast.expr], failure: Failure) -> _Told | None:
    """Finds `.numpy()` of a dtype that NumPy does not have."""
    if name != "numpy" or operand is None or operand.dtype != "bfloat16":
        return None
    return "array", {"name": name}, [offer("convert_to_float", failure.with_method, nodes[0], "float")], [operand]


def _device(failure: Failure, piece: ast.Call, name: str) -> _Told | None:
    """Finds `x.to('gpu')`."""
    given = failure.keyword("device") or (piece.args[0] if name in ("to", "device") and piece.args else None)
    match given:
        case ast.Constant(value=str(device)) if device in _DEVICES and failure.step.name == "RuntimeError":
            return "device", {"text": device, "item": _DEVICES[device]}, [], []
    return None
