"""Reads the saved tensors and scalars, identity and creation order of Nodes."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

from app.trace.codec import LARGEST
from app.trace.records import MOST_SCALAR_SIZES, MOST_SCALAR_TEXT, MOST_SCALARS, Scalar

TOKEN = "stepgrad"
"""Our key in `Node.metadata`; the value dies with the C++ Node."""

_slots: dict[type, tuple[tuple[str, str], ...]] = {}
"""Of each class of Nodes the attributes that give its SavedTensors, and the names of these."""


def raw_saved(node: Any) -> Iterator[tuple[str, Any]]:
    """The Node's SavedTensors as (slot, SavedTensor); a list slot gives `name[i]`.

    Reads `_raw_saved_<slot>`, which neither checks versions nor raises for stale ones (`_saved_<slot>` does). Once released
    they have no `.data`; of a list torch raises RuntimeError then, and so does this.
    """
    kind = type(node)
    slots = _slots.get(kind)
    if slots is None:
        raw = "_raw_saved_"
        slots = _slots[kind] = tuple((slot, slot.removeprefix(raw)) for slot in dir(node) if slot.startswith(raw))
    for slot, name in slots:
        saved = getattr(node, slot)
        if isinstance(saved, (tuple, list)):
            for index, item in enumerate(saved):
                yield f"{name}[{index}]", item
        elif saved is not None:
            yield name, saved


_scalars: dict[type, tuple[tuple[str, str], ...]] = {}
"""For each class of Nodes, the attributes with its saved scalars, and their names."""


def saved_scalars(node: Any) -> dict[str, Scalar]:
    """The saved values of a Node that are not tensors, by torch's names: an exponent, a dim, whether a dim was kept.

    Sizes of tensors (`self_sym_sizes`) are left out. Of a Python Function nothing is read: its attributes are the snippet's.
    """
    kind = type(node)
    names = _scalars.get(kind)
    if names is None:
        if issubclass(kind, torch._C._FunctionBase):
            return {}
        names = _scalars[kind] = _scalars_of(kind)
    found: dict[str, Scalar] = {}
    for attribute, name in names:
        try:
            value = _scalar(getattr(node, attribute))
        except RuntimeError:  # released, or a value that torch does not show
            continue
        if value is not None:
            found[name] = value
    return found


def _scalars_of(kind: type) -> tuple[tuple[str, str], ...]:
    prefix, names = "_saved_", dir(kind)
    scalars = [name.removeprefix(prefix) for name in names if name.startswith(prefix) and f"_raw{name}" not in names]
    return tuple((prefix + name, name) for name in scalars if "_sym_" not in name)[:MOST_SCALARS]


def _scalar(value: Any) -> Scalar | None:
    """As a trace has it; None where it cannot be said there."""
    kind = type(value)
    if kind is bool:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return _signed(value)
    if kind is float:
        return value if math.isfinite(value) else str(value)
    if kind is str:
        return value if len(value) <= MOST_SCALAR_TEXT else None
    if kind is tuple and len(value) <= MOST_SCALAR_SIZES and all(type(each) is int for each in value):
        sizes = [_signed(each) for each in value]
        return None if None in sizes else sizes  # type: ignore[return-value]
    return None


def _signed(value: int) -> int | None:
    """TORCH 2.13: some Nodes show an int64 as if it had no sign, so that dim -1 is 2**64 - 1."""
    if value >= 1 << 63:
        value -= 1 << 64
    return value if -LARGEST <= value <= LARGEST else None


def is_refused(node: Any, slot: str) -> bool:
    """Whether torch would refuse to use this SavedTensor now, because its tensor was written after the save.

    Asks `_saved_<slot>`, which unpacks it as backward would: for a slot that a running operator may have spoilt itself. A Python
    Function has `saved_tensors` alone.
    """
    saved = "_saved_" + slot.partition("[")[0]
    try:
        getattr(node, saved if hasattr(type(node), saved) else "saved_tensors")
    except RuntimeError:
        return True
    return False


def nodes_behind(outputs: Any) -> Iterator[Any]:
    """The Nodes behind these outputs, each once. Changes nothing. Iterative: graphs are deeper than Python's stack."""
    waiting = [node for output in outputs if (node := gradient_root(output)) is not None]
    met = set(waiting)
    while waiting:
        node = waiting.pop()
        yield node
        following = {edge for edge, _ in node.next_functions if edge is not None} - met
        met |= following
        waiting.extend(following)


def has_released(node: Any) -> bool:
    """Whether the Node saved tensors and has released them."""
    try:
        saves = [saved for _, saved in raw_saved(node)]
    except RuntimeError:
        return True
    return bool(saves) and all(saved.unpack_hook is None and saved.data is None for saved in saves)


def gradient_root(output: Any) -> Any:
    """The Node at which a backward from this tensor (or GradientEdge) begins; None where torch does not show it.

    TORCH 2.13: `get_gradient_edge` of a leaf derives a view of it, and fails for an inference tensor, which has none.
    """
    if not isinstance(output, torch.Tensor):
        return getattr(output, "node", None)
    try:
        if output.grad_fn is not None:
            return output.grad_fn
        if not output.requires_grad or output.is_inference():
            return None
        with torch.inference_mode(False):
            return torch.autograd.graph.get_gradient_edge(output).node
    except Exception:  # a view of many, or of no_grad, whose base was written, for example: backward itself will say so
        return None


saved_tensors_hooks_allowed: Callable[[], bool] = torch._C._autograd._saved_tensors_hooks_is_enabled  # type: ignore[attr-defined]
"""False within `disable_saved_tensors_hooks`, and in functions that `torch.func` transforms.

Not wrapped: it is asked for every step."""

next_sequence_nr: Callable[[], int] = torch._C._autograd._get_sequence_nr
"""The number that the next Node gets which is made on this thread."""
