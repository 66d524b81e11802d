"""Finds a convolution or pooling whose kernel is larger than its input."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.findings.refusing_layer import SPATIAL, refusing_layer
from app.explain.reading.integers import integer
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape
from app.trace.records import Step

_POOLS = {
    **{f"{kind}_pool{n}d": n for kind in ("max", "avg") for n in (1, 2, 3)},
    **{f"{kind}Pool{n}d": n for kind in ("Max", "Avg") for n in (1, 2, 3)},
}
_PADDING_AT = 4
"""The position of `padding` in a convolution's constructor; `dilation` follows it."""


@failure_finder("RuntimeError")
def find_kernel_size(failure: Failure) -> list[Finding]:
    """An error if a dimension of the padded input is smaller than the kernel's."""
    piece = failure.piece
    found = None if not isinstance(piece, ast.Call) else _convolution(failure) or _pooling(failure, piece)
    if found is None:
        return []
    name, kind, given, sizes, kernel = found
    wrong = [size for size, wanted in zip(sizes, kernel, strict=True) if size < wanted]
    if not wrong:
        return []
    arguments: Arguments = {
        **failure.told(given, "left"),
        "function": name,
        "kind_of_layer": kind,
        "sizes": " × ".join(map(str, sizes)),
        "kernel": " × ".join(map(str, kernel)),
    }
    return [failure.single_finding("kernel_size", [given], arguments)]


_Found = tuple[str, str, Operand, Shape, Shape]
"""The called function or module, its class, its input, the padded input sizes, and the kernel sizes."""


def _convolution(failure: Failure) -> _Found | None:
    layer = refusing_layer(failure)
    if layer is None or layer.given is None or not layer.kind.startswith("Conv") or layer.kind.startswith("ConvTranspose"):
        return None
    behind = SPATIAL[layer.kind]
    if len(layer.given.shape) not in (behind + 1, behind + 2):
        return None
    step = failure.reading.trace.steps[layer.weight.maker] if layer.weight.maker is not None else failure.step
    padding = _sizes(failure, layer.made, ("padding", _PADDING_AT, behind), 0, step)
    dilation = _sizes(failure, layer.made, ("dilation", _PADDING_AT + 1, behind), 1, step)
    if padding is None or dilation is None:
        return None
    sizes = tuple(size + 2 * more for size, more in zip(layer.given.shape[-behind:], padding, strict=True))
    kernel = tuple((size - 1) * by + 1 for size, by in zip(layer.weight.shape[-behind:], dilation, strict=True))
    return layer.name, layer.kind, layer.given, sizes, kernel


def _sizes(failure: Failure, call: ast.Call, wanted: tuple[str, int, int], default: int, step: Step) -> list[int] | None:
    """The argument of a call such as `kernel_size`, as one number for each dimension; None if unknown.

    `wanted` contains the parameter's name, its position and the number of dimensions.
    """
    word, at, count = wanted
    written = next((each.value for each in call.keywords if each.arg == word), call.args[at] if len(call.args) > at else None)
    flat = [ast.Constant(value=default)] if written is None else written.elts if isinstance(written, ast.Tuple) else [written]
    found = [integer(failure.reading, each, step) for each in flat]
    known = [each for each in found if each is not None]
    return None if len(known) != len(found) or len(known) not in (1, count) else known * (count // len(known))


def _pooling(failure: Failure, piece: ast.Call) -> _Found | None:
    name, made = called_by(failure, piece.func)
    if name not in _POOLS or not piece.args:
        return None
    behind = _POOLS[name]
    given = failure.operand(piece.args[0])
    call = piece if made is None else made
    at = 1 if made is None else 0
    if (
        given is None
        or len(given.shape) not in (behind + 1, behind + 2)
        or any(each.arg in ("padding", "dilation", "ceil_mode") for each in call.keywords)
        or len(call.args) > at + 2
    ):
        return None
    kernel = _sizes(failure, call, ("kernel_size", at, behind), 0, failure.step)
    return None if kernel is None else (name, name, given, given.shape[-behind:], tuple(kernel))
