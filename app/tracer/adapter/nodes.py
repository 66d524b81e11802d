"""Reads the saved tensors, identity and creation order of Nodes."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

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
