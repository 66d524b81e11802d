"""Reads the tangents of tensors in forward-mode differentiation."""

import torch
from torch.autograd import forward_ad


def forward_level() -> int:
    """Return the number of the open `dual_level()`; -1 if there is none (TORCH 2.13: torch/autograd/forward_ad.py)."""
    return forward_ad._current_level


def tangent_of(tensor: torch.Tensor, level: int) -> torch.Tensor | None:
    """Return the tangent of a tensor at a level. Torch returns the same object for each call, as long as this object is alive.

    `_unpack_dual` also creates a view. In grad mode, this view would get a Node and use up a sequence number.
    """
    recorded = torch.is_grad_enabled()
    torch._C._set_grad_enabled(False)
    try:
        tangent: torch.Tensor | None = torch._VF._unpack_dual(tensor, level=level)[1]
    except RuntimeError:  # raised for a tensor without values, such as a sparse tensor
        return None
    finally:
        torch._C._set_grad_enabled(recorded)
    return tangent
