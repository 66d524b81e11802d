"""Changes between the recorded versions of torch that tests depend on. app/tracer/README.md lists all of them."""

import torch

TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])

MASKED_WRITE = "MaskedFill" if TORCH >= (2, 15) else "IndexPut"
"""The Node name, without "Backward0", of `x[mask] = number`. With an index instead of a mask, torch 2.15 calls it IndexFill."""
