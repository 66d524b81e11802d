"""Finds `scaled_dot_product_attention` of a query, keys and values with shapes that do not fit."""

from app.explain.finding import Arguments, Finding
from app.explain.findings.mismatch import REFUSED_SHAPES, Failure, failure_finder
from app.explain.reading.viewing import disagreeing

_WORDS = ("query", "key", "value")


@failure_finder(*REFUSED_SHAPES)
def find_attention_mismatch(failure: Failure) -> list[Finding]:
    """An error for a dimension that must be equal in two of these tensors but is not."""
    name, nodes = failure.called
    if name != "scaled_dot_product_attention" or failure.keyword("enable_gqa") is not None:
        return []
    written = [*nodes[:3], *(failure.keyword(word) for word in _WORDS[len(nodes) :])]
    operands = failure.operands([each for each in written if each is not None])
    if len(operands) != 3 or any(len(each.shape) < 2 for each in operands):
        return []
    query, key, value = operands
    batches = [
        (one, other, places) for one, other in ((query, key), (key, value)) if (places := _batches(one.shape, other.shape))
    ]
    if query.shape[-1] != key.shape[-1]:
        rule, one, other, at = "embedding", query, key, -1
    elif key.shape[-2] != value.shape[-2]:
        rule, one, other, at = "length", key, value, -2
    elif batches:
        rule, (one, other, places) = "batch", batches[0]
        at = places[0]
    else:
        return []
    arguments: Arguments = {"rule": rule, "at": at, "left_size": one.shape[at], "right_size": other.shape[at]}
    clashes = failure.clash_between(one, at, other, at)
    return [failure.finding("attention_mismatch", one, other, arguments, clashes=clashes)]


def _batches(one: tuple[int, ...], other: tuple[int, ...]) -> list[int]:
    """The batch dimensions that do not broadcast, as negative indices."""
    return [place - 2 for place in disagreeing(one[:-2], other[:-2])]
