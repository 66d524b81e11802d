"""Differences between supported versions of torch that tests must know. app/tracer/README.md lists all differences."""

import torch

TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])

MASKED_WRITE = "MaskedFill" if TORCH >= (2, 15) else "IndexPut"
"""The name of the Node of `x[mask] = number`, without "Backward0". For an index instead of a mask, torch 2.15 has IndexFill."""
