"""Reads the torch modes that are active on this thread."""

from typing import Any

import torch

from app.tracer import adapter

_DEVICES = ("cpu", "cuda") if torch.backends.cuda.is_built() else ("cpu",)  # type: ignore[no-untyped-call]
_is_inference = torch.is_inference_mode_enabled
_is_autocast, _is_anomaly = torch.is_autocast_enabled, torch.is_anomaly_enabled
NONE: dict[str, Any] = {}
"""The result if every field about modes has its default."""


is_grad_enabled = torch.is_grad_enabled
"""Returns a Step's `grad_enabled`. This field has its own function, because it often differs from its default."""


def of_operator() -> dict[str, Any]:
    """Return the modes that can differ between two operators of one statement, as fields of a Step. Fields with their default
    are left out.

    Autocast cannot be read during an operator, because autocast runs the operator with autocast off.
    """
    inference, packs = _is_inference(), adapter.top_hooks(False) is not None
    if not inference and not packs:
        return NONE
    modes: dict[str, Any] = {}
    if inference:
        modes["inference"] = True
    if packs and adapter.saved_tensors_hooks(False) is not None:
        modes["saved_tensors_hooks"] = "active"
    return modes


def surrounding() -> dict[str, Any]:
    """Return the modes that are the same for all operators of one statement, as fields of a Step. Fields with their default are
    left out. An operator has the same values as the step in which it runs."""
    modes: dict[str, Any] = NONE
    for device in _DEVICES:
        if _is_autocast(device):
            modes = modes | {"autocast": True, "autocast_dtype": adapter.dtype_name(torch.get_autocast_dtype(device))}
    if _is_anomaly():
        modes = modes | {"anomaly": True}
    if not adapter.saved_tensors_hooks_allowed():
        modes = modes | {"saved_tensors_hooks": "disabled"}
    return modes
