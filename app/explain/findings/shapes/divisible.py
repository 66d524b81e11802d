"""Finds sizes of a layer where one must be a multiple of the other: heads, groups."""

import ast

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import Failure, failure_finder, function_of_torch
from app.explain.reading.integers import integer

_SIZES = {
    "MultiheadAttention": (("embed_dim", 0), ("num_heads", 1)),
    "TransformerEncoderLayer": (("d_model", 0), ("nhead", 1)),
    "TransformerDecoderLayer": (("d_model", 0), ("nhead", 1)),
    "GroupNorm": (("num_channels", 1), ("num_groups", 0)),
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d"), (("in_channels", 0), ("groups", 6))),
}
"""By layer: the parameter that must be a multiple of another parameter, and this other one, with the positions of both."""


@failure_finder("AssertionError", "ValueError")
def find_not_divisible(failure: Failure) -> list[Finding]:
    """An error for a layer that could not be created because of its sizes."""
    reading = failure.reading
    piece = failure.piece
    if not isinstance(piece, ast.Call):
        return []
    name, is_torch = function_of_torch(reading, piece.func, failure.step)
    found: list[tuple[str, int]] = []
    for word, at in _SIZES.get(name, ()) if is_torch else ():
        written = failure.keyword(word) or (piece.args[at] if at < len(piece.args) else None)
        number = None if written is None else integer(reading, written, failure.step)
        found += [] if number is None else [(word, number)]
    if len(found) != 2 or not found[1][1] or found[0][1] % found[1][1] == 0:
        return []
    (one, whole), (other, by) = found
    arguments: Arguments = {"layer": name, "whole": one, "whole_size": whole, "by": other, "by_size": by}
    return [reading.exception_finding("not_divisible", failure.step, [], arguments)]
