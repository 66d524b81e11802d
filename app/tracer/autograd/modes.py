"""Reads which torch modes are active in this thread. They change what torch records and checks."""

from typing import Any

import torch

from app.tracer import adapter

_DEVICES = ("cpu", "cuda") if torch.backends.cuda.is_built() else ("cpu",)  # type: ignore[no-untyped-call]
_is_inference = torch.is_inference_mode_enabled
_is_autocast, _is_anomaly = torch.is_autocast_enabled, torch.is_anomaly_enabled
NONE: dict[str, Any] = {}
"""No field: every one has its default."""


is_grad_enabled = torch.is_grad_enabled
"""A Step's `grad_enabled`, the one field that is often not at its default."""


def of_operator() -> dict[str, Any]:
    """The other fields of a Step that say so, without those at their default: what can differ between two operators of a statement.

    Autocast cannot be read there: its own kernel runs the operator with autocast off, which is how it works.
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
    """The rest of those fields: what an operator has from the statement, call or Node that it runs in."""
    modes: dict[str, Any] = NONE
    for device in _DEVICES:
        if _is_autocast(device):
            modes = modes | {"autocast": True, "autocast_dtype": adapter.dtype_name(torch.get_autocast_dtype(device))}
    if _is_anomaly():
        modes = modes | {"anomaly": True}
    if not adapter.saved_tensors_hooks_allowed():
        modes = modes | {"saved_tensors_hooks": "disabled"}
    return modes
