"""The saved-tensor hooks of a guard: fingerprints of saved tensors, and comparisons when backward uses the tensors.

Torch does not check version counters of tensors with hooks (`SavedVariable::unpack`), so this module does, with the same messages.
"""

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor

from . import said_by_torch
from .fingerprints import Fingerprint, Slot, fingerprint, is_plain
from .found import GuardFinding
from .user_lines import user_line

if TYPE_CHECKING:
    from .guards import Guard

Place = tuple[str | None, int]
"""The user's line, and the number of optimizer steps so far."""
Saved = tuple[Tensor, int | None, Fingerprint | None, Place, "weakref.ref[Tensor] | None"]
"""What the pack hook returns: a detached alias (it shares the version counter and keeps no graph alive), the counter, the
fingerprint, the place, and a weak reference to the tensor. None instead of the reference for a view: `.data = …` has no effect on
the base of a view."""
Seen = tuple[str, str | None, torch.dtype, tuple[int, ...]]
"""Name of the Node, the user's line, dtype and shape of a saved tensor."""
Hooks = tuple[Callable[[Tensor], Saved], Callable[[Saved], Tensor]]

WRITTEN_BY_TORCH: Final[dict[str, frozenset[str]]] = {
    # TORCH 2.13: batch_norm writes its running statistics in training, and does not increment their counters.
    "BatchNorm": frozenset({"running_mean", "running_var"}),
    # rrelu saves its noise tensor before it fills it.
    "RreluWithNoise": frozenset({"noise"}),
    # cuDNN updates the state of its random numbers in this tensor.
    "CudnnRnn": frozenset({"dropout_state"}),
    # The backward of an LSTM by oneDNN writes intermediate results to the saved workspace.
    "MkldnnRnnLayer": frozenset({"result3"}),
}
"""Saved tensors that torch changes on purpose, by a part of the Node's name."""
NOT_ALL_WRITTEN: Final[dict[str, frozenset[str]]] = {
    # TORCH 2.13: ctc_loss writes `log_alpha` only up to the length of each input.
    "CtcLoss": frozenset({"result1"}),
    # oneDNN's workspace contains padding bytes, and nothing writes them.
    "MkldnnRnnLayer": frozenset({"result3"}),
    # In evaluation mode, rrelu does not fill its noise tensor.
    "RreluWithNoise": frozenset({"noise"}),
}
"""Saved tensors with elements that torch does not write, and does not use, by a part of the Node's name."""
_TRAINING: Final = ("_saved_training", "_saved_train")
_OF_SEVERAL_VIEWS: Final = {"SplitBackward0", "SplitWithSizesBackward0", "UnbindBackward0"}
"""Nodes of functions that return several views. Torch refuses their outputs after a write to the base."""


def hooks_of(guard: "Guard") -> Hooks:
    """Return the pack hook and the unpack hook of a guard."""
    frame_of, places = sys._getframe, guard.places

    def pack(tensor: Tensor) -> Saved:
        guard.saves += 1
        alias = tensor.detach()
        try:
            version = alias._version
        except RuntimeError:  # inference tensors have no counter
            version = None
        seen = fingerprint(alias) if is_plain(type(tensor)) else None
        if seen is None:
            guard.cannot_read(tensor)
        line = user_line(frame_of(1))
        place = places.get(line)
        if place is None:
            place = places[line] = line, guard.steps
        return alias, version, seen, place, None if tensor._is_view() else weakref.ref(tensor)

    def unpack(saved: Saved) -> Tensor:
        if guard.asked.unpacked is not None:
            guard.asked.unpacked.append(saved)
            return saved[0]
        alias, version, before, _, origin = saved
        if version is not None and alias._version != version:
            guard.tell(outdated(guard, saved), always=True)
        elif before is not None and guard.is_checking:
            tensor = None if origin is None else origin()
            if tensor is not None and tensor.data_ptr() != alias.data_ptr() and not is_output(tensor):
                alias = tensor.detach()  # after `tensor.data = …` torch computes with the new memory
            now = fingerprint(alias)
            if type(before) is Slot:
                if now is not None and not is_exempt(guard, saved):
                    guard.compared_later.append((before, now, partial(_overwritten, _seen_now(saved))))
            elif now != before:
                if now is None:
                    guard.cannot_read(alias)
                elif not is_exempt(guard, saved):
                    guard.tell(overwritten(guard, saved))
        return alias

    pack.guard = guard  # type: ignore[attr-defined]
    return pack, unpack


def is_output(tensor: Tensor) -> bool:
    """Whether the running Node returned this tensor. A Node uses the old memory of its output, also after `tensor.data = …`."""
    node: Any = torch._C._current_autograd_node()
    return node is not None and tensor.requires_grad and tensor.grad_fn is node


def is_exempt(guard: "Guard", saved: Any, *, is_recomputed: bool = False) -> bool:
    """Whether torch itself may change the bytes of this saved tensor of the running Node.

    The kernel of the Node writes some tensors (WRITTEN_BY_TORCH). A checkpoint recomputes a tensor in other memory, where elements
    that no kernel writes have other bytes (NOT_ALL_WRITTEN).
    """
    node: Any = torch._C._current_autograd_node()
    name = "" if node is None else node.name()
    slots: set[str] = set()
    for part, written in WRITTEN_BY_TORCH.items():
        if part in name and all(getattr(node, flag, True) for flag in _TRAINING):
            slots |= written
    for part, unwritten in NOT_ALL_WRITTEN.items() if is_recomputed else ():
        if part in name:
            slots |= unwritten
    return bool(slots) and slot_of(guard, node, saved)[0] in slots


def overwritten(guard: "Guard", saved: Saved) -> GuardFinding:
    """Return the finding that the bytes of a saved tensor changed and its counter did not."""
    return GuardFinding("overwritten", described(guard, saved))


def _seen_now(saved: Saved) -> Seen:
    """Return what a finding says about a tensor on a device, so that the tensor need not stay alive until the end of backward."""
    node: Any = torch._C._current_autograd_node()
    return "" if node is None else node.name(), saved[3][0], saved[0].dtype, tuple(saved[0].shape)


def _overwritten(seen: Seen) -> GuardFinding:
    name, line, dtype, shape = seen
    return GuardFinding("overwritten", _arguments(name, "", dtype, shape, line))


def recomputed(guard: "Guard", held: Any, seen: Seen) -> GuardFinding:
    """Return the finding that a checkpoint recomputed a saved tensor with other bytes."""
    _, line, dtype, shape = seen
    node: Any = torch._C._current_autograd_node()
    name = "" if node is None else node.name()
    return GuardFinding("recomputed", _arguments(name, slot_of(guard, node, held)[0], dtype, shape, line))


def outdated(guard: "Guard", saved: Saved) -> GuardFinding:
    """Return the finding with the message of torch's own check, which names the Node that returned the tensor.

    Torch names the `grad_fn` that the tensor has now. If an in-place operator changed it and the program then deleted the tensor,
    this message names the `grad_fn` at the save. It does not name an in-place operator on a view.
    """
    alias, version, _, (_, steps), origin = saved
    arguments = counted(guard, saved)
    written_by = guard.optimizer_that_wrote(alias, steps)
    if written_by is not None:
        arguments |= {"optimizer": written_by[0], "line": written_by[1]}
    node: Any = torch._C._current_autograd_node()
    _, value = slot_of(guard, node, saved)
    maker: Any = None if value is None else value.grad_fn
    if maker is not None and maker is not node:  # an input of the Node
        if origin is None:  # a view: after a write to its base, reading `grad_fn` creates a new Node
            if maker.name() in _OF_SEVERAL_VIEWS:
                assert value is not None
                return GuardFinding("outdated", arguments, said_by_torch.of_several_views(maker, value.output_nr))
            return GuardFinding("outdated", arguments, said_by_torch.outdated(alias, version, "AsStridedBackward0", 0))
        taken = origin()
        value = value if taken is None else taken
        maker = None if value is None else value.grad_fn
    name, output = (None, 0) if maker is None or value is None else (maker.name(), value.output_nr)
    return GuardFinding("outdated", arguments, said_by_torch.outdated(alias, version, name, output))


def counted(guard: "Guard", saved: Saved) -> dict[str, str | int]:
    """The arguments of a finding about a version counter."""
    alias, version, *_ = saved
    return {**described(guard, saved), "before": version or 0, "after": alias._version, "optimizer": "", "line": ""}


def described(guard: "Guard", saved: Saved) -> dict[str, str | int]:
    """Return which Node saved a tensor, in which attribute and line, and the tensor's dtype and shape, as text."""
    alias, _, _, (line, _), _ = saved
    node: Any = torch._C._current_autograd_node()
    name = "" if node is None else node.name()
    return _arguments(name, slot_of(guard, node, saved)[0], alias.dtype, tuple(alias.shape), line)


def _arguments(name: str, slot: str, dtype: torch.dtype, shape: tuple[int, ...], line: str | None) -> dict[str, str | int]:
    return {
        "node": name.removeprefix("torch::autograd::"),
        "slot": slot,
        "tensor": f"{str(dtype).removeprefix('torch.')}{list(shape)}",
        "saved_line": line or "",
    }


def slot_of(guard: "Guard", node: Any, saved: Any) -> tuple[str, Tensor | None]:
    """Return the attribute of a Node for a saved tensor, such as `self` for `_saved_self`, and its value. If unknown, "" and None.

    This unpacks each saved tensor of the Node, so it is only done for a finding.
    """
    if node is None:
        return "", None
    for name, value, unpacked in _saved_by(guard, node):
        if value is not None and unpacked is saved:
            return name, value
    return "", None


class Asked(threading.local):
    """The packed values that this thread has unpacked while it reads the `_saved_…` attributes of a Node; None at other times."""

    unpacked: list[Any] | None = None


def _saved_by(guard: "Guard", node: Any) -> Iterator[tuple[str, Tensor | None, Any]]:
    """Yield, for each tensor that a Node saved, its attribute name, its value and the packed value."""
    for attribute in [each for each in dir(type(node)) if each.startswith("_saved_") or each == "saved_tensors"]:
        asked: list[Any] = []
        guard.asked.unpacked = asked
        try:
            values = getattr(node, attribute)
        except RuntimeError:  # torch has released the saved tensors, or does not return this attribute
            continue
        finally:
            guard.asked.unpacked = None
        if not asked:
            continue
        name = attribute.removeprefix("_saved_")
        several = isinstance(values, (tuple, list))
        present = [each for each in values if isinstance(each, Tensor)] if several else [values]
        for index, (value, unpacked) in enumerate(zip(present, asked, strict=False)):
            yield (f"{name}[{index}]" if several else name), value, unpacked
