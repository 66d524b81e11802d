"""Reads the saved tensors, saved scalars, identity and sequence numbers of Nodes."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch

from app.trace.codec import LARGEST
from app.trace.records import MOST_SCALAR_SIZES, MOST_SCALAR_TEXT, MOST_SCALARS, Scalar

TOKEN = "stepgrad"
"""The recorder's key in `Node.metadata`. The value dies with the C++ Node."""

_slots: dict[type, tuple[tuple[str, str], ...]] = {}
"""For each class of Nodes: its attributes that return SavedTensors, each with torch's name of the SavedTensor."""


def raw_saved(node: Any) -> Iterator[tuple[str, Any]]:
    """Yield the SavedTensors of a Node with their names. The SavedTensors of a list are called `name[i]`.

    Reads `_raw_saved_<name>`, which does not check versions, unlike `_saved_<name>`. A released SavedTensor has no `.data`. If
    a list of saved tensors was released, torch raises RuntimeError, and so does this function.
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
"""For each class of Nodes: its attributes that return saved scalars, each with torch's name of the scalar."""


def saved_scalars(node: Any) -> dict[str, Scalar]:
    """Return the saved values of a Node that are not tensors, by torch's names: `exponent`, `dim`, `keepdim`.

    Sizes of tensors (`self_sym_sizes`) are left out. The attributes of a Python Function are not read, because they belong to
    the snippet.
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
        except RuntimeError:  # the value was released, or torch does not show it
            continue
        if value is not None:
            found[name] = value
    return found


def _scalars_of(kind: type) -> tuple[tuple[str, str], ...]:
    prefix, names = "_saved_", dir(kind)
    scalars = [name.removeprefix(prefix) for name in names if name.startswith(prefix) and f"_raw{name}" not in names]
    return tuple((prefix + name, name) for name in scalars if "_sym_" not in name)[:MOST_SCALARS]


def _scalar(value: Any) -> Scalar | None:
    """Return a value in the form of the trace; None if the trace cannot represent it."""
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
    """Return an int64 as a signed value; None if its magnitude is above LARGEST. TORCH 2.13: some Nodes show an int64 as
    unsigned, such as dim -1 as 2**64 - 1."""
    if value >= 1 << 63:
        value -= 1 << 64
    return value if -LARGEST <= value <= LARGEST else None


def is_refused(node: Any, slot: str) -> bool:
    """Whether torch would refuse to use this SavedTensor now, because its tensor was written after the save.

    Reads `_saved_<slot>`, which unpacks the SavedTensor as backward does. The recorder needs this check if the running operator
    wrote a tensor that the operator itself had saved. The Node of a Python Function has `saved_tensors` instead.
    """
    saved = "_saved_" + slot.partition("[")[0]
    try:
        getattr(node, saved if hasattr(type(node), saved) else "saved_tensors")
    except RuntimeError:
        return True
    return False


def nodes_behind(outputs: Any) -> Iterator[Any]:
    """Yield each Node that can be reached from these outputs once. The walk is iterative, because graphs are deeper than
    Python's stack."""
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
    """Return the Node at which a backward from this tensor or GradientEdge begins; None if torch does not show this Node.

    TORCH 2.13: `get_gradient_edge` creates a view of a leaf, and fails for an inference tensor.
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
    except Exception:  # backward itself will raise, for example for a view of no_grad whose base was written
        return None


saved_tensors_hooks_allowed: Callable[[], bool] = torch._C._autograd._saved_tensors_hooks_is_enabled  # type: ignore[attr-defined]
"""Returns False within `disable_saved_tensors_hooks`, and in functions that `torch.func` transforms; otherwise True.

This is torch's own function, without a Python wrapper, because the recorder calls it for every step."""

next_sequence_nr: Callable[[], int] = torch._C._autograd._get_sequence_nr
"""Returns the sequence number of the next Node that is created on this thread."""
