"""Looks for NaN and infinity in gradients after a backward."""

import contextlib
import gc
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from .found import GuardFinding
from .user_lines import caller_line

if TYPE_CHECKING:
    from .guards import Guard


Gradients = Iterable[tuple[Tensor | None, Tensor | None]]
"""Leaves, or None, with their gradients."""


def leaves_of(outputs: Any) -> list[Tensor]:
    """Return the leaves that a backward from `outputs` reaches. The walk takes 0.2 µs for each Node."""
    todo = []
    for each in outputs if isinstance(outputs, (tuple, list)) else (outputs,):
        try:
            todo.append(each.grad_fn if isinstance(each, Tensor) else each.node)
        except RuntimeError:  # torch refuses to return the Node of this view; the backward will raise the same error
            continue
    leaves, seen = [], set(todo)
    while todo:
        node = todo.pop()
        if node is None:
            continue
        for below, _ in node.next_functions:
            if below is not None and below not in seen:
                seen.add(below)
                todo.append(below)
                if type(below).__name__ == "AccumulateGrad":
                    leaves.append(below.variable)  # type: ignore[union-attr]
    return leaves


def find_non_finite(guard: "Guard", outputs: Any, gradients: Gradients, *, is_unscaled: bool = False) -> GuardFinding | None:
    """Return a finding if one of these gradients, given with their leaves, has NaN or infinity.

    While an enabled GradScaler exists, infinity is expected in scaled gradients, so they are only read once they are divided by the
    scale.
    """
    with _disable_current_modes():  # otherwise a dispatch mode of the program would see these operators
        return _found(guard, outputs, gradients, is_unscaled)


def _found(guard: "Guard", outputs: Any, gradients: Gradients, is_unscaled: bool) -> GuardFinding | None:
    read = [(leaf, values) for leaf, each in gradients if each is not None and (values := _values(each)) is not None]
    bad = [read[index] for index in _non_finite([values for _, values in read])]
    if not bad:
        return None
    if not is_unscaled and (guard.has_scaler or _exists_scaler()):
        guard.has_scaler = True
        return None
    leaf, values = bad[0]
    return GuardFinding(
        "non_finite",
        {
            "what": "nan" if bool(values.isnan().any()) else "inf",
            "name": "" if leaf is None else _name_of(leaf),
            "tensor": f"{str(values.dtype).removeprefix('torch.')}{list(values.shape)}",
            "others": len(bad) - 1,
            "loss": "no" if all(bool(each.isfinite().all()) for each in _tensors(outputs)) else "yes",
            "line": caller_line() or "",
        },
    )


def _non_finite(tensors: list[Tensor]) -> list[int]:
    """Return the indices of tensors that are not finite, by one `_foreach_norm` for each device and dtype."""
    groups: dict[tuple[torch.device, torch.dtype], list[int]] = {}
    for index, tensor in enumerate(tensors):
        groups.setdefault((tensor.device, tensor.dtype), []).append(index)
    found = []
    with torch.no_grad():
        for indices in groups.values():
            norms = torch.stack(list(torch._foreach_norm([tensors[index] for index in indices])))
            if not bool(norms.isfinite().all()):
                # A sum of squares may overflow where each element is finite.
                found += [index for index in indices if not bool(tensors[index].isfinite().all())]
    return sorted(found)


def _values(gradient: Tensor) -> Tensor | None:
    """Return the elements of a gradient as a dense tensor; None if there are none, or if their norm is not defined."""
    if type(gradient) is not Tensor or _is_wrapped(gradient):
        return None
    if gradient.layout == torch.sparse_coo:
        gradient = gradient._values()
    if gradient.layout != torch.strided or gradient.is_nested or gradient.is_meta or gradient.dtype not in _READ:
        return None
    return gradient.detach() if gradient.numel() else None


def _is_wrapped(tensor: Tensor) -> bool:
    functorch = torch._C._functorch
    return functorch.is_functorch_wrapped_tensor(tensor) or functorch.is_legacy_batchedtensor(tensor)


_READ = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128)


def _exists_scaler() -> bool:
    return any(issubclass(type(each), torch.amp.GradScaler) and getattr(each, "_enabled", False) for each in gc.get_objects())


def _name_of(leaf: Tensor) -> str:
    """The name of a parameter in the outermost module that has it; empty for another leaf. Goes through all objects."""
    names = []
    for each in gc.get_objects():
        if issubclass(type(each), torch.nn.Module):
            with contextlib.suppress(Exception):  # code of the user, or a module with a `__init__` that has not run
                names += [name for name, parameter in each.named_parameters() if parameter is leaf]
    return max(names, key=len, default="")


def _tensors(outputs: Any) -> Iterator[Tensor]:
    for each in outputs if isinstance(outputs, Iterable) and not isinstance(outputs, Tensor) else (outputs,):
        if isinstance(each, Tensor) and (each.dtype.is_floating_point or each.dtype.is_complex):
            yield each.detach()
