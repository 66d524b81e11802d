"""Finds an argument of a wrong type or value: a float as a size, a model instead of an optimizer, `Dropout(50)`."""

import ast

from app.explain.finding import Arguments, Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.findings.resolved import Callee, callee_of
from app.explain.reading.shapes import known_tensor
from app.explain.reading.signatures import NAMES, SIGNATURES, given_for

_SIZES = frozenset(
    "in_features out_features in_channels out_channels kernel_size num_embeddings embedding_dim input_size hidden_size num_layers "
    "num_features normalized_shape num_channels num_groups d_model nhead dim_feedforward embed_dim num_heads output_size "
    "batch_size stride padding dilation groups in1_features in2_features".split()
)
"""Arguments that must be integers."""

_UNIT = {"p": (0.0, 1.0), "dropout": (0.0, 1.0), "label_smoothing": (0.0, 1.0), "dropout_p": (0.0, 1.0)}
"""Arguments with a range, such as probabilities."""

_NOT_NEGATIVE = ("lr", "weight_decay", "eps", "momentum")
_POSITIVE = ("batch_size", "num_layers", "num_heads")


@failure_finder("TypeError", "ValueError", "AttributeError", "AssertionError", "RuntimeError")
def find_wrong_argument(failure: Failure) -> list[Finding]:
    """An error for the first wrong argument of the call that ended the run."""
    piece = failure.piece
    callee = callee_of(failure, piece) if isinstance(piece, ast.Call) else None
    if callee is None or callee.defined is not None or not isinstance(piece, ast.Call):
        return []
    if callee.signature.misfit(piece)[0]:
        return []
    for name in callee.signature.names:
        # Another finding reports an optimizer that gets a module.
        node = _item(failure, callee, piece) if name == "params" else given_for(callee.signature, piece, name)
        found = None if node is None else _of_kind(failure, callee, name, node) or _of_value(failure, callee, name, node)
        if node is not None and found is not None:
            rule, kind, wanted = found
            arguments: Arguments = {
                "rule": rule,
                "function": callee.name,
                "name": name,
                "written": clipped(failure.reading.syntax.text_of(node)),
                "type": kind,
                "wanted": wanted,
            }
            fixes = _fixes(failure, node, rule, wanted)
            return [failure.reading.exception_finding("wrong_argument", failure.step, [], arguments, fixes=fixes)]
    return []


def _item(failure: Failure, callee: Callee, piece: ast.Call) -> ast.expr | None:
    """The first element of the list passed to an optimizer that is a number, a string, a collection or a module."""
    node = given_for(callee.signature, piece, "params")
    if callee.name not in NAMES["torch.optim"] or not isinstance(node, ast.List | ast.Tuple):
        return None
    return next((each for each in node.elts if _is_no_parameter(_kind(failure, each))), None)


def _is_no_parameter(kind: str) -> bool:
    return kind in ("int", "float", "str", "list", "tuple") or _is_module(kind)


_Found = tuple[str, str, str]
"""The rule, the type or value of the argument, and what it should be."""


def _of_kind(failure: Failure, callee: Callee, name: str, node: ast.expr) -> _Found | None:
    """Finds an argument of the wrong type."""
    kind = _kind(failure, node) if failure.step.name in ("TypeError", "AttributeError") else ""
    wanted = _wanted(callee, name, kind) if kind else ""
    return (("float" if wanted == "int" and kind == "float" else "kind"), kind, wanted) if wanted else None


def _wanted(callee: Callee, name: str, kind: str) -> str:
    """The kind of value that the parameter `name` needs, if a value of type `kind` cannot be that; else ""."""
    is_wrong = {
        "parameter": name == "params" and _is_no_parameter(kind) and kind not in ("list", "tuple"),
        "function": name == "closure" and kind == "Tensor",
        "number": name in _NOT_NEGATIVE and kind == "str" and callee.name in NAMES["torch.optim"],
        "optimizer": name == "optimizer"
        and (callee.name in NAMES["torch.optim.lr_scheduler"] or callee.name == "GradScaler.step")
        and kind not in NAMES["torch.optim"],
        "dict": name == "state_dict" and callee.name.endswith(".load_state_dict") and (kind == "str" or _is_module(kind)),
        "tensor": name == "tensor" and callee.name.startswith("init.") and _is_module(kind),
        "int": name in _SIZES and (kind == "float" or (kind in ("str", "NoneType") and name in callee.signature.needed)),
    }
    return next((wanted for wanted, wrong in is_wrong.items() if wrong), "")


def _is_module(kind: str) -> bool:
    return f"{kind}.forward" in SIGNATURES


def _kind(failure: Failure, node: ast.expr) -> str:
    """The name of an argument's type; "" if unknown."""
    match node:
        case ast.Constant(value=value):
            return type(value).__name__
        case ast.JoinedStr():
            return "str"
        case ast.BinOp(op=ast.Div()):
            tensors = (
                each for each in (node.left, node.right) if known_tensor(failure.reading, each, failure.step) is not None
            )
            return "" if next(tensors, None) is not None or not _is_number(failure, node) else "float"
        case ast.Name(id=name):
            held = failure.reading.held(name, failure.step)
            if held is None and known_tensor(failure.reading, node, failure.step) is not None:
                return "Tensor"
            if held is None or held.kind in ("function", "class", "module"):
                return ""
            definitions = [each for each in failure.reading.syntax.of(ast.ClassDef) if each.name == held.type]
            return "" if definitions and _is_module(held.type) else held.type
    return called_by(failure, node)[0] if isinstance(node, ast.Attribute) else ""


def _is_number(failure: Failure, node: ast.expr) -> bool:
    """Whether an expression contains only numbers."""
    for each in failure.reading.syntax.walk(node):
        if isinstance(each, ast.Name):
            held = failure.reading.held(each.id, failure.step)
            if held is None or held.type not in ("int", "float"):
                return False
        elif not isinstance(each, ast.BinOp | ast.Constant | ast.operator | ast.expr_context):
            return False
    return True


def _of_value(failure: Failure, callee: Callee, name: str, node: ast.expr) -> _Found | None:
    """Finds a number outside the range of its parameter."""
    number = _number(failure, node)
    if number is None or failure.step.name not in ("ValueError", "AssertionError", "RuntimeError"):
        return None
    is_dropout = "dropout" in callee.name.lower() or name != "p"
    if name in _UNIT and is_dropout and not 0 <= number <= 1:
        return "unit", f"{number:g}", f"{number / 100:g}" if 1 < number <= 100 else "none"
    if name in _NOT_NEGATIVE and callee.name in NAMES["torch.optim"] and number < 0:
        return "negative", f"{number:g}", f"{-number:g}"
    if name in _POSITIVE and number <= 0:
        return "positive", f"{number:g}", "none"
    return None


def _number(failure: Failure, node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int(value) | float(value)) if not isinstance(value, bool):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            number = _number(failure, inner)
            return None if number is None else -number
        case ast.Name(id=name):
            held = failure.reading.held(name, failure.step)
            text = (held.text or "") if held is not None and held.type in ("int", "float") else ""
            try:
                return float(text) if text else None
            except ValueError:
                return None
    return None


def _fixes(failure: Failure, node: ast.expr, rule: str, wanted: str) -> Fixes:
    text = failure.reading.syntax.text
    match rule, node:
        case "float", ast.BinOp(left=left, op=ast.Div(), right=right):
            sides = [ast.get_source_segment(text, each) for each in (left, right)]
            return [offer("divide_to_integer", failure.replaced, node, f"{sides[0]} // {sides[1]}")]
        case "float", ast.Constant(value=float(value)) if value == int(value):
            return [offer("write_integer", failure.replaced, node, str(int(value)))]
        case "unit" | "negative", ast.Constant() | ast.UnaryOp() if wanted != "none":
            return [offer("other_number", failure.replaced, node, wanted)]
        case "kind", _ if wanted == "tensor":
            return [offer("give_weight", failure.with_attribute, node, "weight")]
        case "kind", ast.Name() if wanted == "dict" and not (isinstance(node, ast.Constant)):
            held = failure.reading.held(node.id, failure.step)
            is_module = held is not None and _is_module(held.type)
            return [offer("give_state", failure.with_method, node, "state_dict")] if is_module else []
    return []
