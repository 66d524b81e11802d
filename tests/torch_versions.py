"""Differences between the supported versions of torch that affect tests. app/tracer/README.md lists all differences."""

import torch

TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])

MASKED_WRITE = "MaskedFill" if TORCH >= (2, 15) else "IndexPut"
"""The Node name, without "Backward0", of `x[mask] = number`. With an index instead of a mask, torch 2.15 calls it IndexFill."""
