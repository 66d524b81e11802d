"""Finds a tensor with a dtype that a function refuses: a float index, the mean of integers, `1 - mask`."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.findings.refusing_layer import embedding_of
from app.explain.reading.shapes import Operand

_OF_FLOATS = (
    "mean var std var_mean std_mean nanmean norm vector_norm quantile nanquantile softmax log_softmax softmin gumbel_softmax "
    "gelu silu elu selu celu leaky_relu softplus logsigmoid hardswish mish hardsigmoid dropout alpha_dropout normalize layer_norm "
    "Softmax LogSoftmax GELU SiLU ELU SELU CELU LeakyReLU Softplus LogSigmoid Hardswish Mish Dropout RMSNorm rms_norm "
    "BCELoss binary_cross_entropy cholesky inv inverse det slogdet eig eigh eigvals eigvalsh svd qr pinv lstsq"
).split()
"""Functions, methods and layers that accept only floating-point numbers."""

_INDEXED = {
    **dict.fromkeys(("gather", "scatter", "scatter_add", "index_select", "index_add"), ("int64", "int32")),
    **dict.fromkeys(("index_copy", "index_fill"), ("int64",)),
}
"""Functions of a tensor, a dimension and an index, and the dtypes allowed for the index."""

_MASKED = {"masked_fill": 1, "masked_select": 1, "masked_scatter": 1, "where": 0}
"""Functions that take a mask, and its position."""

_OF_INTEGERS = ("bincount", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "gcd", "lcm")
"""Functions that accept only integers."""

_ORDERED = (
    "max min argmax argmin amax amin sort argsort topk median kthvalue clamp clip relu floor ceil round sign maximum minimum "
    "cummax cummin ReLU searchsorted quantile"
).split()
"""Functions that compare numbers, which complex numbers do not support."""

_BITS = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_REAL = ("float", "bfloat", "complex")

_Found = tuple[str, str, Operand, Fixes]
"""The rule, the function or operator, the operand with the refused dtype, and the fixes."""


@failure_finder("RuntimeError", "IndexError", "NotImplementedError", "TypeError")
def find_dtype_refused(failure: Failure) -> list[Finding]:
    """An error if the run ended because torch refused a dtype."""
    found = _refused(failure)
    if found is None:
        return []
    rule, name, operand, fixes = found
    arguments: Arguments = {**failure.told(operand, "left"), "rule": rule, "function": name}
    return [failure.single_finding("dtype_refused", [operand], arguments, fixes=fixes)]


def _refused(failure: Failure) -> _Found | None:
    match failure.piece:
        case ast.Subscript(slice=index):
            return _index(failure, index)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _subtracted(failure, left, right)
        case ast.BinOp(left=left, op=ast.MatMult()):
            return _of(failure, "product", "@", left, ("bool",), [])
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
            return _complex(failure, "", left) or _complex(failure, "", right)
        case ast.UnaryOp(op=ast.USub(), operand=value):
            return _of(failure, "negative", "-", value, ("bool",), [offer("invert_mask", _inverted, failure, value)])
        case ast.UnaryOp(op=ast.Invert(), operand=value):
            return _of(failure, "bits", "~", value, _REAL, [offer("convert_to_bool", failure.with_method, value, "bool")])
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BITS:
            name = _BITS[type(operator)]
            return _of(failure, "bits", name, left, _REAL, []) or _of(failure, "bits", name, right, _REAL, [])
        case ast.Call():
            return _called(failure, failure.piece)
    return None


def _of(failure: Failure, rule: str, name: str, node: ast.expr, refused: tuple[str, ...], fixes: Fixes) -> _Found | None:
    """A finding if an operand's dtype begins with one of these names."""
    operand = failure.operand(node)
    return (rule, name, operand, fixes) if operand is not None and operand.dtype.startswith(refused) else None


def _complex(failure: Failure, name: str, node: ast.expr) -> _Found | None:
    """A finding if an operand is complex, because complex numbers have no order."""
    fixes = [offer("absolute_value", failure.with_method, node, "abs")]
    return _of(failure, "complex", name or "none", node, ("complex",), fixes)


def _index(failure: Failure, index: ast.expr) -> _Found | None:
    for item in index.elts if isinstance(index, ast.Tuple) else [index]:
        operand = failure.operand(item)
        if operand is not None and operand.dtype not in ("int64", "int32", "uint8", "bool"):
            return "index", "[]", operand, [offer("convert_to_long", failure.with_method, item, "long")]
    return None


def _subtracted(failure: Failure, left: ast.expr, right: ast.expr) -> _Found | None:
    is_one = isinstance(left, ast.Constant) and left.value in (1, 1.0)
    fixes = [offer("invert_mask", _inverted, failure, right)] if is_one else []
    return _of(failure, "subtract", "-", right, ("bool",), fixes) or _of(failure, "subtract", "-", left, ("bool",), [])


def _inverted(failure: Failure, mask: ast.expr) -> str | None:
    """`1 - mask` → `~mask`, and `-mask` → `~mask`."""
    text = ast.get_source_segment(failure.reading.syntax.text, mask)
    is_plain = isinstance(mask, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    if text is None or not isinstance(failure.piece, ast.expr):
        return None
    return failure.replaced(failure.piece, f"~{text}" if is_plain else f"~({text})")


def _called(failure: Failure, piece: ast.Call) -> _Found | None:
    name, nodes = failure.called
    embedding, kind = embedding_of(failure), called_by(failure, piece.func)[0]
    if embedding or kind[:1].isupper():  # a layer in an attribute, such as `self.fc`
        name, nodes = "", list(piece.args)
    kind = name or kind
    plain = name.removesuffix("_")
    first = nodes[0] if nodes else failure.keyword("input")
    if first is None:
        return None
    if embedding or (name == "embedding" and len(nodes) > 1):
        operand = failure.operand(first)
        is_refused = operand is not None and operand.dtype not in ("int64", "int32")
        fixes = [offer("convert_to_long", failure.with_method, first, "long")]
        return ("embedding", embedding or name, operand, fixes) if operand is not None and is_refused else None
    if plain in _ORDERED or kind in _ORDERED:
        return _complex(failure, kind, first)
    if kind in _OF_INTEGERS:
        fixes = [offer("convert_to_long", failure.with_method, first, "long")]
        return _of(failure, "integers", kind, first, _REAL, fixes)
    if kind in _OF_FLOATS:
        is_given = failure.keyword("dtype") is not None
        fixes = [offer("convert_to_float", failure.with_method, first, "float")]
        return None if is_given else _of(failure, "floats", kind, first, ("int", "uint", "bool"), fixes)
    if name in ("matmul", "mm", "bmm", "einsum"):
        return _of(failure, "product", name, nodes[1] if name == "einsum" and len(nodes) > 1 else first, ("bool",), [])
    if name == "one_hot":
        fixes = [offer("convert_to_long", failure.with_method, first, "long")]
        return _of(failure, "one_hot", name, first, ("float", "bfloat", "int32", "int16", "int8", "uint8", "bool"), fixes)
    if plain in _MASKED:
        place = _MASKED[plain]
        mask = nodes[place] if place < len(nodes) else failure.keyword("mask")
        fixes = [] if mask is None else [offer("convert_to_bool", failure.with_method, mask, "bool")]
        allowed = ("float", "bfloat", "int") if name == "where" else ("float", "bfloat", "int", "uint")
        return None if mask is None else _of(failure, "mask", name, mask, allowed, fixes)
    if plain in _INDEXED:
        index = nodes[2] if len(nodes) > 2 else failure.keyword("index")
        operand = None if index is None else failure.operand(index)
        if index is not None and operand is not None and operand.dtype not in _INDEXED[plain]:
            rule = "gather" if "int32" in _INDEXED[plain] else "copy"
            return rule, name, operand, [offer("convert_to_long", failure.with_method, index, "long")]
    return None
