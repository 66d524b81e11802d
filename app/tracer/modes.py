"""Reads which modes of torch are on in this thread: what they change is what torch records and what it checks."""

from typing import Any

import torch

from app.tracer import adapter

_DEVICES = ("cpu", "cuda") if torch.backends.cuda.is_built() else ("cpu",)  # type: ignore[no-untyped-call]


def of_operator() -> dict[str, Any]:
    """The fields of a Step that say so, without those at their default: what can differ between two operators of a statement.

    Autocast cannot be read there: its own kernel runs the operator with autocast off, which is how it works.
    """
    modes: dict[str, Any] = {}
    if not torch.is_grad_enabled():
        modes["grad_enabled"] = False
    if torch.is_inference_mode_enabled():
        modes["inference"] = True
    if adapter.saved_tensors_hooks(False) is not None:
        modes["saved_tensors_hooks"] = "active"
    return modes


def surrounding() -> dict[str, Any]:
    """The rest of those fields: what an operator has from the statement, call or Node that it runs in."""
    modes: dict[str, Any] = {}
    for device in _DEVICES:
        if torch.is_autocast_enabled(device):
            modes["autocast"] = True
            modes["autocast_dtype"] = adapter.dtype_name(torch.get_autocast_dtype(device))
    if torch.is_anomaly_enabled():
        modes["anomaly"] = True
    if not adapter.saved_tensors_hooks_allowed():
        modes["saved_tensors_hooks"] = "disabled"
    return modes
