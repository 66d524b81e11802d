"""What torch itself changed between the versions that are recorded, as far as tests expect it: the list in app/tracer/README.md."""

import torch

TORCH = tuple(int(part) for part in torch.__version__.split(".")[:2])

MASKED_WRITE = "MaskedFill" if TORCH >= (2, 15) else "IndexPut"
"""The operator, as Nodes spell it, of `x[mask] = number`. With indices in the place of the mask it is IndexFill since then."""
