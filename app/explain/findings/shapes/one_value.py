"""Finds a batch norm in training mode with one value per channel, because one value has no variance."""

import ast
from math import prod

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import Failure, failure_finder
from app.explain.findings.refusing_layer import norm_within, refusing_layer

_NORMS = ("BatchNorm", "InstanceNorm")


@failure_finder("ValueError")
def find_one_value(failure: Failure) -> list[Finding]:
    """An error if the run ended because a norm got one value per channel.

    In evaluation mode, torch accepts a single value per channel.
    """
    piece = failure.piece
    if not isinstance(piece, ast.Call):
        return []
    layer = refusing_layer(failure)
    if layer is None or not layer.kind.startswith(_NORMS):
        layer = norm_within(failure)
    given = None if layer is None else layer.given
    if layer is None or given is None or not layer.kind.startswith(_NORMS) or len(given.shape) < 2:
        return []
    shape = given.shape
    values = prod(shape[2:]) * (shape[0] if layer.kind.startswith("BatchNorm") else 1)
    if values != 1 or shape[1] != layer.weight.shape[0]:
        return []
    arguments: Arguments = {**failure.told(given, "left"), "module": layer.name, "layer": layer.kind, "rows": shape[0]}
    return [failure.single_finding("one_value_per_channel", [given, layer.weight], arguments)]
