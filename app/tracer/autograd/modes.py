"""Reads the torch modes that are active on this thread."""

from typing import Any

import torch

from app.tracer import adapter

_DEVICES = ("cpu", "cuda") if torch.backends.cuda.is_built() else ("cpu",)  # type: ignore[no-untyped-call]
_is_inference = torch.is_inference_mode_enabled
_is_autocast, _is_anomaly = torch.is_autocast_enabled, torch.is_anomaly_enabled
NONE: dict[str, Any] = {}
"""All fields have their defaults."""


is_grad_enabled = torch.is_grad_enabled
"""Returns a Step's `grad_enabled`. Separate, because it is often not the default."""


def of_operator() -> dict[str, Any]:
    """Return the fields of a Step about modes that can differ between two operators of a statement, without defaults.

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
    """Return the other fields about modes, without defaults. An operator has the same values as the step in which it runs."""
    modes: dict[str, Any] = NONE
    for device in _DEVICES:
        if _is_autocast(device):
            modes = modes | {"autocast": True, "autocast_dtype": adapter.dtype_name(torch.get_autocast_dtype(device))}
    if _is_anomaly():
        modes = modes | {"anomaly": True}
    if not adapter.saved_tensors_hooks_allowed():
        modes = modes | {"saved_tensors_hooks": "disabled"}
    return modes
