"""The names of the layers that isolate a run. Each layer works without the others."""

from enum import StrEnum


class Layer(StrEnum):
    """One layer. The layers determine the tier of a server (app/sandbox/tiers.py)."""

    BUBBLEWRAP = "bubblewrap"
    """The outer sandbox of all runs: no network, and only the files that Python and torch need."""
    NAMESPACES = "namespaces"
    """Each run is alone in its namespaces, as PID 1, with a private /tmp and an empty /proc."""
    LIMITS = "limits"
    """The kernel limits the resources of a run."""
    PRIVILEGES = "privileges"
    """No capability, no way to gain a capability, and no inspection by other processes of the same uid."""
    LANDLOCK = "landlock"
    """Only listed paths; no TCP; no signals or abstract sockets to other processes."""
    SECCOMP = "seccomp"
    """Only listed system calls."""


class LayerMissing(Exception):
    """A step of the seal failed, so `layer` is not available.

    `layer` is None for a step without a layer. The text has the step and the error.
    """

    def __init__(self, layer: Layer | None, why: str) -> None:
        super().__init__(why)
        self.layer = layer
