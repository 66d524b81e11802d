"""`stepgrad.guard()`: checks saved tensors, checkpoints and gradients during real training."""

from .found import GuardError, GuardFinding
from .guards import Guard

__all__ = ["Guard", "GuardError", "GuardFinding"]
