"""Finds sizes, counts or dimensions in `permute`, `repeat`, `split`, `topk` or an unpacking that do not match the tensor."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import Failure, clipped, failure_finder
from app.explain.reading.integers import integer, integers
from app.explain.reading.shapes import Operand

_COUNTED = ("permute", "repeat", "tile", "split", "split_with_sizes", "topk", "kthvalue", "interpolate")
_MODES = {"nearest": 0, "nearest-exact": 0, "area": 0, "linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
"""The number of dimensions that `interpolate` needs in each mode; 0 if it depends on the sizes."""


@failure_finder("RuntimeError", "ValueError", "IndexError")
def find_size_arguments(failure: Failure) -> list[Finding]:
    """An error if the run ended because sizes, counts or dimensions do not match the tensor."""
    if isinstance(failure.piece, ast.Tuple | ast.List):
        return _unpacked(failure, failure.piece)
    name, nodes = failure.called
    operand = failure.operand(nodes[0]) if nodes and name in _COUNTED else None
    if operand is None:
        return []
    match name:
        case "permute" | "repeat":
            return _dimensions(failure, name, operand, nodes[1:])
        case "split" | "split_with_sizes":
            return _split(failure, name, operand, nodes[1:])
        case "topk" | "kthvalue":
            return _chosen(failure, name, operand, nodes[1:])
        case "interpolate":
            return _interpolated(failure, operand)
    return []


def _interpolated(failure: Failure, operand: Operand) -> list[Finding]:
    mode, size = failure.keyword("mode"), failure.keyword("size")
    name = mode.value if isinstance(mode, ast.Constant) else "nearest" if mode is None else None
    wanted = _MODES.get(str(name))
    if wanted == 0 and isinstance(size, ast.Tuple | ast.List):
        wanted = len(size.elts) + 2
    if not wanted or len(operand.shape) == wanted:
        return []
    return _finding(failure, "interpolate", "interpolate", operand, (str(name), wanted, len(operand.shape), 0))


def _finding(failure: Failure, rule: str, function: str, operand: Operand, told: tuple[str, int, int, int]) -> list[Finding]:
    """A finding with the arguments `told`: the quoted code, the requested number, the actual number, and the dimension."""
    written, asked, there, at = told
    arguments: Arguments = {
        **failure.told(operand, "left"),
        "rule": rule,
        "function": function,
        "written": clipped(written) or "none",
        "asked": asked,
        "there": there,
        "at": at,
    }
    return [failure.single_finding("size_arguments", [operand], arguments)]


def _numbers(failure: Failure, nodes: list[ast.expr]) -> tuple[list[int] | None, str]:
    """The integers that are passed as `(2, 0, 1)` or as `2, 0, 1` (None if unknown), and their source text."""
    flat = nodes[0].elts if len(nodes) == 1 and isinstance(nodes[0], ast.Tuple | ast.List) else nodes
    return integers(failure.reading, flat, failure.step), ", ".join(failure.reading.syntax.text_of(each) for each in flat)


def _dimensions(failure: Failure, name: str, operand: Operand, nodes: list[ast.expr]) -> list[Finding]:
    numbers, written = _numbers(failure, nodes)
    count = len(operand.shape)
    if numbers is None or not numbers:
        return []
    if name == "repeat":
        return _finding(failure, name, name, operand, (written, len(numbers), count, 0)) if len(numbers) < count else []
    if len(numbers) != count:
        return _finding(failure, name, name, operand, (written, len(numbers), count, 0))
    is_each = all(-count <= each < count for each in numbers) and len({each % count for each in numbers}) == count
    return [] if is_each else _finding(failure, "each", name, operand, (written, len(numbers), count, 0))


def _dimension(failure: Failure, nodes: list[ast.expr], default: int, operand: Operand) -> int | None:
    written = nodes[1] if len(nodes) > 1 else failure.keyword("dim")
    at = default if written is None else integer(failure.reading, written, failure.step)
    return at % len(operand.shape) if at is not None and -len(operand.shape) <= at < len(operand.shape) else None


def _split(failure: Failure, name: str, operand: Operand, nodes: list[ast.expr]) -> list[Finding]:
    at = _dimension(failure, nodes, 0, operand)
    if at is None or not nodes or not isinstance(nodes[0], ast.List | ast.Tuple):
        return []
    numbers, written = _numbers(failure, nodes[:1])
    if numbers is None or sum(numbers) == operand.shape[at]:
        return []
    return _finding(failure, "split", name, operand, (written, sum(numbers), operand.shape[at], at))


def _chosen(failure: Failure, name: str, operand: Operand, nodes: list[ast.expr]) -> list[Finding]:
    written = nodes[0] if nodes else failure.keyword("k")
    number = None if written is None else integer(failure.reading, written, failure.step)
    at = _dimension(failure, nodes, -1, operand)
    if number is None or at is None or 0 <= number <= operand.shape[at]:
        return []
    return _finding(failure, "topk", name, operand, (str(number), number, operand.shape[at], at))


def _unpacked(failure: Failure, target: ast.Tuple | ast.List) -> list[Finding]:
    """Finds `b, c, h, w = x.shape`, and `a, b = x`, which unpacks a tensor along its first dimension."""
    statement = failure.reading.syntax.statement_around(target)
    value = statement.value if isinstance(statement, ast.Assign) and statement.targets == [target] else None
    if value is None or failure.step.name != "ValueError" or any(isinstance(each, ast.Starred) for each in target.elts):
        return []
    match value:
        case ast.Attribute(value=tensor, attr="shape") | ast.Call(func=ast.Attribute(value=tensor, attr="size"), args=[]):
            rule, operand = "shape", failure.operand(tensor)
            count = None if operand is None else len(operand.shape)
        case _:
            rule, operand = "rows", failure.operand(value)
            count = operand.shape[0] if operand is not None and operand.shape else None
    if operand is None or count is None or count == len(target.elts):
        return []
    written = failure.reading.syntax.text_of(target).strip("()[]")
    return _finding(failure, rule, "", operand, (written, len(target.elts), count, 0))
