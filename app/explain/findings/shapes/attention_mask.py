"""Finds a padding mask or a mask of positions that an attention layer refuses."""

import ast

from app.explain.finding import Finding, Fixes, offer
from app.explain.findings.called import called_by
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.reading.shapes import Operand
from app.explain.reading.viewing import Shape
from app.explain.rewriting.fitting import with_behind

_LAYERS = {
    "MultiheadAttention": (("attn_mask", 5), ("key_padding_mask", 3)),
    "TransformerEncoderLayer": (("src_mask", 1), ("src_key_padding_mask", 2)),
    "TransformerEncoder": (("mask", 1), ("src_key_padding_mask", 2)),
}
"""By layer: the parameters for the mask of positions and the padding mask, with the positions of these arguments in a call."""


@failure_finder("RuntimeError", "AssertionError")
def find_attention_mask(failure: Failure) -> list[Finding]:
    """An error for a mask with a shape that does not match the sequences."""
    piece = failure.piece
    if not isinstance(piece, ast.Call) or not piece.args:
        return []
    name, made = called_by(failure, piece.func)
    if name not in _LAYERS or made is None:
        return []
    is_self = name != "MultiheadAttention"
    query, key = failure.operand(piece.args[0]), failure.operand(piece.args[0 if is_self or len(piece.args) < 2 else 1])
    is_first = _batch_first(failure, name, made)
    if query is None or key is None or len(query.shape) != 3 or len(key.shape) != 3 or is_first is None:
        return []
    rows, length = (0, 1) if is_first else (1, 0)
    of_positions, of_padding = (_given(failure, piece, *each) for each in _LAYERS[name])
    batch, wanted = key.shape[rows], (query.shape[length], key.shape[length])
    if of_padding is not None and of_padding.shape != (batch, key.shape[length]):
        return [_finding(failure, ("padding", name), of_padding, key, (batch, key.shape[length]))]
    if of_positions is not None and of_positions.shape != wanted and len(of_positions.shape) == 2:
        return [_finding(failure, ("positions", name), of_positions, key, wanted)]
    return []


def _given(failure: Failure, piece: ast.Call, word: str, at: int) -> Operand | None:
    written = failure.keyword(word) or (piece.args[at] if at < len(piece.args) else None)
    return None if written is None else failure.operand(written)


def _batch_first(failure: Failure, name: str, made: ast.Call) -> bool | None:
    """Whether the first dimension of the inputs is the batch; None if unknown."""
    if name == "TransformerEncoder":
        layers = [
            call for call in failure.reading.syntax.ending_in(ast.Call, "TransformerEncoderLayer") if isinstance(call, ast.Call)
        ]
        if len(layers) != 1:
            return None
        made = layers[0]
    written = next((each.value for each in made.keywords if each.arg == "batch_first"), None)
    return False if written is None else written.value is True if isinstance(written, ast.Constant) else None


def _finding(failure: Failure, told: tuple[str, str], mask: Operand, key: Operand, wanted: Shape) -> Finding:
    rule, name = told
    node = failure.node_of(mask) if mask.shape == wanted[::-1] else None
    fixes: Fixes = [] if node is None else [offer("transpose_mask", with_behind, failure.source, node, ".T")]
    return failure.finding("attention_mask", mask, key, {"rule": rule, "function": name, "wanted": str(wanted)}, fixes=fixes)
