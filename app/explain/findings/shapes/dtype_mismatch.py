"""Finds tensors of different dtypes where torch converts neither: matrix products, layers, writes by an index, class weights."""

import ast
from itertools import combinations

from app.explain.finding import Arguments, Clash, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.findings.refusing_layer import CELLS, RECURRENT, Layer, refusing_layer
from app.explain.findings.shapes.loss_target import OF_CLASSES
from app.explain.reading.shapes import Operand, named_at, of_tensor

_PRODUCTS = (
    "matmul mm bmm mv dot vdot inner tensordot addmm addmv addbmm baddbmm addr einsum linear bilinear cdist cross lerp solve "
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d scaled_dot_product_attention"
).split()
"""Functions with tensors that must have one dtype. Those with a final underscore write the first tensor in place."""

_INTO = {"scatter": 3, "scatter_add": 3, "index_add": 3, "index_copy": 3, "masked_scatter": 2}
"""Functions that write one of their arguments, at this position, into the first argument, which keeps its dtype."""

_NORMS = ("BatchNorm", "InstanceNorm", "LayerNorm", "GroupNorm")
"""Layers that take an input of half precision with a weight of single precision."""

_CONVERTS = ("RMSNorm",)

_METHODS = {"float64": "double", "float32": "float", "float16": "half", "bfloat16": "bfloat16"}
"""The method that converts a tensor to each dtype."""


@failure_finder("RuntimeError", "ValueError", "NotImplementedError")
def find_dtype_mismatch(failure: Failure) -> list[Finding]:
    """An error for an operation that refused different dtypes, with a fix if it is clear which tensor to convert."""
    if failure.step.autocast:
        return []
    found = _of_layer(failure) or _of_weight(failure) or _of_write(failure) or _of_product(failure)
    if found is None:
        return []
    rule, name, kind, left, right, converted = found
    convert = _METHODS.get(right.dtype, "") if rule != "product" else "float"
    fixes: Fixes = []
    if converted is not None and convert and (rule != "write" or not left.dtype.startswith("complex")):
        fixes.append(offer("convert_dtype", failure.with_method, converted, convert))
    arguments: Arguments = {"rule": rule, "function": name, "kind_of_layer": kind, "method": convert if fixes else "none"}
    clashes = [
        Clash(tensor=left.tensor, other=right.dtype),
        Clash(tensor=right.tensor, other=left.dtype),
    ]
    return [failure.finding("dtype_mismatch", left, right, arguments, fixes=fixes, clashes=clashes)]


_Found = tuple[str, str, str, Operand, Operand, ast.expr | None]
"""The rule; the function, or the module and its class; the tensor to convert, and the other tensor; the expression to convert."""


def _of_layer(failure: Failure) -> _Found | None:
    layer = refusing_layer(failure)
    piece = failure.piece
    if layer is None or layer.given is None or not isinstance(piece, ast.Call):
        return None
    if not _refuses(layer, layer.given):
        return _of_state(failure, layer, piece)
    given = failure.operand(piece.args[0])
    is_alone = given == layer.given and len(piece.args) + len(piece.keywords) == 1  # a state might be wrong too
    return "layer", layer.name, layer.kind, layer.given, layer.weight, piece.args[0] if is_alone else None


def _of_state(failure: Failure, layer: Layer, piece: ast.Call) -> _Found | None:
    """A passed state with a dtype that differs from that of the recurrent layer or cell."""
    if layer.kind not in (*RECURRENT, *CELLS) or len(piece.args) != 2:
        return None
    for node in piece.args[1].elts if isinstance(piece.args[1], ast.Tuple) else [piece.args[1]]:
        state = failure.operand(node)
        if state is not None and state.dtype != layer.weight.dtype:
            return "layer", layer.name, layer.kind, state, layer.weight, node
    return None


def _refuses(layer: Layer, given: Operand) -> bool:
    if given.dtype == layer.weight.dtype or layer.kind in _CONVERTS:
        return False
    is_mixed = given.dtype in ("float16", "bfloat16") and layer.weight.dtype == "float32"
    return not (is_mixed and layer.kind.startswith(_NORMS))


def _of_weight(failure: Failure) -> _Found | None:
    """Class weights, from a loss's constructor or call, whose dtype differs from that of the input."""
    piece = failure.piece
    name, made = called_by(failure, piece.func) if isinstance(piece, ast.Call) else ("", None)
    if name not in OF_CLASSES or not isinstance(piece, ast.Call) or not piece.args:
        return None
    given = failure.operand(piece.args[0])
    if made is None:
        written = failure.keyword("weight")
        weight = None if written is None else failure.operand(written)
    else:
        written = made.args[0] if made.args else next((each.value for each in made.keywords if each.arg == "weight"), None)
        path = failure.reading.syntax.path_of(piece.func)
        tensor = named_at(failure.reading, f"{path}.weight", failure.step) if path else None
        weight = None if tensor is None else of_tensor(failure.reading, tensor, failure.step, f"{path}.weight")
    if given is None or weight is None or given.dtype == weight.dtype:
        return None
    return "weight", name, "", weight, given, written


def _of_write(failure: Failure) -> _Found | None:
    """A written value of another dtype, by `x[i] = y` with an index tensor or by a function such as `scatter`."""
    match failure.piece:
        case ast.Subscript(ctx=ast.Store(), value=written, slice=index) as target:
            statement = failure.reading.syntax.statement_around(target)
            value = statement.value if isinstance(statement, ast.Assign) and statement.targets == [target] else None
            items = index.elts if isinstance(index, ast.Tuple) else [index]
            indices = [each for each in map(failure.operand, items) if each is not None]
            mask = any(each.dtype == "bool" for each in indices)
            operand = None if value is None or not indices else failure.operand(value)
            into = failure.operand(written)
            name = "index"
            if mask and operand is not None and not operand.shape:
                return None
        case _:
            name, nodes = failure.called
            name = name.removesuffix("_")
            place = _INTO.get(name, 0)
            value = nodes[place] if 0 < place < len(nodes) else failure.keyword("source") or failure.keyword("src")
            value = value if place else None
            into, operand = (failure.operand(nodes[0]) if nodes else None), None if value is None else failure.operand(value)
    if into is None or operand is None or into.dtype == operand.dtype:
        return None
    is_narrower = into.dtype.startswith(("float", "bfloat"))  # a conversion to integers would lose the fractions
    return "write", name, "", operand, into, value if is_narrower else None


def _of_product(failure: Failure) -> _Found | None:
    match failure.piece:
        case ast.BinOp(left=one, op=ast.MatMult(), right=other):
            name, nodes = "@", [one, other]
        case _:
            name, nodes = failure.called
            if name.removesuffix("_") not in _PRODUCTS:
                return None
            nodes = [*nodes, *(failure.keyword(word) or ast.Constant(value=None) for word in ("weight", "mat2", "other"))]
    known = [(node, each) for node in _flat(nodes) if (each := failure.operand(node)) is not None]
    for (one, left), (other, right) in combinations(known, 2):
        if left.dtype != right.dtype:
            converted = other if left.dtype == "float32" else one if right.dtype == "float32" else None
            return "product", name, "", left, right, converted
    return None


def _flat(nodes: list[ast.expr]) -> list[ast.expr]:
    """The expressions, with the elements of lists and tuples in place of the lists and tuples."""
    return [each for node in nodes for each in (node.elts if isinstance(node, ast.List | ast.Tuple) else [node])]
